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

-- name: lock_founding
-- Let one starter at a time look whether anything has been founded.
select pg_advisory_xact_lock(hashtextextended('founding', 0));

-- name: any_organization
-- Tell whether the deployment has been set up.
select 1 as found from organizations limit 1;

-- name: insert_workspace
-- Add a workspace.
insert into workspaces (id, organization_id, slug, name, quotas)
values (%(id)s, %(organization_id)s, %(slug)s, %(name)s, %(quotas)s)
returning id, organization_id, slug, name, quotas, created_at, record_reads;

-- name: update_workspace
-- Change what a workspace is called and may hold.
update workspaces
set slug = coalesce(%(slug)s, slug), name = coalesce(%(name)s, name), quotas = coalesce(%(quotas)s, quotas),
    record_reads = coalesce(%(record_reads)s, record_reads)
where id = %(workspace_id)s
returning id, organization_id, slug, name, quotas, created_at, record_reads;

-- name: list_workspaces
-- Read the workspaces that a principal can reach, the oldest first: a new one must not become anybody's default.
select id, organization_id, slug, name, quotas, created_at, record_reads
from workspaces
where id = any(%(workspace_ids)s)
order by created_at, id;

-- name: find_workspaces_by_slug
-- Read the workspaces of all organizations that bear a slug: a drop names its workspace without a principal.
select id, organization_id, slug, name, quotas, created_at, record_reads from workspaces where slug = %(slug)s limit 2;

-- name: find_workspace
-- Read one workspace by id.
select id, organization_id, slug, name, quotas, created_at, record_reads from workspaces where id = %(workspace_id)s;

-- name: insert_principal
-- Add a user, agent or service.
insert into principals (id, organization_id, kind, name, email, organization_role, environment)
values (%(id)s, %(organization_id)s, %(kind)s, %(name)s, %(email)s, %(organization_role)s, %(environment)s);

-- name: list_members
-- Read the principals of an organization with their roles, one of them or all.
select p.id, p.kind, p.name, p.email, p.organization_role, p.created_at, p.disabled_at, p.environment,
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
-- Change a principal's name, organization role, environment or whether it may ask at all.
update principals
set name = coalesce(%(name)s, name),
    organization_role = coalesce(%(organization_role)s, organization_role),
    environment = case when %(is_moved)s then %(environment)s else environment end,
    disabled_at = case %(disabled)s::boolean when true then coalesce(disabled_at, now()) when false then null
                       else disabled_at end
where id = %(principal_id)s and organization_id = %(organization_id)s;

-- name: delete_principal
-- Remove a principal with its keys, roles, teams and grants; what it made stays.
delete from principals where id = %(principal_id)s and organization_id = %(organization_id)s;

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

-- name: whole_principal
-- What statements put in the place of <whole_principal>: all that a principal `p` is, with its role in each workspace
-- that the credential `k` reaches. A guest is who has no role where something is open to it all the same.
p.id, p.organization_id, p.kind, p.name, p.organization_role, p.disabled_at, p.environment,
       coalesce((select array_agg(t.team_id) from team_members t where t.principal_id = p.id), '{}') as team_ids,
       coalesce((
           select jsonb_object_agg(w.id, case p.organization_role when 'admin' then 'owner' else coalesce(m.role, 'guest') end)
           from workspaces w
           left join memberships m on m.workspace_id = w.id and m.principal_id = p.id
           where w.organization_id = p.organization_id
             and (k.workspace_ids is null or w.id = any(k.workspace_ids))
             and (
                 p.organization_role = 'admin' or m.role is not null
                 or w.id in (
                     select s.workspace_id from access_settings s
                     where s.audience_kind <> 'only_me' and s.audience && (
                         array['org:' || p.organization_id, p.kind || ':' || p.id]
                         || array(select 'team:' || t.team_id from team_members t where t.principal_id = p.id)
                     )
                     union all
                     select g.workspace_id from grants g where g.principal_id = p.id
                     union all
                     select g.workspace_id from grants g join team_members t on t.team_id = g.team_id
                     where t.principal_id = p.id
                     union all
                     select b.workspace_id from knowledge_bases b where b.visibility = 'organization'
                 )
             )
       ), '{}') as roles

-- name: find_principal
-- Read everything that a living principal of an organization is, without a credential that limits it.
select <whole_principal>
from principals p
cross join (select null::uuid[] as workspace_ids) k
where p.id = %(principal_id)s and p.organization_id = %(organization_id)s and p.disabled_at is null;
