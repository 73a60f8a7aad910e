-- name: count_lacking
-- Count the chunks of a workspace that have no vector in a space, and did not fail in it.
select count(*) as chunks from chunks c
where c.workspace_id = %(workspace_id)s
  and not exists (select from embeddings e
                  where e.workspace_id = c.workspace_id and e.chunk_id = c.id and e.space_id = %(space_id)s)
  and not exists (select from embedding_failures f
                  where f.workspace_id = c.workspace_id and f.chunk_id = c.id and f.space = %(space)s);

-- name: list_lacking
-- Read the next chunks that have no vector in a space, item by item.
select c.id, c.item_id, c.language, c.embedded_sha256 from chunks c
where c.workspace_id = %(workspace_id)s and c.item_id > %(after)s
  and not exists (select from embeddings e
                  where e.workspace_id = c.workspace_id and e.chunk_id = c.id and e.space_id = %(space_id)s)
  and not exists (select from embedding_failures f
                  where f.workspace_id = c.workspace_id and f.chunk_id = c.id and f.space = %(space)s)
order by c.item_id, c.ordinal
limit %(limit)s;

-- name: lock_lacking
-- Of some chunks read those that are still there without a vector in a space, and hold their items; one that somebody
-- else holds is left for later.
with held as materialized (
    select i.id from items i
    where i.workspace_id = %(workspace_id)s and i.id = any(%(item_ids)s) and i.deleted_at is null
    order by i.id
    for no key update skip locked
)
select c.id, c.item_id, c.language, c.embedded_sha256 from chunks c
where c.workspace_id = %(workspace_id)s and c.id = any(%(chunk_ids)s) and c.item_id in (select held.id from held)
  and not exists (select from embeddings e
                  where e.workspace_id = c.workspace_id and e.chunk_id = c.id and e.space_id = %(space_id)s);

-- name: read_makings
-- Read by what some items were indexed, and whether their present state is in search.
select i.id, i.indexed_as, i.index_state from items i
where i.workspace_id = %(workspace_id)s and i.id = any(%(item_ids)s) and i.deleted_at is null;

-- name: show_ready
-- Show that items have all the vectors that can be had, once their workspace's active space is filled.
update items set index_state = 'ready'
where id in (
    select i.id from items i
    where i.workspace_id = %(workspace_id)s and i.index_state = 'text_ready' and i.deleted_at is null
      and i.indexed_revision = i.revision
      and not exists (
          select from chunks c
          where c.workspace_id = i.workspace_id and c.item_id = i.id
            and not exists (select from embeddings e
                            where e.workspace_id = c.workspace_id and e.chunk_id = c.id and e.space_id = %(space_id)s)
            and not exists (select from embedding_failures f
                            where f.workspace_id = c.workspace_id and f.chunk_id = c.id and f.space = %(space)s))
    for no key update skip locked);

-- name: delete_vectors
-- Delete some of a workspace's vectors of a space.
delete from embeddings e
where e.workspace_id = %(workspace_id)s and e.space_id = %(space_id)s
  and e.chunk_id in (select x.chunk_id from embeddings x
                     where x.workspace_id = %(workspace_id)s and x.space_id = %(space_id)s limit %(limit)s);
