-- name: insert_environment
-- Add an environment, unless the organization has it.
insert into environments (id, organization_id, slug) values (%(id)s, %(organization_id)s, %(slug)s)
on conflict do nothing
returning id, slug, created_at;

-- name: list_environments
-- Read an organization's environments by name; they are few.
select id, slug, created_at from environments where organization_id = %(organization_id)s order by slug;

-- name: hold_environment
-- Keep an environment from being deleted until the transaction ends.
select 1 as held from environments where organization_id = %(organization_id)s and slug = %(slug)s for key share;

-- name: lock_environment
-- Wait for those who are about to use an environment, and keep others from it.
select id, slug, created_at from environments
where organization_id = %(organization_id)s and id = %(environment_id)s
for update;

-- name: count_uses
-- Count the agents, and the folders and items, that are in an environment.
select (select count(*) from principals p
        where p.organization_id = %(organization_id)s and p.environment = %(slug)s) as agents,
       (select count(*) from access_settings s join workspaces w on w.id = s.workspace_id
        where w.organization_id = %(organization_id)s and s.environment = %(slug)s) as settings;

-- name: delete_environment
-- Remove an environment that nothing uses.
delete from environments where organization_id = %(organization_id)s and id = %(environment_id)s;
