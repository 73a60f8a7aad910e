-- name: list_organizations
-- Read the organizations of the deployment for whoever operates it.
select id, name, created_at from organizations
where %(organization_id)s::uuid is null or id = %(organization_id)s
order by created_at, id limit 20;

-- name: find_admin
-- Read who of an organization's living admins is a user and has been for longest.
select p.id, p.name from principals p
where p.organization_id = %(organization_id)s and p.organization_role = 'admin' and p.kind = 'user'
  and p.disabled_at is null
order by p.created_at, p.id limit 1;
