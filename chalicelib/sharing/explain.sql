-- name: readers
-- What statements put in the place of <readers>: the living principals that meet every clause of an audience.
-- Whoever meets them has a role in the workspace, if only a guest's: the first clause of an audience names the
-- workspace's readers or its owners, or whom an audience or a grant in the workspace names.
principals p
join (
    select held.principal_id
    from (
        select p.id as principal_id, unnest(array[p.kind || ':' || p.id, 'org:' || p.organization_id]) as token
        from principals p where p.organization_id = %(organization_id)s
        union all
        select t.principal_id, 'team:' || t.team_id from team_members t where t.organization_id = %(organization_id)s
        union all
        select m.principal_id, 'workspace:' || m.workspace_id from memberships m where m.workspace_id = %(workspace_id)s
        union all
        select m.principal_id, 'owner:' || m.workspace_id from memberships m
        where m.workspace_id = %(workspace_id)s and m.role = 'owner'
        union all
        select p.id, unnest(array['workspace:' || %(workspace_id)s, 'owner:' || %(workspace_id)s]) from principals p
        where p.organization_id = %(organization_id)s and p.organization_role = 'admin'
    ) held
    join (
        select clause.number, named.token
        from jsonb_array_elements(%(clauses)s) with ordinality as clause(tokens, number)
        cross join lateral jsonb_array_elements_text(clause.tokens) as named(token)
    ) wanted on wanted.token = held.token
    group by held.principal_id
    having count(distinct wanted.number) = jsonb_array_length(%(clauses)s)
) met on met.principal_id = p.id
left join memberships m on m.principal_id = p.id and m.workspace_id = %(workspace_id)s
where p.organization_id = %(organization_id)s and p.disabled_at is null
  and (p.kind <> 'agent' or p.environment is not distinct from %(environment)s)

-- name: list_readers
-- Read who is in an audience, in order of their ids, with role and teams.
select p.id, p.kind, p.name, p.organization_role, p.environment, m.role,
       array(select t.team_id from team_members t where t.principal_id = p.id) as team_ids
from <readers>
  and (%(after)s::uuid is null or p.id > %(after)s)
order by p.id
limit %(limit)s;

-- name: count_readers
-- Count by kind who is in an audience.
select p.kind, count(*) as count from <readers> group by p.kind;

-- name: list_grants_to
-- Read the grants on some folders and items whose grantees' access tokens are among these, with who gave them.
select g.*, giver.name as granted_by_name
from (
    select g.id, coalesce(g.folder_id, g.item_id) as subject_id, g.action, g.granted_by, g.granted_at,
           coalesce('team:' || g.team_id, p.kind || ':' || p.id) as token
    from grants g left join principals p on p.id = g.principal_id
    where g.workspace_id = %(workspace_id)s and (g.folder_id = any(%(subject_ids)s) or g.item_id = any(%(subject_ids)s))
) g
left join principals giver on giver.id = g.granted_by
where g.token = any(%(tokens)s)
order by g.id;

-- name: list_names
-- Read what some teams and members of an organization are called.
select t.id, 'team' as kind, t.name from teams t
where t.organization_id = %(organization_id)s and t.id = any(%(ids)s)
union all
select p.id, p.kind, p.name from principals p
where p.organization_id = %(organization_id)s and p.id = any(%(ids)s)
order by 3, 1;
