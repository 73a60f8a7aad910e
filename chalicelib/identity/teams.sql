-- name: insert_team
-- Add a team, unless another one has its name.
insert into teams (id, organization_id, name) values (%(id)s, %(organization_id)s, %(name)s)
on conflict do nothing
returning id, name, created_at;

-- name: list_teams
-- Read the teams of an organization, or those that one of its principals is in.
select t.id, t.name, t.created_at
from teams t
where t.organization_id = %(organization_id)s
  and (%(team_id)s::uuid is null or t.id = %(team_id)s)
  and (%(principal_id)s::uuid is null
       or exists (select from team_members m where m.team_id = t.id and m.principal_id = %(principal_id)s))
  and (%(after)s::uuid is null or t.id > %(after)s)
order by t.id
limit %(limit)s;

-- name: rename_team
-- Give a team another name.
update teams set name = %(name)s where id = %(team_id)s and organization_id = %(organization_id)s
returning id, name, created_at;

-- name: delete_team
-- Remove a team with its grants; its members stay.
delete from teams where id = %(team_id)s and organization_id = %(organization_id)s;

-- name: list_team_members
-- Read who is in a team.
select p.id, p.name, p.email, m.created_at
from team_members m
join principals p on p.id = m.principal_id
where m.team_id = %(team_id)s and m.organization_id = %(organization_id)s
  and (%(after)s::uuid is null or p.id > %(after)s)
order by p.id
limit %(limit)s;

-- name: hold_team
-- Keep a team from being deleted until the transaction ends.
select 1 as held from teams where id = %(team_id)s and organization_id = %(organization_id)s for key share;

-- name: find_kind
-- Read what a principal of the organization is, and keep it from being removed until the transaction ends.
select kind from principals where id = %(principal_id)s and organization_id = %(organization_id)s for key share;

-- name: put_team_member
-- Put a user into a team, where it is not in it.
insert into team_members (organization_id, team_id, principal_id)
values (%(organization_id)s, %(team_id)s, %(principal_id)s)
on conflict do nothing;

-- name: delete_team_member
-- Take a user out of a team.
delete from team_members
where organization_id = %(organization_id)s and team_id = %(team_id)s and principal_id = %(principal_id)s;
