-- name: insert_upload
-- Note an upload that is awaited or has arrived; a drop's event that came before returns no row.
insert into uploads (id, workspace_id, path, filename, source, source_key, declared_bytes, declared_sha256, attributes,
                     audience_id, event_sequencer, state, created_by, created_at, received_at, expires_at,
                     correlation_id)
values (%(id)s, %(workspace_id)s, %(path)s, %(filename)s, %(source)s, %(source_key)s, %(declared_bytes)s,
        %(declared_sha256)s, %(attributes)s, %(audience_id)s, %(event_sequencer)s, 'pending', %(principal_id)s, %(now)s,
        %(received_at)s, %(expires_at)s, %(correlation_id)s)
on conflict (workspace_id, source_key, event_sequencer) where source = 'drop' do nothing
returning *;

-- name: newest_drop_event
-- Tell the highest sequencer seen of a dropped key, so that a late event is known as such.
select max(event_sequencer collate "C") as event_sequencer from uploads
where workspace_id = %(workspace_id)s and source = 'drop' and source_key = %(source_key)s;

-- name: find_upload
-- Read an upload that the asker may see: neither it nor the item read out of it is kept from the asker.
select u.* from uploads u
where u.workspace_id = %(workspace_id)s and u.id = %(upload_id)s and readable(u.audience_id, %(audiences)s)
  and (u.item_id is null or exists (
      select from items i
      where i.workspace_id = u.workspace_id and i.id = u.item_id and readable(i.audience_id, %(audiences)s)));

-- name: lock_upload
-- Lock an upload that the asker may see, to change it.
select u.* from uploads u
where u.workspace_id = %(workspace_id)s and u.id = %(upload_id)s and readable(u.audience_id, %(audiences)s)
  and (u.item_id is null or exists (
      select from items i
      where i.workspace_id = u.workspace_id and i.id = u.item_id and readable(i.audience_id, %(audiences)s)))
for update;

-- name: take_upload
-- Lock an upload for the worker that extracts it.
select u.* from uploads u where u.workspace_id = %(workspace_id)s and u.id = %(upload_id)s
for update;

-- name: list_uploads
-- Read uploads that the asker may see and that pass the filters, latest first.
select u.* from uploads u
where u.workspace_id = %(workspace_id)s and readable(u.audience_id, %(audiences)s)
  and (u.item_id is null or exists (
      select from items i
      where i.workspace_id = u.workspace_id and i.id = u.item_id and readable(i.audience_id, %(audiences)s)))
  and (%(states)s::text[] is null or u.state = any(%(states)s))
  and (%(path)s::text is null or u.path = %(path)s)
  and (%(before)s::uuid is null or u.id < %(before)s)
order by u.id desc
limit %(limit)s;

-- name: count_upload_states
-- Count the uploads that the asker may see by how far they got.
select u.state, count(*) as uploads from uploads u
where u.workspace_id = %(workspace_id)s and readable(u.audience_id, %(audiences)s)
  and (u.item_id is null or exists (
      select from items i
      where i.workspace_id = u.workspace_id and i.id = u.item_id and readable(i.audience_id, %(audiences)s)))
group by u.state;

-- name: list_subjects
-- Read the paths of those of some items and uploads that the asker may see.
select i.id, i.path from items i
where i.workspace_id = %(workspace_id)s and i.deleted_at is null and readable(i.audience_id, %(audiences)s)
  and i.id = any(%(ids)s)
union all
select u.id, u.path from uploads u
where u.workspace_id = %(workspace_id)s and readable(u.audience_id, %(audiences)s) and u.id = any(%(ids)s)
  and (u.item_id is null or exists (
      select from items i
      where i.workspace_id = u.workspace_id and i.id = u.item_id and readable(i.audience_id, %(audiences)s)));

-- name: list_refused_drops
-- Read the dropped files of all workspaces that came to nothing since a moment, for who runs the server.
select w.slug, u.path, u.reason, u.finished_at
from uploads u
join workspaces w on w.id = u.workspace_id
where u.source = 'drop' and u.state = 'failed' and u.finished_at > %(since)s
order by u.finished_at;

-- name: list_failed_uploads
-- Read the uploads that failed and whose path has not been taken by a later one that did not.
select u.id, u.path, u.reason from uploads u
where u.workspace_id = %(workspace_id)s and readable(u.audience_id, %(audiences)s) and u.state = 'failed'
  and (u.item_id is null or exists (
      select from items i
      where i.workspace_id = u.workspace_id and i.id = u.item_id and readable(i.audience_id, %(audiences)s)))
  and not exists (
      select from uploads later
      where later.workspace_id = u.workspace_id and later.path = u.path and later.id > u.id
        and later.state in ('succeeded', 'skipped')
  )
order by u.id desc
limit %(limit)s;

-- name: mark_received
-- Note that an upload's bytes have arrived.
update uploads set received_at = %(now)s, expires_at = null
where workspace_id = %(workspace_id)s and id = %(upload_id)s and received_at is null;

-- name: mark_running
-- Note that an upload is being extracted.
update uploads set state = 'running', reason = null where workspace_id = %(workspace_id)s and id = %(upload_id)s;

-- name: mark_pending
-- Note that an upload waits to be extracted anew.
update uploads set state = 'pending', reason = null, outcome = null, finished_at = null
where workspace_id = %(workspace_id)s and id = %(upload_id)s;

-- name: finish_upload
-- Note how an upload's extraction ended.
update uploads
set state = %(state)s, reason = %(reason)s, outcome = %(outcome)s, sha256 = coalesce(%(sha256)s, sha256),
    bytes = coalesce(%(bytes)s, bytes), media_type = coalesce(%(media_type)s, media_type), extractor = %(extractor)s,
    extract_seconds = %(extract_seconds)s, warnings = %(warnings)s, item_id = coalesce(%(item_id)s, item_id),
    revision = %(revision)s, finished_at = %(now)s, received_at = coalesce(received_at, %(now)s)
where workspace_id = %(workspace_id)s and id = %(upload_id)s;

-- name: release_path
-- Count a path's earlier uploads that have ended no more: the latest stands for them.
update uploads set is_counted = false
where workspace_id = %(workspace_id)s and path = %(path)s and id < %(upload_id)s and finished_at is not null
  and is_counted;

-- name: release_item
-- Count the ended uploads of an item that is being deleted no more.
update uploads set is_counted = false
where workspace_id = %(workspace_id)s and item_id = %(item_id)s and finished_at is not null and is_counted;

-- name: put_original
-- Keep an original's record once a workspace; returns a row where it is new.
insert into originals (workspace_id, sha256, bytes, media_type)
values (%(workspace_id)s, %(sha256)s, %(bytes)s, %(media_type)s)
on conflict do nothing
returning 1 as added;

-- name: delete_upload
-- Forget an upload, locked before.
delete from uploads where workspace_id = %(workspace_id)s and id = %(upload_id)s;

-- name: delete_unused_original
-- Forget an original that no upload and no item, living or in the trash, was read out of.
delete from originals o
where o.workspace_id = %(workspace_id)s and o.sha256 = %(sha256)s
  and not exists (select from uploads u where u.workspace_id = o.workspace_id and u.sha256 = o.sha256)
  and not exists (select from items i where i.workspace_id = o.workspace_id and i.original_sha256 = o.sha256)
returning o.bytes;

-- name: list_expired_uploads
-- Lock some uploads whose bytes never arrived in time.
select u.* from uploads u
where u.received_at is null and u.state = 'pending' and u.expires_at < %(now)s
order by u.expires_at
limit %(limit)s
for update skip locked;
