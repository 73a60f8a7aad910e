-- name: put_fill
-- Promise that a workspace is filled in a space (or rid of it); what was counted before begins anew.
insert into embedding_fills (workspace_id, space, state) values (%(workspace_id)s, %(space)s, %(state)s)
on conflict (workspace_id, space) do update
set state = excluded.state, chunks_total = 0, chunks_done = 0, chunks_reused = 0, tokens = 0, seconds = 0,
    problem = null, started_at = null, finished_at = null;

-- name: reopen_fill
-- Promise that what came to a workspace meanwhile is filled as well; what was counted goes on.
insert into embedding_fills (workspace_id, space, state) values (%(workspace_id)s, %(space)s, 'waiting')
on conflict (workspace_id, space) do update set state = 'waiting', problem = null, finished_at = null;

-- name: begin_fill
-- Say that the work goes on, and how much there is to do where it was counted.
update embedding_fills
set state = 'filling', problem = null, finished_at = null, started_at = coalesce(started_at, now()),
    chunks_total = coalesce(chunks_done + %(lacking)s, chunks_total)
where workspace_id = %(workspace_id)s and space = %(space)s and state <> 'forgetting';

-- name: count_filled
-- Count what was done.
update embedding_fills
set chunks_done = chunks_done + %(done)s, chunks_reused = chunks_reused + %(reused)s, tokens = tokens + %(tokens)s,
    seconds = seconds + %(seconds)s, problem = null
where workspace_id = %(workspace_id)s and space = %(space)s;

-- name: end_fill
-- Say that a fill is done, or why it stopped.
update embedding_fills set state = %(state)s, problem = %(problem)s::jsonb, finished_at = now()
where workspace_id = %(workspace_id)s and space = %(space)s and state <> 'forgetting';

-- name: show_problem
-- Say what a fill waits for.
update embedding_fills set problem = %(problem)s::jsonb where workspace_id = %(workspace_id)s and space = %(space)s;

-- name: delete_fill
-- Forget how far a workspace was in a space that it was to be rid of.
delete from embedding_fills
where workspace_id = %(workspace_id)s and space = %(space)s and state = 'forgetting';

-- name: list_fills
-- Read how far the workspaces of an organization are in a space, with what failed and what there is at all.
select w.id as workspace_id, f.state, f.started_at, f.chunks_total, f.chunks_done, f.chunks_reused, f.tokens, f.seconds, f.problem,
       coalesce((select sum(s.chunks) from language_statistics s where s.workspace_id = w.id), 0)::bigint as chunks,
       coalesce((select jsonb_object_agg(failed.reason, failed.chunks) from (
           select x.reason, count(*) as chunks from embedding_failures x
           where x.workspace_id = w.id and x.space = %(space)s group by x.reason) failed), '{}') as failures
from workspaces w
left join embedding_fills f on f.workspace_id = w.id and f.space = %(space)s
where w.organization_id = %(organization_id)s
order by w.created_at, w.id;

-- name: list_stopped_fills
-- Find fills that stopped for want of an embedder that is offered now.
select f.workspace_id, f.space from embedding_fills f
where f.state = 'stopped' and f.problem ->> 'type' = %(problem_type)s and f.space = any(%(spaces)s)
limit %(limit)s;

-- name: forget_failures
-- Let what failed in a space be tried again.
delete from embedding_failures where workspace_id = %(workspace_id)s and space = %(space)s;

-- name: insert_failures
-- Remember which chunks have no usable vector in a space, and why.
insert into embedding_failures (workspace_id, chunk_id, space, reason)
select %(workspace_id)s, failed.chunk_id, %(space)s, failed.reason
from unnest(%(chunk_ids)s::uuid[], %(reasons)s::text[]) as failed (chunk_id, reason)
on conflict do nothing;

-- name: look_around
-- Count the earlier fills that run beside this one, and tell whether other work waits for a worker.
select (select count(*) from jobs where kind = 'fill_space' and state = 'running' and id < %(job_id)s) as fills,
       exists (select from jobs
               where state = 'waiting' and not_before <= %(now)s and kind not in ('fill_space', 'forget_space')) as is_busy;

-- name: lock_fill
-- Hold how far a workspace is, so that nobody promises more of it until the transaction ends.
select state from embedding_fills where workspace_id = %(workspace_id)s and space = %(space)s for update;
