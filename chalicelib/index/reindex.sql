-- name: count_stale
-- Count the items of a workspace that are in search, and those of them that were indexed by something else than now.
select count(*) as items,
       count(*) filter (where i.indexed_as is distinct from %(makes)s) as stale,
       (select count(*) from items f
        where f.workspace_id = %(workspace_id)s and f.index_state = 'failed' and f.deleted_at is null) as failed
from items i
where i.workspace_id = %(workspace_id)s and i.deleted_at is null and i.index_state in ('ready', 'text_ready', 'no_text');

-- name: list_stale
-- Read items that were indexed by something else than now, and that no job is about to index.
select i.id from items i
where i.workspace_id = %(workspace_id)s and i.deleted_at is null and i.index_state in ('ready', 'text_ready', 'no_text')
  and i.indexed_as is distinct from %(makes)s
  and not exists (select from jobs j
                  where j.kind = 'index_item' and j.key = i.id::text and j.workspace_id = i.workspace_id
                    and j.state in ('waiting', 'running'))
order by i.id
limit %(limit)s;

-- name: count_indexing
-- Count the index jobs of a workspace that are open.
select count(*) as jobs from jobs
where workspace_id = %(workspace_id)s and kind = 'index_item' and state in ('waiting', 'running');

-- name: find_reindexing
-- Tell whether a workspace is being indexed again.
select 1 as found from jobs
where workspace_id = %(workspace_id)s and kind = 'reindex_workspace' and state in ('waiting', 'running') limit 1;
