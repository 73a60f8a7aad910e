-- name: insert_job
-- Promise a job, or join the one of the same kind and key that no worker has touched; the row stays locked till commit.
insert into jobs (id, workspace_id, kind, key, serial_key, payload, not_before, correlation_id, created_by,
                  created_at, updated_at)
values (%(id)s, %(workspace_id)s, %(kind)s, %(key)s, %(serial_key)s, %(payload)s, %(not_before)s,
        %(correlation_id)s, %(created_by)s, %(now)s, %(now)s)
on conflict (kind, key) where is_untouched do update
    set payload = excluded.payload,
        not_before = least(jobs.not_before, excluded.not_before),
        updated_at = excluded.updated_at
returning id

-- name: claim_job
-- Take the lease of a job that is due, or whose worker died, where its serial key is free and its turn has come.
update jobs
set state = 'running', is_untouched = false, is_put_off = false, attempts = attempts + 1, fence = fence + 1,
    leased_by = %(worker)s, lease_expires_at = %(lease_expires_at)s, updated_at = %(now)s
where id = (
    select j.id
    from jobs j
    where j.id = %(job_id)s
      and j.attempts < %(max_attempts)s
      and (j.state = 'waiting' and j.not_before <= %(now)s or j.state = 'running' and j.lease_expires_at <= %(now)s)
      and (j.serial_key is null or j.state = 'running' or not exists (
          select from jobs other
          where other.serial_key = j.serial_key and other.id <> j.id
            and (other.state = 'running'
                 or other.state = 'waiting' and other.number < j.number and not other.is_put_off)))
    for update of j skip locked)
returning *

-- name: find_job
-- One job, as a worker finds it.
select * from jobs where id = %(job_id)s

-- name: find_workspace_job
-- One job of a workspace.
select * from jobs where id = %(job_id)s and workspace_id = %(workspace_id)s

-- name: lock_workspace_job
-- One job of a workspace, kept from everyone else until the end of the transaction.
select * from jobs where id = %(job_id)s and workspace_id = %(workspace_id)s for update

-- name: lock_leased_job
-- The job if this lease still holds, kept until the end of the transaction.
select * from jobs where id = %(job_id)s and fence = %(fence)s and state = 'running' for update

-- name: lock_exhausted_job
-- The job if it has used up its attempts and its last worker died.
select * from jobs
where id = %(job_id)s and state = 'running' and lease_expires_at <= %(now)s and attempts >= %(max_attempts)s
for update skip locked

-- name: extend_lease
-- Renew a lease that still holds.
update jobs set lease_expires_at = %(lease_expires_at)s
where id = %(job_id)s and fence = %(fence)s and state = 'running'

-- name: finish_job
-- End a locked job; the fence moves, so that nobody else's effects pass any more.
update jobs
set state = %(state)s, is_untouched = false, leased_by = null, lease_expires_at = null, fence = fence + 1,
    finished_at = %(now)s, updated_at = %(now)s,
    last_error = coalesce(%(last_error)s, last_error)
where id = %(job_id)s

-- name: return_job
-- Give a locked job back for a later attempt: now, where it was woken while it ran.
update jobs
set state = 'waiting', leased_by = null, lease_expires_at = null, fence = fence + 1,
    not_before = case when woken_fence = fence then least(%(not_before)s, %(now)s) else %(not_before)s end,
    is_put_off = %(is_put_off)s, attempts = %(attempts)s, updated_at = %(now)s, last_error = %(last_error)s
where id = %(job_id)s
returning not_before

-- name: redrive_job
-- Give a dead job its attempts back; the reason of its death goes to the history (the last ten are kept).
update jobs
set state = 'waiting', attempts = 0, not_before = %(now)s, finished_at = null, updated_at = %(now)s,
    history = case when jsonb_array_length(history) >= 10 then history - 0 else history end
              || jsonb_build_array(last_error),
    last_error = null
where id = %(job_id)s and state = 'dead'

-- name: cancel_key
-- Cancel the open jobs of a key in a workspace; one that is locked finds out by itself (waiting for it could deadlock).
update jobs
set state = 'cancelled', is_untouched = false, leased_by = null, lease_expires_at = null, fence = fence + 1,
    finished_at = %(now)s, updated_at = %(now)s
where id in (
    select id from jobs
    where key = %(key)s and workspace_id = %(workspace_id)s and state in ('waiting', 'running', 'dead')
    for update skip locked)

