-- name: find_source
-- Read what is to be indexed of a living item, on behalf of the worker, whoever may read it.
select i.id, i.title, i.language, i.revision, i.indexed_revision, i.index_state, i.page_starts, i.body_sha256, b.body
from items i join bodies b on b.owner_id = i.owner_id and b.sha256 = i.body_sha256
where i.workspace_id = %(workspace_id)s and i.id = %(item_id)s and i.deleted_at is null;

-- name: limit_waiting
-- Wait for a lock no longer than the server takes to look for circles (deadlock_timeout, 1 s); 0 waits for ever.
select set_config('lock_timeout', %(milliseconds)s::integer::text, true);

-- name: lock_source
-- Lock a living item, on behalf of the worker, and read which revision it has.
select i.revision, i.indexed_revision from items i
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
set indexed_revision = %(revision)s, chunk_count = %(chunk_count)s,
    index_state = case when revision = %(revision)s then %(state)s else index_state end,
    index_reason = case when revision = %(revision)s then null else index_reason end,
    warnings = coalesce((select jsonb_agg(w) from jsonb_array_elements(warnings) as w
                         where w ->> 'code' <> %(warning_code)s), '[]') || %(warnings)s
where workspace_id = %(workspace_id)s and id = %(item_id)s and deleted_at is null;

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

-- name: list_chunks
-- Read the chunks of an item that the asker may read, in their order.
select c.id, c.item_id, i.indexed_revision as revision, c.ordinal, c.heading_path, c.body_start, c.body_end, c.page,
       c.text, c.tokens
from chunks c
join items i on i.workspace_id = c.workspace_id and i.id = c.item_id
where c.workspace_id = %(workspace_id)s and c.item_id = %(item_id)s and i.deleted_at is null
  and readable(i.audience, %(tokens)s) and c.ordinal > %(after)s
order by c.ordinal
limit %(limit)s;

-- name: insert_chunks
-- Stream chunks in.
copy chunks (workspace_id, id, item_id, ordinal, heading_path, body_start, body_end, page, text, tokens, language,
             content_sha256, embedded_sha256)
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

-- name: count_terms
-- Count in how many of some chunks each of their terms is.
select term, count(*) as chunks from chunk_terms t, unnest(t.terms) as term
where t.workspace_id = %(workspace_id)s and t.chunk_id = any(%(chunk_ids)s)
group by term;

-- name: count_languages
-- Count some chunks and their length by language.
select t.language, count(*) as chunks, sum(t.length) as length from chunk_terms t
where t.workspace_id = %(workspace_id)s and t.chunk_id = any(%(chunk_ids)s)
group by t.language;

-- name: delete_chunks
-- Take chunks out of search; their terms and vectors go with them.
delete from chunks where workspace_id = %(workspace_id)s and id = any(%(chunk_ids)s);

-- name: add_terms
-- Count terms up and down, always in the same order, so that two workers wait for each other and never in a circle.
insert into term_statistics as s (workspace_id, term, chunks)
select %(workspace_id)s, d.term, d.delta
from unnest(%(terms)s::integer[], %(deltas)s::integer[]) as d (term, delta)
order by d.term
on conflict (workspace_id, term) do update set chunks = greatest(s.chunks + excluded.chunks, 0);

-- name: add_languages
-- Count chunks and their length by language.
insert into language_statistics as s (workspace_id, language, chunks, length)
select %(workspace_id)s, d.language, d.chunks, d.length
from unnest(%(languages)s::text[], %(chunks)s::integer[], %(lengths)s::float8[]) as d (language, chunks, length)
order by d.language
on conflict (workspace_id, language) do update
set chunks = greatest(s.chunks + excluded.chunks, 0), length = greatest(s.length + excluded.length, 0);

-- name: list_languages
-- Read how many chunks of which total length a workspace has by language.
select s.language, s.chunks, s.length from language_statistics s
where s.workspace_id = %(workspace_id)s and s.chunks > 0
order by s.chunks desc, s.language;

-- name: find_weighed_amiss
-- Lock some rows whose weights were made for texts of another average length.
select t.chunk_id, t.weights, t.length, t.average_length from chunk_terms t
where t.workspace_id = %(workspace_id)s
  and (t.average_length < %(least)s or t.average_length > %(most)s)
order by t.chunk_id
limit %(limit)s
for update skip locked;

-- name: set_weights
-- Give a chunk's terms their present weights.
update chunk_terms set weights = %(weights)s, average_length = %(average_length)s
where workspace_id = %(workspace_id)s and chunk_id = %(chunk_id)s;

-- name: list_known_vectors
-- Read the vectors of texts that a workspace has embedded before.
select distinct on (e.embedded_sha256) e.embedded_sha256, e.embedding from embeddings e
where e.workspace_id = %(workspace_id)s and e.space_id = %(space_id)s and e.embedded_sha256 = any(%(hashes)s);

-- name: list_embedded
-- Read which chunks of an item have a vector.
select e.chunk_id from embeddings e
join chunks c on c.workspace_id = e.workspace_id and c.id = e.chunk_id
where e.workspace_id = %(workspace_id)s and e.space_id = %(space_id)s and c.item_id = %(item_id)s;
