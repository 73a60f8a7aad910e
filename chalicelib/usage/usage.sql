-- name: add_usage
-- Count what a process has not written yet, unless the ledger has heard of this flush; in one order, for others do it too.
with fresh as (
    insert into usage_meters as m (id, flush, flushed_at) values (%(meter_id)s, %(flush)s, %(now)s)
    on conflict (id) do update set flush = excluded.flush, flushed_at = excluded.flushed_at where m.flush < excluded.flush
    returning id
), given as (
    select coalesce(w.organization_id, t.organization_id) as organization_id, t.workspace_id, t.day, t.purpose, t.kind,
           t.model, t.calls, t.input_tokens, t.output_tokens
    from unnest(%(organization_ids)s::uuid[], %(workspace_ids)s::uuid[], %(days)s::date[], %(purposes)s::text[],
                %(kinds)s::text[], %(models)s::text[], %(calls)s::bigint[], %(input_tokens)s::bigint[],
                %(output_tokens)s::bigint[])
         as t (organization_id, workspace_id, day, purpose, kind, model, calls, input_tokens, output_tokens)
    left join workspaces w on w.id = t.workspace_id
    join organizations o on o.id = coalesce(w.organization_id, t.organization_id)
    where exists (select from fresh)
), counted as (
    insert into model_usage as u (organization_id, workspace_id, day, purpose, kind, model, calls, input_tokens, output_tokens)
    select organization_id, workspace_id, day, purpose, kind, model, least(sum(calls), %(most)s),
           least(sum(input_tokens), %(most)s), least(sum(output_tokens), %(most)s)
    from given
    group by 1, 2, 3, 4, 5, 6
    order by 1, 2, 3, 4, 5, 6
    on conflict (organization_id, day, workspace_id, purpose, kind, model) do update
        set calls = least(u.calls::numeric + excluded.calls, %(most)s),
            input_tokens = least(u.input_tokens::numeric + excluded.input_tokens, %(most)s),
            output_tokens = least(u.output_tokens::numeric + excluded.output_tokens, %(most)s)
    returning 1
)
insert into model_spending as s (organization_id, workspace_id, month, model, input_tokens, output_tokens)
select organization_id, place, date_trunc('month', day)::date, model, least(sum(input_tokens), %(most)s),
       least(sum(output_tokens), %(most)s)
from (select g.*, null::uuid as place from given g union all select g.*, g.workspace_id from given g
      where g.workspace_id is not null) placed
group by 1, 2, 3, 4
order by 1, 2 nulls first, 3, 4
on conflict (organization_id, month, workspace_id, model) do update
    set input_tokens = least(s.input_tokens::numeric + excluded.input_tokens, %(most)s),
        output_tokens = least(s.output_tokens::numeric + excluded.output_tokens, %(most)s)

-- name: sum_usage
-- What an organization, or one of its workspaces, used between two days, the later excluded: by what is asked, and model.
select case %(by)s::text when 'day' then u.day::text when 'workspace' then u.workspace_id::text
                         when 'purpose' then u.purpose else u.model end as name,
       u.model, min(w.slug) as slug, sum(u.calls) as calls, sum(u.input_tokens) as input_tokens,
       sum(u.output_tokens) as output_tokens
from model_usage u
left join workspaces w on w.id = u.workspace_id
where u.organization_id = %(organization_id)s
  and (%(workspace_id)s::uuid is null or u.workspace_id = %(workspace_id)s)
  and u.day >= %(since)s and u.day < %(until)s
group by 1, 2
order by 1 nulls first, 2

-- name: forget_meters
-- Forget processes that have written nothing for long: none of their flushes comes again.
delete from usage_meters where id in (
    select id from usage_meters where flushed_at < %(before)s limit %(limit)s for update skip locked)
