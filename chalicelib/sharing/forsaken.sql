-- name: list_workspaces_of
-- Read the workspaces of an organization, always in one order, so that who holds the places of all waits in no circle.
select w.id from workspaces w where w.organization_id = %(organization_id)s order by w.id;

-- name: lock_items_of
-- Lock the living items that have one of some audiences, always in the same order.
select i.id from items i
where i.workspace_id = %(workspace_id)s and i.deleted_at is null and readable(i.audience_id, %(audiences)s)
order by i.id
for update;