-- name: supersede
-- Give up the dead letters, and what is put off, whose work is promised anew: nobody has to look at them any more.
update jobs
set state = 'cancelled', finished_at = %(now)s, updated_at = %(now)s
where id in (
    select id from jobs
    where kind = %(kind)s and key = %(key)s and (state = 'dead' or state = 'waiting' and is_put_off)
    for update skip locked)

-- name: next_of_serial_key
-- The job whose turn it is.
select id, kind, correlation_id from jobs
where serial_key = %(serial_key)s and state = 'waiting' and not_before <= %(now)s
order by number limit 1

-- name: list_due
-- What can be claimed now, in turns among the workspaces, what was put off after the rest; a dead worker's job is listed
-- even where it is excepted.
select id, kind, correlation_id
from (
    select j.id, j.kind, j.correlation_id, j.number, j.not_before, j.is_put_off,
           row_number() over (partition by j.workspace_id order by j.is_put_off, j.not_before, j.number) as turn
    from jobs j
    where (j.state = 'waiting' and j.not_before <= %(due_before)s
           or j.state = 'running' and j.lease_expires_at <= %(now)s)
      and not (j.state = 'waiting' and j.id = any(%(except_ids)s))
      and (j.serial_key is null or j.state = 'running' or not exists (
          select from jobs other
          where other.serial_key = j.serial_key and other.id <> j.id
            and (other.state = 'running'
                 or other.state = 'waiting' and other.number < j.number and not other.is_put_off)))
) due
order by turn, is_put_off, not_before, number
limit %(limit)s

-- name: next_moment
-- When the next job falls due or the next lease ends, if any.
select least(
    (select min(not_before) from jobs where state = 'waiting' and not_before > %(now)s),
    (select min(lease_expires_at) from jobs where state = 'running')) as moment

-- name: list_exhausted
-- Jobs that have used up their attempts and whose last worker died.
select id from jobs
where state = 'running' and lease_expires_at <= %(now)s and attempts >= %(max_attempts)s
order by lease_expires_at limit %(limit)s

-- name: read_backlog
-- How many jobs are open, and since when the first of them is due; those for now run, or are due before some time.
select count(*) as open, min(not_before) as due_since,
       count(*) filter (where state = 'running' or not_before < %(before)s) as open_for_now
from jobs where state in ('waiting', 'running')

-- name: delete_old_jobs
-- Forget jobs that were done or cancelled long ago.
delete from jobs where id in (
    select id from jobs where state in ('done', 'cancelled') and finished_at < %(before)s
    order by finished_at limit %(limit)s for update skip locked)

-- name: release_leases
-- Give back what a worker holds that stops in good order: the attempt does not count.
update jobs
set state = 'waiting', leased_by = null, lease_expires_at = null, fence = fence + 1,
    attempts = greatest(attempts - 1, 0), not_before = %(now)s, updated_at = %(now)s
where state = 'running' and leased_by = %(worker)s

-- name: expire_leases
-- End the leases of dead workers of this machine; their attempts count.
update jobs set lease_expires_at = %(now)s
where state = 'running' and starts_with(leased_by, %(prefix)s) and leased_by <> %(worker)s
  and lease_expires_at > %(now)s

-- name: wake_returned
-- Let no job wait for its next attempt any longer.
update jobs set not_before = %(now)s
where state = 'waiting' and last_error is not null and not is_untouched and not_before > %(now)s

-- name: wake_waiting
-- Let the jobs of an organization that wait for one thing be due now; one that runs, and may be about to, is marked.
update jobs
set not_before = case state when 'waiting' then %(now)s else not_before end,
    woken_fence = case state when 'running' then fence else woken_fence end
where id in (
    select id from jobs
    where (state = 'running' or state = 'waiting' and is_put_off and last_error ->> 'type' = %(problem_type)s)
      and (workspace_id is null
           or workspace_id in (select w.id from workspaces w where w.organization_id = %(organization_id)s))
    order by id for update)
returning id, kind, correlation_id, state

-- name: list_jobs
-- A page of a workspace's jobs, the newest first, after the cursor's job.
select * from jobs
where workspace_id = %(workspace_id)s
  and (%(states)s::text[] is null or state = any(%(states)s))
  and (%(kind)s::text is null or kind = %(kind)s)
  and (%(after_created_at)s::timestamptz is null
       or (created_at, id) < (%(after_created_at)s, %(after_id)s::uuid))
order by created_at desc, id desc
limit %(limit)s

-- name: count_jobs
-- How many jobs of a workspace are in each state.
select state, count(*) as jobs from jobs where workspace_id = %(workspace_id)s group by state
