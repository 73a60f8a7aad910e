-- name: count_latest_again
-- Count the latest ended upload of an item that leaves the trash again, and tell whether it was counted and how it ended.
update uploads u set is_counted = true
from (
    select latest.id, latest.is_counted from uploads latest
    where latest.workspace_id = %(workspace_id)s and latest.item_id = %(item_id)s and latest.finished_at is not null
    order by latest.id desc
    limit 1
    for update
) was
where u.workspace_id = %(workspace_id)s and u.id = was.id
returning was.is_counted as was_counted, u.state, u.reason;

-- name: delete_uploads_of
-- Forget the uploads that became some items, in whatever state they are.
delete from uploads where workspace_id = %(workspace_id)s and item_id = any(%(item_ids)s)
returning id, sha256, source_key, is_counted, finished_at is null as is_open;

-- name: delete_unused_originals
-- Forget those of some originals that no upload and no item, living or in the trash, was read out of.
delete from originals o
where o.workspace_id = %(workspace_id)s and o.sha256 = any(%(sha256s)s)
  and not exists (select from uploads u where u.workspace_id = o.workspace_id and u.sha256 = o.sha256)
  and not exists (select from items i where i.workspace_id = o.workspace_id and i.original_sha256 = o.sha256)
returning o.sha256, o.bytes;

-- name: release_items
-- Count the ended uploads of some items that are being deleted no more.
update uploads set is_counted = false
where workspace_id = %(workspace_id)s and item_id = any(%(item_ids)s) and finished_at is not null and is_counted;
