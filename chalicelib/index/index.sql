-- name: find_source
-- Read what is to be indexed of a living item, on behalf of the worker, whoever may read it.
select i.id, i.title, i.language, i.revision, i.indexed_revision, i.index_state, i.page_starts, i.body_sha256, b.body,
       (select c.summary from item_contexts c join context_settings s on s.workspace_id = c.workspace_id
        where c.workspace_id = i.workspace_id and c.item_id = i.id) as summary
from items i join bodies b on b.owner_id = i.owner_id and b.sha256 = i.body_sha256
where i.workspace_id = %(workspace_id)s and i.id = %(item_id)s and i.deleted_at is null;

-- name: lock_source
-- Lock a living item, on behalf of the worker, and read which revision it has, and whether what is indexed of it is the
-- same: one that moved meanwhile has a later revision with the same content.
select i.revision, i.indexed_revision,
       i.title = %(title)s and i.body_sha256 = %(body_sha256)s and i.language is not distinct from %(language)s
           and i.page_starts = %(page_starts)s::integer[] as is_same
from items i
where i.workspace_id = %(workspace_id)s and i.id = %(item_id)s and i.deleted_at is null
for no key update;

-- name: mark_indexing
-- Show that a worker has begun with an item's present revision.
update items set index_state = 'indexing', index_reason = null
where workspace_id = %(workspace_id)s and id = %(item_id)s and deleted_at is null and revision = %(revision)s
  and index_state in ('pending', 'failed');

-- name: mark_indexed
-- Show which revision a search sees now; a later one that waits stays pending. Warnings of the kind are replaced.
update items
set indexed_revision = %(revision)s, chunk_count = %(chunk_count)s, indexed_language = %(indexed_language)s,
    indexed_as = %(indexed_as)s,
    index_state = case when revision = %(revision)s then %(state)s else index_state end,
    index_reason = case when revision = %(revision)s then null else index_reason end,
    warnings = coalesce((select jsonb_agg(w) from jsonb_array_elements(warnings) as w
                         where w ->> 'code' <> %(warning_code)s), '[]') || %(warnings)s
where workspace_id = %(workspace_id)s and id = %(item_id)s and deleted_at is null;

-- name: show_wait
-- Show what an item that is found by its words waits for before it is found by meaning too.
update items set index_reason = %(reason)s
where workspace_id = %(workspace_id)s and id = %(item_id)s and deleted_at is null and index_state = 'text_ready';

-- name: mark_failed
-- Show why an item's present revision could not be indexed; an older one stays in search.
update items set index_state = 'failed', index_reason = %(reason)s
where workspace_id = %(workspace_id)s and id = %(item_id)s and deleted_at is null
  and not (index_state in ('ready', 'no_text') and indexed_revision = revision);

-- name: list_indexed
-- Read which chunks of an item are in search.
select c.id, c.ordinal, c.content_sha256, c.embedded_sha256
from chunks c
where c.workspace_id = %(workspace_id)s and c.item_id = %(item_id)s
order by c.ordinal;

-- name: list_chunk_ids
-- Read which chunks of some items are in search.
select c.id from chunks c where c.workspace_id = %(workspace_id)s and c.item_id = any(%(item_ids)s);

-- name: list_chunks
-- Read the chunks of an item that the asker may read, in their order.
select c.id, c.item_id, i.indexed_revision as revision, c.ordinal, c.heading_path, c.body_start, c.body_end, c.page,
       c.opening, c.text, c.tokens
from chunks c
join items i on i.workspace_id = c.workspace_id and i.id = c.item_id
where c.workspace_id = %(workspace_id)s and c.item_id = %(item_id)s and i.deleted_at is null
  and readable(i.audience_id, %(audiences)s) and c.ordinal > %(after)s
order by c.ordinal
limit %(limit)s;

-- name: insert_chunks
-- Stream chunks in.
copy chunks (workspace_id, id, item_id, ordinal, heading_path, body_start, body_end, page, opening, text, tokens,
             language, content_sha256, embedded_sha256)
from stdin (format binary);

-- name: move_chunk
-- Give a chunk that the next revision has as well its place there.
update chunks
set ordinal = %(ordinal)s, body_start = %(body_start)s, body_end = %(body_end)s, page = %(page)s
where workspace_id = %(workspace_id)s and id = %(id)s
  and (ordinal, body_start, body_end, page)
      is distinct from (%(ordinal)s, %(body_start)s, %(body_end)s, %(page)s::integer);

-- name: insert_terms
-- Stream the terms of chunks in.
copy chunk_terms (workspace_id, chunk_id, item_id, language, terms, weights, length, average_length)
from stdin (format binary);

-- name: insert_embeddings
-- Stream vectors in.
copy embeddings (workspace_id, chunk_id, space_id, item_id, language, embedded_sha256, embedding)
from stdin (format binary);

-- name: delete_chunks
-- Take chunks out of search; their terms and vectors go with them.
delete from chunks where workspace_id = %(workspace_id)s and id = any(%(chunk_ids)s);

-- name: list_known_vectors
-- Read the vectors of texts that a workspace has embedded before.
select distinct on (e.embedded_sha256) e.embedded_sha256, e.embedding from embeddings e
where e.workspace_id = %(workspace_id)s and e.space_id = %(space_id)s and e.embedded_sha256 = any(%(hashes)s);

-- name: list_embedded
-- Read which chunks of an item have a vector.
select e.chunk_id from embeddings e
join chunks c on c.workspace_id = e.workspace_id and c.id = e.chunk_id
where e.workspace_id = %(workspace_id)s and e.space_id = %(space_id)s and c.item_id = %(item_id)s;
