-- name: insert_activity
-- Add an entry; who can read an item or an upload is noted with it, as that is after the change.
insert into activity (
    id, recorded_at, organization_id, workspace_id, actor_id, actor_kind, actor_name, api_key_id, on_behalf_of,
    request_id, action, outcome, subject_kind, subject_id, audience_id, before, after
)
values (
    %(id)s, %(recorded_at)s,
    coalesce(%(organization_id)s, (select w.organization_id from workspaces w where w.id = %(workspace_id)s)),
    %(workspace_id)s, %(actor_id)s, %(actor_kind)s, %(actor_name)s, %(api_key_id)s, %(on_behalf_of)s,
    %(request_id)s, %(action)s, %(outcome)s, %(subject_kind)s, %(subject_id)s,
    case %(subject_kind)s
        when 'item' then
            (select i.audience_id from items i where i.workspace_id = %(workspace_id)s and i.id = %(subject_id)s)
        when 'upload' then
            (select u.audience_id from uploads u where u.workspace_id = %(workspace_id)s and u.id = %(subject_id)s)
        else %(audience_id)s::bigint
    end,
    %(before)s, %(after)s
);
