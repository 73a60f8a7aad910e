-- name: hold_places
-- Let nobody else say who may read in a workspace, and nobody write at a path of it, until commit.
select pg_advisory_xact_lock(hashtextextended('places ' || %(workspace_id)s::text, 0));

-- name: share_places
-- Write at a path while nobody says who may read there.
select pg_advisory_xact_lock_shared(hashtextextended('places ' || %(workspace_id)s::text, 0));

-- name: list_audiences
-- Read the audiences of a workspace that a holder is in: those of which a token of each clause is held. The tokens
-- come a line each: as one text, a thousand are told in a third of the time that they take as an array.
select coalesce(array_agg(met.audience_id), '{}') as audiences
from (
    select held.audience_id
    from (
        select distinct t.audience_id, t.clause, t.clauses
        from audience_tokens t
        where t.workspace_id = %(workspace_id)s and t.token = any(string_to_array(%(tokens)s, chr(10)))
          and (not %(is_agent)s or t.environment is not distinct from %(environment)s)
    ) held
    group by held.audience_id, held.clauses
    having count(*) = held.clauses
) met;

-- name: find_audiences
-- Read the numbers of those audiences that are kept.
select a.id, a.digest from audiences a where a.workspace_id = %(workspace_id)s and a.digest = any(%(digests)s);

-- name: add_audiences
-- Keep audiences, each once a workspace; in one order, so that whoever adds the same waits and not in a circle.
insert into audiences (workspace_id, digest, clauses, environment)
select %(workspace_id)s, decode(said.digest, 'hex'), said.clauses, said.environment
from jsonb_to_recordset(%(said)s) as said(digest text, clauses jsonb, environment text)
order by said.digest
on conflict (workspace_id, digest) do nothing;

-- name: plan_once
-- Let this transaction plan a statement once: each row's foreign keys are statements too, and planning one takes ten
-- times as long as running it.
select set_config('plan_cache_mode', 'auto', true);

-- name: look_by_index
-- Look by index for what has an audience, in this statement's foreign keys too: after rows were given new audiences
-- the planner counts on the ones before, and would read all of a table for each.
select set_config('enable_seqscan', 'off', true);

-- name: look_freely
-- Give the planner its freedom back.
select set_config('enable_seqscan', 'on', true);

-- name: delete_unused_audiences
-- Forget the audiences that nothing has any more; nobody can be about to use one while places are held. Those that are
-- used are read first, in one go: looked for one by one they may be looked for in all that the workspace has.
delete from audiences a
where a.workspace_id = %(workspace_id)s
  and a.id not in (
      select i.audience_id from items i where i.workspace_id = %(workspace_id)s and i.audience_id is not null
      union
      select u.audience_id from uploads u where u.workspace_id = %(workspace_id)s and u.audience_id is not null
  );

-- name: said
-- What statements put in the place of <said>: what was said about a `place`, settings and grants.
s.audience_kind, s.audience, coalesce(s.inherits, true) as inherits, coalesce(s.is_restricted, false) as is_restricted,
    s.environment,
    coalesce((
        select jsonb_agg(jsonb_build_array(coalesce('team:' || g.team_id, p.kind || ':' || p.id), g.action))
        from grants g left join principals p on p.id = g.principal_id
        where g.folder_id = place.folder_id or g.item_id = place.item_id
    ), '[]') as grants

-- name: list_places
-- Read what is said about the folders that a path lies in, and about the item there.
select place.*, <said>
from (
    select f.id as folder_id, null::uuid as item_id, f.path, null::text as creator
    from folders f
    where f.workspace_id = %(workspace_id)s and f.path = any(folders_of(%(path)s))
    union all
    select null, i.id, i.path, p.kind || ':' || p.id
    from items i left join principals p on p.id = i.created_by
    where i.workspace_id = %(workspace_id)s and i.id = %(item_id)s
) place
left join access_settings s on s.subject_id = coalesce(place.folder_id, place.item_id);

-- name: list_places_around
-- Read what is said about a folder, the folders that it lies in, and the folders and items in it.
select place.*, <said>
from (
    select f.id as folder_id, null::uuid as item_id, f.path, null::text as creator
    from folders f
    where f.workspace_id = %(workspace_id)s
      and (%(folder)s = '' or starts_with(f.path, %(folder)s || '/') or f.path = any(folders_of(%(folder)s || '/')))
    union all
    select null, i.id, i.path, p.kind || ':' || p.id
    from items i left join principals p on p.id = i.created_by
    where i.workspace_id = %(workspace_id)s and (%(folder)s = '' or starts_with(i.path, %(folder)s || '/'))
      and (i.id in (select said.item_id from access_settings said
                    where said.workspace_id = %(workspace_id)s and said.item_id is not null)
           or i.id in (select g.item_id from grants g where g.workspace_id = %(workspace_id)s and g.item_id is not null))
) place
left join access_settings s on s.subject_id = coalesce(place.folder_id, place.item_id);

-- name: put_audiences_by_folder
-- Give the items in a folder that nothing is said about themselves the audience of the nearest of some folders.
-- What is nearest is worked out once for each folder that items lie in.
with inner_folders as materialized (
    select distinct coalesce(substring(i.path from '^(.*)/'), '') as path
    from items i
    where i.workspace_id = %(workspace_id)s and (%(folder)s = '' or starts_with(i.path, %(folder)s || '/'))
), nearest as materialized (
    select distinct on (inner_folders.path) inner_folders.path, said.audience_id
    from inner_folders
    cross join lateral unnest(folders_of(inner_folders.path || '/')) with ordinality as step(path, depth)
    join jsonb_to_recordset(%(audiences_by_folder)s) as said(path text, audience_id bigint) on said.path = step.path
    order by inner_folders.path, step.depth desc
)
update items i set audience_id = nearest.audience_id
from nearest
where i.workspace_id = %(workspace_id)s and (%(folder)s = '' or starts_with(i.path, %(folder)s || '/'))
  and nearest.path = coalesce(substring(i.path from '^(.*)/'), '')
  and i.audience_id is distinct from nearest.audience_id and not i.id = any(%(said_themselves)s);

