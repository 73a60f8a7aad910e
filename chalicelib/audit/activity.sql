-- name: insert_activity
-- Add an entry, and note with it whether the thing is kept from owners: a clause of its audience has neither them nor
-- the whole workspace, or it is in none though it is an item or an upload.
insert into activity (
    id, recorded_at, organization_id, workspace_id, actor_id, actor_kind, actor_name, api_key_id, on_behalf_of,
    request_id, action, outcome, subject_kind, subject_id, is_kept_from_owners, before, after
)
values (
    %(id)s, %(recorded_at)s,
    coalesce(%(organization_id)s, (select w.organization_id from workspaces w where w.id = %(workspace_id)s)),
    %(workspace_id)s, %(actor_id)s, %(actor_kind)s, %(actor_name)s, %(api_key_id)s, %(on_behalf_of)s,
    %(request_id)s, %(action)s, %(outcome)s, %(subject_kind)s, %(subject_id)s,
    coalesce(
        (
            select exists (
                select from jsonb_array_elements(a.clauses) as clause(tokens)
                where not clause.tokens ?| array['owner:' || a.workspace_id, 'workspace:' || a.workspace_id]
            )
            from audiences a
            where a.workspace_id = %(workspace_id)s and a.id = case %(subject_kind)s
                when 'item' then
                    (select i.audience_id from items i where i.workspace_id = %(workspace_id)s and i.id = %(subject_id)s)
                when 'upload' then
                    (select u.audience_id from uploads u where u.workspace_id = %(workspace_id)s and u.id = %(subject_id)s)
                else %(audience_id)s::bigint
            end
        ),
        %(subject_kind)s in ('item', 'upload') or %(audience_id)s::bigint is not null
    ),
    %(before)s, %(after)s
);
