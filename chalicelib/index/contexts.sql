-- name: find_setting
-- Read since when a workspace has its documents described, if it has.
select s.switched_on_at from context_settings s where s.workspace_id = %(workspace_id)s;

-- name: share_setting
-- Read the same, and keep it from being switched off until the end of the transaction.
select s.switched_on_at from context_settings s where s.workspace_id = %(workspace_id)s for key share;

-- name: insert_setting
-- Have a workspace's documents described.
insert into context_settings (workspace_id, switched_on_by) values (%(workspace_id)s, %(principal_id)s)
on conflict (workspace_id) do nothing;

-- name: delete_setting
-- Have a workspace's documents described no more.
delete from context_settings where workspace_id = %(workspace_id)s;

-- name: find_context
-- Read, where descriptions are on, what was said of an item, and the body that was described where it was another.
select c.summary, c.body_sha256, b.body as described
from context_settings s
left join item_contexts c on c.workspace_id = s.workspace_id and c.item_id = %(item_id)s
left join bodies b on b.owner_id = c.workspace_id and b.sha256 = c.body_sha256 and c.body_sha256 <> %(body_sha256)s
where s.workspace_id = %(workspace_id)s;

-- name: put_context
-- Keep what was said of a living item, in the place of what was said before.
insert into item_contexts as c (workspace_id, item_id, revision, body_sha256, model, summary)
select i.workspace_id, i.id, %(revision)s, %(body_sha256)s, %(model)s, %(summary)s
from items i
where i.workspace_id = %(workspace_id)s and i.id = %(item_id)s and i.deleted_at is null
on conflict (workspace_id, item_id) do update
set revision = excluded.revision, body_sha256 = excluded.body_sha256, model = excluded.model,
    summary = excluded.summary, described_at = now()
returning c.item_id;

-- name: take_contexts
-- Forget what was said of some items, and read of which.
delete from item_contexts
where workspace_id = %(workspace_id)s and item_id in (
    select c.item_id from item_contexts c where c.workspace_id = %(workspace_id)s order by c.item_id limit %(limit)s)
returning item_id;

-- name: list_undescribed
-- Read which living items with text in search nothing was said of yet, in order of their ids.
select i.id as item_id from items i
where i.workspace_id = %(workspace_id)s and i.deleted_at is null and i.chunk_count > 0 and i.id > %(after)s
  and not exists (select from item_contexts c where c.workspace_id = i.workspace_id and c.item_id = i.id)
order by i.id
limit %(limit)s;

-- name: count_open
-- Count a workspace's items that the language model is still to be asked about.
select count(*) as open from jobs
where workspace_id = %(workspace_id)s and kind = 'describe_item' and state in ('waiting', 'running');

-- name: count_contexts
-- Count a workspace's items with text: those described, those not, and those that could not be.
select count(*) filter (where c.item_id is not null) as described,
       count(*) filter (where c.item_id is null) as undescribed,
       count(*) filter (where i.warnings @> jsonb_build_array(jsonb_build_object('code', %(warning_code)s::text)))
           as failed
from items i
left join item_contexts c on c.workspace_id = i.workspace_id and c.item_id = i.id
where i.workspace_id = %(workspace_id)s and i.deleted_at is null and i.chunk_count > 0;

-- name: measure_undescribed
-- Measure what is to be read and embedded to describe the items that nothing was said of yet.
select coalesce(sum(least(i.body_bytes, %(most_bytes)s)), 0)::bigint as bytes,
       coalesce(sum(i.chunk_count), 0)::bigint as chunks,
       coalesce(sum((select sum(k.tokens) from chunks k
                     where k.workspace_id = i.workspace_id and k.item_id = i.id)), 0)::bigint as chunk_tokens
from items i
where i.workspace_id = %(workspace_id)s and i.deleted_at is null and i.chunk_count > 0
  and not exists (select from item_contexts c where c.workspace_id = i.workspace_id and c.item_id = i.id);

-- name: set_warning
-- Put a warning in the place of those of its code on an item; none takes them away.
update items
set warnings = coalesce((select jsonb_agg(w) from jsonb_array_elements(warnings) as w
                         where w ->> 'code' <> %(warning_code)s), '[]') || %(warnings)s::jsonb
where workspace_id = %(workspace_id)s and id = %(item_id)s and deleted_at is null;
