-- name: lock_folder_items
-- Lock the living items in a folder that the asker may read, always in the same order.
select i.id from items i
where i.workspace_id = %(workspace_id)s and i.deleted_at is null and readable(i.audience_id, %(audiences)s)
  and starts_with(i.path, %(folder)s || '/')
order by i.id
for update;

-- name: bury_items
-- Leave tombstones where some items, locked before, lived.
update items
set deleted_at = now(), deleted_by = %(principal_id)s, index_state = 'pending', index_reason = null,
    indexed_revision = null, chunk_count = 0
where workspace_id = %(workspace_id)s and id = any(%(item_ids)s) and deleted_at is null;