-- name: put_audiences_of_items
-- Give items their audiences.
update items i set audience_id = said.audience_id
from jsonb_to_recordset(%(audiences_by_item)s) as said(id uuid, audience_id bigint)
where i.id = said.id and i.workspace_id = %(workspace_id)s and i.audience_id is distinct from said.audience_id;

-- name: put_audiences_of_placed_uploads
-- Give the uploads that became items in a folder, or this one, the audience of their items.
update uploads u set audience_id = i.audience_id
from items i
where u.workspace_id = %(workspace_id)s and i.workspace_id = u.workspace_id and i.id = u.item_id
  and (i.id = %(item_id)s or %(item_id)s::uuid is null and (%(folder)s = '' or starts_with(i.path, %(folder)s || '/')))
  and u.audience_id is distinct from i.audience_id;

-- name: put_audiences_of_uploads_to
-- Give the uploads that are on their way to a living item the audience of that item.
update uploads u set audience_id = i.audience_id
from items i
where i.workspace_id = %(workspace_id)s and i.id = %(item_id)s and i.deleted_at is null
  and u.workspace_id = i.workspace_id and u.path = i.path and u.item_id is null
  and u.audience_id is distinct from i.audience_id;

-- name: put_audiences_of_other_uploads
-- Give the uploads to paths in a folder that became no item the audience of what lies there, or would lie there.
update uploads u set audience_id = found.audience_id
from (
    select distinct on (inner_u.id) inner_u.id, coalesce(i.audience_id, said.audience_id) as audience_id
    from uploads inner_u
    cross join lateral unnest(folders_of(inner_u.path)) with ordinality as step(path, depth)
    join jsonb_to_recordset(%(audiences_by_folder)s) as said(path text, audience_id bigint) on said.path = step.path
    left join items i on i.workspace_id = inner_u.workspace_id and i.path = inner_u.path and i.deleted_at is null
    where inner_u.workspace_id = %(workspace_id)s and inner_u.item_id is null
      and (%(folder)s = '' or starts_with(inner_u.path, %(folder)s || '/'))
    order by inner_u.id, step.depth desc
) found
where u.id = found.id and u.workspace_id = %(workspace_id)s and u.audience_id is distinct from found.audience_id;

-- name: find_buried
-- Find the item buried last at a path about which something was said, whoever may read it: what was said is to hold on.
select i.id, s.audience_kind, p.kind || ':' || p.id as creator
from items i
left join access_settings s on s.subject_id = i.id
left join principals p on p.id = i.created_by
where i.workspace_id = %(workspace_id)s and i.path = %(path)s and i.deleted_at is not null
  and (s.subject_id is not null or exists (select from grants g where g.item_id = i.id))
order by i.deleted_at desc, i.id desc
limit 1;

-- name: copy_settings
-- Say about one item what was said about another. Where what opened that one is left out and it was left to owners, the
-- other is restricted instead.
insert into access_settings (subject_id, workspace_id, item_id, audience_kind, audience, inherits, is_restricted,
                             environment, updated_by)
select %(item_id)s, s.workspace_id, %(item_id)s, s.audience_kind, s.audience, s.inherits or not %(with_opening)s,
       s.is_restricted or not (%(with_opening)s or s.inherits or s.audience_kind is not null), s.environment,
       s.updated_by
from access_settings s where s.subject_id = %(from_id)s and s.workspace_id = %(workspace_id)s;

-- name: copy_grants
-- Grant for one item what was granted for another.
insert into grants (id, workspace_id, item_id, principal_id, team_id, action, granted_by)
select gen_random_uuid(), g.workspace_id, %(item_id)s, g.principal_id, g.team_id, g.action, g.granted_by
from grants g where g.item_id = %(from_id)s and g.workspace_id = %(workspace_id)s;

-- name: find_new_reader
-- Find a living member of an organization who could read by one audience and cannot by the present one.
select 1 as found
from (
    select p.kind = 'agent' as is_agent, p.environment,
           array[p.kind || ':' || p.id, 'org:' || p.organization_id]
           || case when p.organization_role = 'admin' or m.role = 'owner'
                   then array['workspace:' || %(workspace_id)s::text, 'owner:' || %(workspace_id)s::text]
                   when m.role is not null then array['workspace:' || %(workspace_id)s::text]
                   else '{}' end
           || array(select 'team:' || t.team_id from team_members t where t.principal_id = p.id) as tokens
    from principals p
    left join memberships m on m.principal_id = p.id and m.workspace_id = %(workspace_id)s
    where p.organization_id = %(organization_id)s and p.disabled_at is null
) member
where (not member.is_agent or member.environment is not distinct from %(environment)s)
  and not exists (select from jsonb_array_elements(%(clauses)s::jsonb) as clause(tokens)
                  where not clause.tokens ?| member.tokens)
  and (
      member.is_agent and member.environment is distinct from %(present_environment)s
      or exists (select from jsonb_array_elements(%(present_clauses)s::jsonb) as clause(tokens)
                 where not clause.tokens ?| member.tokens)
  )
limit 1;
