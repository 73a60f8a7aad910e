-- name: insert_organization
-- Add a tenant.
insert into organizations (id, name) values (%(id)s, %(name)s)
returning id, name, created_at;

-- name: find_organization
-- Read one tenant.
select id, name, created_at from organizations where id = %(organization_id)s;

-- name: rename_organization
-- Give a tenant another name.
update organizations set name = %(name)s where id = %(organization_id)s
returning id, name, created_at;

-- name: any_organization
-- Tell whether the deployment has been set up.
select 1 as found from organizations limit 1;

-- name: insert_workspace
-- Add a workspace.
insert into workspaces (id, organization_id, slug, name, quotas)
values (%(id)s, %(organization_id)s, %(slug)s, %(name)s, %(quotas)s)
returning id, organization_id, slug, name, quotas, created_at;

-- name: update_workspace
-- Change what a workspace is called and may hold.
update workspaces
set slug = coalesce(%(slug)s, slug), name = coalesce(%(name)s, name), quotas = coalesce(%(quotas)s, quotas)
where id = %(workspace_id)s
returning id, organization_id, slug, name, quotas, created_at;

-- name: list_workspaces
-- Read the workspaces that a principal can reach.
select id, organization_id, slug, name, quotas, created_at
from workspaces
where id = any(%(workspace_ids)s)
order by slug, id;

-- name: find_workspaces_by_slug
-- Read the workspaces of all organizations that bear a slug: a drop names its workspace without a principal.
select id, organization_id, slug, name, quotas, created_at from workspaces where slug = %(slug)s limit 2;

-- name: find_workspace
-- Read one workspace by id.
select id, organization_id, slug, name, quotas, created_at from workspaces where id = %(workspace_id)s;

-- name: insert_principal
-- Add a user, agent or service.
insert into principals (id, organization_id, kind, name, email, organization_role)
values (%(id)s, %(organization_id)s, %(kind)s, %(name)s, %(email)s, %(organization_role)s);

-- name: list_members
-- Read the principals of an organization with their roles, one of them or all.
select p.id, p.kind, p.name, p.email, p.organization_role, p.created_at, p.disabled_at,
       coalesce((select jsonb_object_agg(m.workspace_id, m.role) from memberships m where m.principal_id = p.id),
                '{}') as roles
from principals p
where p.organization_id = %(organization_id)s
  and (%(principal_id)s::uuid is null or p.id = %(principal_id)s)
  and (%(after)s::uuid is null or p.id > %(after)s)
order by p.id
limit %(limit)s;

-- name: lock_admins
-- Lock the living admins of an organization, always in one order, so that two cannot step down at once.
select id from principals
where organization_id = %(organization_id)s and organization_role = 'admin' and disabled_at is null
order by id
for update;

-- name: update_principal
-- Change a principal's name, organization role or whether it may ask at all.
update principals
set name = coalesce(%(name)s, name),
    organization_role = coalesce(%(organization_role)s, organization_role),
    disabled_at = case %(disabled)s::boolean when true then coalesce(disabled_at, now()) when false then null
                       else disabled_at end
where id = %(principal_id)s and organization_id = %(organization_id)s;

-- name: put_membership
-- Give a principal a role in a workspace.
insert into memberships (organization_id, workspace_id, principal_id, role)
values (%(organization_id)s, %(workspace_id)s, %(principal_id)s, %(role)s)
on conflict (workspace_id, principal_id) do update set role = excluded.role;

-- name: delete_membership
-- Take a principal's role in a workspace away.
delete from memberships
where workspace_id = %(workspace_id)s and principal_id = %(principal_id)s
  and organization_id = %(organization_id)s;

-- name: insert_api_key
-- Add a key, hashed.
insert into api_keys (id, organization_id, principal_id, name, prefix, secret_hash, scopes, workspace_ids,
                      created_by, expires_at)
values (%(id)s, %(organization_id)s, %(principal_id)s, %(name)s, %(prefix)s, %(secret_hash)s, %(scopes)s,
        %(workspace_ids)s, %(created_by)s, %(expires_at)s)
returning id, principal_id, name, prefix, scopes, workspace_ids, created_at, expires_at, revoked_at, last_used_at;

-- name: list_api_keys
-- Read the keys of an organization, or of one of its principals, without their hashes.
select id, principal_id, name, prefix, scopes, workspace_ids, created_at, expires_at, revoked_at, last_used_at
from api_keys
where organization_id = %(organization_id)s
  and (%(principal_id)s::uuid is null or principal_id = %(principal_id)s)
  and (%(after)s::uuid is null or id > %(after)s)
order by id
limit %(limit)s;

-- name: revoke_api_key
-- End a key at once.
update api_keys set revoked_at = coalesce(revoked_at, %(now)s)
where id = %(api_key_id)s and organization_id = %(organization_id)s
  and (%(principal_id)s::uuid is null or principal_id = %(principal_id)s)
returning id, principal_id, name, prefix, scopes, workspace_ids, created_at, expires_at, revoked_at, last_used_at;

-- name: authenticate
-- Read everything that a request's principal is, from the prefix of its key, in one go.
select k.id as api_key_id, k.secret_hash, k.scopes, k.expires_at, k.revoked_at, k.last_used_at,
       k.workspace_ids is not null as is_limited, p.id, p.organization_id, p.kind, p.name, p.organization_role, p.disabled_at,
       coalesce((
           select jsonb_object_agg(w.id, case p.organization_role when 'admin' then 'owner' else m.role end)
           from workspaces w
           left join memberships m on m.workspace_id = w.id and m.principal_id = p.id
           where w.organization_id = p.organization_id
             and (p.organization_role = 'admin' or m.role is not null)
             and (k.workspace_ids is null or w.id = any(k.workspace_ids))
       ), '{}') as roles
from api_keys k
join principals p on p.id = k.principal_id
where k.prefix = %(prefix)s;

-- name: touch_api_key
-- Note when a key was last used, to the minute.
update api_keys set last_used_at = %(now)s where id = %(api_key_id)s;
