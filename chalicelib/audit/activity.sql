-- name: insert_activity
-- Add an entry, and note with it whether the thing is kept from owners: a clause of its audience has neither them nor
-- the whole workspace, or it is in none though it is an item or an upload. A read is added where the workspace asks.
insert into activity (
    id, recorded_at, organization_id, workspace_id, actor_id, actor_kind, actor_name, api_key_id, on_behalf_of,
    request_id, action, outcome, subject_kind, subject_id, is_kept_from_owners, before, after
)
select
    %(id)s, %(recorded_at)s,
    coalesce(%(organization_id)s, (select w.organization_id from workspaces w where w.id = %(workspace_id)s)),
    %(workspace_id)s, %(actor_id)s, %(actor_kind)s, %(actor_name)s, %(api_key_id)s, %(on_behalf_of)s,
    %(request_id)s, %(action)s, %(outcome)s, %(subject_kind)s, %(subject_id)s,
    coalesce(
        (
            select exists (
                select from jsonb_array_elements(a.clauses) as clause(tokens)
                where not clause.tokens ?| array['owner:' || a.workspace_id, 'workspace:' || a.workspace_id]
            )
            from audiences a
            where a.workspace_id = %(workspace_id)s and a.id = case %(subject_kind)s
                when 'item' then
                    (select i.audience_id from items i where i.workspace_id = %(workspace_id)s and i.id = %(subject_id)s)
                when 'upload' then
                    (select u.audience_id from uploads u where u.workspace_id = %(workspace_id)s and u.id = %(subject_id)s)
                else %(audience_id)s::bigint
            end
        ),
        %(subject_kind)s in ('item', 'upload') or %(audience_id)s::bigint is not null
    ),
    %(before)s, %(after)s
where not %(is_read)s
   or exists (select from workspaces w where w.id = %(workspace_id)s and w.record_reads);

-- name: list_activity
-- Read entries, the latest first, of a workspace or a whole organization. What is about an item or an upload is shown to
-- whom may read that now; once it is gone, to owners if it was not kept from them then, and to who did it.
select a.id, a.recorded_at, a.organization_id, a.workspace_id, a.actor_id, a.actor_kind, a.actor_name, a.api_key_id,
       a.on_behalf_of, a.request_id, a.action, a.outcome, a.subject_kind, a.subject_id, a.before, a.after
from activity a
left join items i on a.subject_kind = 'item' and i.id = a.subject_id and i.workspace_id = a.workspace_id
left join uploads u on a.subject_kind = 'upload' and u.id = a.subject_id and u.workspace_id = a.workspace_id
where a.organization_id = %(organization_id)s
  and (%(workspace_id)s::uuid is null or a.workspace_id = %(workspace_id)s)
  and (%(below)s::uuid is null or a.id < %(below)s)
  and (%(from)s::uuid is null or a.id >= %(from)s)
  and (%(actor_id)s::uuid is null or a.actor_id = %(actor_id)s)
  and (%(action)s::text is null or a.action = %(action)s)
  and (%(outcome)s::text is null or a.outcome = %(outcome)s)
  and (%(subject_kind)s::text is null or a.subject_kind = %(subject_kind)s)
  and (%(subject_id)s::uuid is null or a.subject_id = %(subject_id)s)
  and case
      when i.id is not null then readable(i.audience_id, %(audiences)s)
      when u.id is not null then readable(u.audience_id, %(audiences)s)
      else not a.is_kept_from_owners or a.actor_id = %(principal_id)s
  end
order by a.id desc
limit %(limit)s;

-- name: count_refusal
-- Count one more refusal of somebody in a minute, and return how many there were.
insert into refusals (organization_id, actor_id, actor_kind, actor_name, minute, count)
values (%(organization_id)s, %(actor_id)s, %(actor_kind)s, %(actor_name)s, %(minute)s, 1)
on conflict (organization_id, actor_id, minute) do update set count = refusals.count + 1
returning count;

-- name: take_counted_refusals
-- Take the counts of minutes that are over, of one principal or of all.
delete from refusals r
where r.minute < %(minute)s and (%(actor_id)s::uuid is null or r.actor_id = %(actor_id)s)
returning r.organization_id, r.actor_id, r.actor_kind, r.actor_name, r.minute, r.count;

-- name: records_reads
-- Tell whether a workspace asks for its reads to be recorded.
select w.record_reads from workspaces w where w.id = %(workspace_id)s;
