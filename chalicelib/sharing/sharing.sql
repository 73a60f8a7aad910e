-- name: insert_folder
-- Let something be said about a folder; returns no row where that is so already.
insert into folders (id, workspace_id, path, created_by)
values (%(id)s, %(workspace_id)s, %(path)s, %(principal_id)s)
on conflict (workspace_id, path) do nothing
returning id, workspace_id, path, created_by, created_at;

-- name: find_folder
-- Read a folder by id.
select id, workspace_id, path, created_by, created_at from folders
where workspace_id = %(workspace_id)s and id = %(folder_id)s;

-- name: find_folder_at
-- Read a folder by its path.
select id, workspace_id, path, created_by, created_at from folders
where workspace_id = %(workspace_id)s and path = %(path)s;

-- name: list_folders
-- Read the folders about which something can be said, in order of their paths.
select id, workspace_id, path, created_by, created_at from folders
where workspace_id = %(workspace_id)s and (%(after)s::text is null or path collate "C" > %(after)s)
order by path collate "C"
limit %(limit)s;

-- name: delete_folder
-- Forget what is said about a folder, its grants included. What lies in it stays, and so does the folder where a
-- knowledge base knows it by its identity.
with settings as (
    delete from access_settings where workspace_id = %(workspace_id)s and folder_id = %(folder_id)s
), granted as (
    delete from grants where workspace_id = %(workspace_id)s and folder_id = %(folder_id)s
)
delete from folders f
where f.workspace_id = %(workspace_id)s and f.id = %(folder_id)s
  and not exists (select from knowledge_base_members m where m.folder_id = f.id);

-- name: put_settings
-- Say something about a folder or an item in place of what was said before.
insert into access_settings (subject_id, workspace_id, folder_id, item_id, audience_kind, audience, inherits,
                             is_restricted, environment, updated_by)
values (%(subject_id)s, %(workspace_id)s, %(folder_id)s, %(item_id)s, %(audience_kind)s, %(audience)s, %(inherits)s,
        %(is_restricted)s, %(environment)s, %(principal_id)s)
on conflict (subject_id) do update
set audience_kind = excluded.audience_kind, audience = excluded.audience, inherits = excluded.inherits,
    is_restricted = excluded.is_restricted, environment = excluded.environment, updated_by = excluded.updated_by,
    updated_at = now();

-- name: delete_settings
-- Say nothing any more about a folder or an item.
delete from access_settings where workspace_id = %(workspace_id)s and subject_id = %(subject_id)s;

-- name: list_tokens
-- Read which of some teams and members an organization has, as access tokens.
select t.id, 'team:' || t.id as token from teams t
where t.organization_id = %(organization_id)s and t.id = any(%(team_ids)s)
union all
select p.id, p.kind || ':' || p.id from principals p
where p.organization_id = %(organization_id)s and p.id = any(%(member_ids)s);

-- name: find_environment
-- Tell whether an organization has an environment, and keep it from being deleted until the transaction ends.
select 1 as found from environments where organization_id = %(organization_id)s and slug = %(slug)s for key share;

-- name: put_grant
-- Give a member or a team an action on a folder or an item, in place of the one that it had.
insert into grants (id, workspace_id, folder_id, item_id, principal_id, team_id, action, granted_by)
values (%(id)s, %(workspace_id)s, %(folder_id)s, %(item_id)s, %(member_id)s, %(team_id)s, %(action)s, %(granted_by)s)
on conflict (folder_id, item_id, knowledge_base_id, principal_id, team_id) do update
set action = excluded.action, granted_by = excluded.granted_by, granted_at = now()
returning id, action, principal_id, team_id, granted_by, granted_at;

-- name: delete_grant
-- Take a grant on a folder or an item away.
delete from grants
where workspace_id = %(workspace_id)s and id = %(grant_id)s
  and (folder_id = %(subject_id)s or item_id = %(subject_id)s)
returning id, action, principal_id, team_id, granted_by, granted_at;

-- name: delete_grants
-- Take all grants on a folder or an item away.
delete from grants
where workspace_id = %(workspace_id)s and (folder_id = %(subject_id)s or item_id = %(subject_id)s);

-- name: list_grants
-- Read the grants on a folder or an item, in order of their ids.
select id, action, principal_id, team_id, granted_by, granted_at from grants
where workspace_id = %(workspace_id)s and (folder_id = %(subject_id)s or item_id = %(subject_id)s)
  and (%(after)s::uuid is null or id > %(after)s)
order by id
limit %(limit)s;

-- name: find_grant
-- Read one grant on a folder or an item.
select id, action, principal_id, team_id, granted_by, granted_at from grants
where workspace_id = %(workspace_id)s and id = %(grant_id)s
  and (folder_id = %(subject_id)s or item_id = %(subject_id)s);
