-- name: hold_places
-- Let nobody else say who may read in a workspace, and nobody write at a path of it, until commit.
select pg_advisory_xact_lock(hashtextextended('places ' || %(workspace_id)s::text, 0));

-- name: share_places
-- Write at a path while nobody says who may read there.
select pg_advisory_xact_lock_shared(hashtextextended('places ' || %(workspace_id)s::text, 0));

-- name: list_audiences
-- Read the audiences of a workspace that every one of the holders is in.
select a.id from audiences a
where a.workspace_id = %(workspace_id)s
  and not exists (
      select from jsonb_array_elements(%(holders)s::jsonb) as holder(who)
      where (holder.who -> 'is_agent')::boolean and a.environment is distinct from holder.who ->> 'environment'
         or exists (
             select from jsonb_array_elements(a.clauses) as clause(tokens)
             where not clause.tokens ?| array(select jsonb_array_elements_text(holder.who -> 'tokens'))
         )
  );

-- name: put_audience
-- Keep an audience once a workspace.
insert into audiences (workspace_id, digest, clauses, environment)
values (%(workspace_id)s, %(digest)s, %(clauses)s, %(environment)s)
on conflict (workspace_id, digest) do nothing
returning id;

-- name: find_audience
-- Read the number of an audience that is kept.
select a.id from audiences a where a.workspace_id = %(workspace_id)s and a.digest = %(digest)s;

-- name: delete_unused_audiences
-- Forget the audiences that nothing has any more; nobody can be about to use one while places are held.
delete from audiences a
where a.workspace_id = %(workspace_id)s
  and not exists (select from items i where i.workspace_id = a.workspace_id and i.audience_id = a.id)
  and not exists (select from uploads u where u.workspace_id = a.workspace_id and u.audience_id = a.id);

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
update items i set audience_id = nearest.audience_id
from (
    select distinct on (inner_i.id) inner_i.id, said.audience_id
    from items inner_i
    cross join lateral unnest(folders_of(inner_i.path)) with ordinality as step(path, depth)
    join jsonb_to_recordset(%(audiences_by_folder)s) as said(path text, audience_id bigint) on said.path = step.path
    where inner_i.workspace_id = %(workspace_id)s
      and (%(folder)s = '' or starts_with(inner_i.path, %(folder)s || '/'))
    order by inner_i.id, step.depth desc
) nearest
where i.id = nearest.id and i.workspace_id = %(workspace_id)s and i.audience_id is distinct from nearest.audience_id
  and not i.id = any(%(said_themselves)s);

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
-- Say about one item what was said about another.
insert into access_settings (subject_id, workspace_id, item_id, audience_kind, audience, inherits, is_restricted,
                             environment, updated_by)
select %(item_id)s, s.workspace_id, %(item_id)s, s.audience_kind, s.audience, s.inherits, s.is_restricted,
       s.environment, s.updated_by
from access_settings s where s.subject_id = %(from_id)s and s.workspace_id = %(workspace_id)s;

-- name: copy_grants
-- Grant for one item what was granted for another.
insert into grants (id, workspace_id, item_id, principal_id, team_id, action, granted_by)
select gen_random_uuid(), g.workspace_id, %(item_id)s, g.principal_id, g.team_id, g.action, g.granted_by
from grants g where g.item_id = %(from_id)s and g.workspace_id = %(workspace_id)s;
