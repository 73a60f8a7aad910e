-- name: find_choice
-- Read which spaces an organization has.
select active_space, filling_space, former_space, filling_since from embedding_choices
where organization_id = %(organization_id)s;

-- name: share_choice
-- Read which spaces a workspace's organization has, and let none change until the transaction ends.
select c.active_space, c.filling_space, c.former_space, c.filling_since
from embedding_choices c
join workspaces w on w.organization_id = c.organization_id
where w.id = %(workspace_id)s
for share of c;

-- name: find_choice_of_workspace
-- Read which spaces a workspace's organization has.
select w.organization_id, c.active_space, c.filling_space, c.former_space, c.filling_since
from workspaces w left join embedding_choices c on c.organization_id = w.organization_id
where w.id = %(workspace_id)s;

-- name: lock_choice
-- Read which spaces an organization has, and keep everybody else from changing them or writing by them.
select active_space, filling_space, former_space, filling_since from embedding_choices
where organization_id = %(organization_id)s for update;

-- name: adopt_space
-- Give an organization that has no active space the one that is offered by default, if any is.
insert into embedding_choices as c (organization_id, active_space) values (%(organization_id)s, %(space)s)
on conflict (organization_id) do update set active_space = excluded.active_space
where c.active_space is null and excluded.active_space is not null
returning c.organization_id;

-- name: put_choice
-- Say which spaces an organization has; it is locked.
update embedding_choices
set active_space = %(active)s, filling_space = %(filling)s, former_space = %(former)s, filling_since = %(filling_since)s
where organization_id = %(organization_id)s;

-- name: list_workspaces
-- Read the workspaces of an organization that have chunks, on behalf of what fills all of them, and those that are empty
-- now and of which it is kept how far they were.
select w.id from workspaces w
where w.organization_id = %(organization_id)s
  and (exists (select from language_statistics s where s.workspace_id = w.id and s.chunks > 0)
       or exists (select from embedding_fills f where f.workspace_id = w.id and f.space = %(space)s))
order by w.created_at, w.id;

-- name: list_active
-- Read the spaces that organizations are searched in.
select distinct active_space from embedding_choices where active_space is not null order by active_space;

-- name: list_undecided
-- Find organizations that have no active space though there is something to find in them.
select distinct w.organization_id
from workspaces w
left join embedding_choices c on c.organization_id = w.organization_id
join language_statistics s on s.workspace_id = w.id and s.chunks > 0
where c.active_space is null
limit %(limit)s;

-- name: list_waiting
-- Find workspaces with items that wait for vectors and no job that brings them, whose active space is offered.
select distinct i.workspace_id, c.active_space
from items i
join workspaces w on w.id = i.workspace_id
join embedding_choices c on c.organization_id = w.organization_id and c.active_space = any(%(spaces)s)
where i.index_state = 'text_ready' and i.deleted_at is null
  and not exists (select from jobs j
                  where j.workspace_id = i.workspace_id and j.state in ('waiting', 'running')
                    and (j.kind = 'index_item' and j.key = i.id::text
                         or j.kind = 'fill_space' and j.key = w.id || ':' || c.active_space))
limit %(limit)s;

-- name: estimate_fill
-- Count an organization's chunks and their tokens, and what a chunk has taken so far in a space, wherever it was filled.
select counted.chunks, counted.tokens, spent.chunks as known_chunks, spent.seconds as known_seconds
from (select count(*) as chunks, coalesce(sum(c.tokens), 0)::bigint as tokens
      from chunks c
      where c.workspace_id in (select w.id from workspaces w where w.organization_id = %(organization_id)s)) counted,
     (select coalesce(sum(f.chunks_done - f.chunks_reused), 0)::bigint as chunks,
             coalesce(sum(f.seconds), 0)::double precision as seconds
      from embedding_fills f where f.space = %(space)s) spent;
