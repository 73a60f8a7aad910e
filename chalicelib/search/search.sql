-- name: list_contents
-- Read how many chunks a workspace has by language, those of most chunks first, and the number of a space.
select s.language, s.chunks, (select p.id from embedding_spaces p where p.name = %(space)s) as space_id
from language_statistics s
where s.workspace_id = %(workspace_id)s and s.chunks > 0
order by s.chunks desc, s.language;

-- name: list_frequencies
-- Read in how many chunks of the workspace each term is.
select s.term, s.chunks from term_statistics s
where s.workspace_id = %(workspace_id)s and s.term = any(%(terms)s) and s.chunks > 0;

-- name: find_extent
-- Tell how much there is to go through: the chunks of so many readable items at most, which tables hold the workspace's
-- terms and vectors, and how many vectors are in that table, as far as the planner knows.
select counted.items, counted.chunks, held.terms::regclass::text as terms_table,
       (select c.reltuples from pg_class c where c.oid = held.vectors)::float8 as vectors
from (
    select count(*) as items, coalesce(sum(few.chunk_count), 0)::bigint as chunks
    from (select i.chunk_count from items i where <readable_items> limit %(items)s) few
) counted, (
    select (select t.tableoid from chunk_terms t where t.workspace_id = %(workspace_id)s
            order by t.chunk_id limit 1) as terms,
           (select e.tableoid from embeddings e where e.workspace_id = %(workspace_id)s
            order by e.chunk_id, e.space_id limit 1) as vectors
) held;

-- name: found_together
-- What the statements on words put in the place of <found_together>: what a chunk must have to be looked at. The index
-- of terms answers all of it; room that is not needed is null.
(t.terms && %(any_0)s::int[]
  or t.terms @> %(all_1)s::int[] and t.terms && %(any_1)s::int[]
  or t.terms @> %(all_2)s::int[] and t.terms && %(any_2)s::int[]
  or t.terms @> %(all_3)s::int[] and t.terms && %(any_3)s::int[]
  or t.terms @> %(all_4)s::int[] and t.terms && %(any_4)s::int[]
  or t.terms @> %(all_5)s::int[] and t.terms && %(any_5)s::int[]
  or t.terms @> %(all_6)s::int[] and t.terms && %(any_6)s::int[]
  or t.terms @> %(all_7)s::int[] and t.terms && %(any_7)s::int[]
  or t.terms @> %(all_8)s::int[] and t.terms && %(any_8)s::int[]
  or t.terms @> %(all_9)s::int[] and t.terms && %(any_9)s::int[]
  or t.terms @> %(all_10)s::int[] and t.terms && %(any_10)s::int[]
  or t.terms @> %(all_11)s::int[] and t.terms && %(any_11)s::int[]
  or t.terms @> %(all_12)s::int[] and t.terms && %(any_12)s::int[])

-- name: names
-- What the statements that rank put in the place of <names>: what an item is called, as far as it may be so many letters
-- when folded, of which there are none where nobody looks for a name. Fewer bytes are no more letters, unless one that is
-- not ASCII folds into several.
case when %(letters)s::int > 0
          and (octet_length(ranked.title) >= %(letters)s or octet_length(ranked.title) > length(ranked.title))
     then ranked.title end as title,
case when %(letters)s::int > 0
          and (octet_length(ranked.path) >= %(letters)s or octet_length(ranked.path) > length(ranked.path))
     then ranked.path end as path

-- name: lacks_vector
-- What the statements on words put in the place of <lacks_vector>: whether a chunk that was ranked has no vector in a space
-- that is asked for. Of an `exists` without `offset 0` the planner would make a list of all that have one.
(%(space_id)s::smallint is not null and not exists (
    select from embeddings e
    where e.workspace_id = %(workspace_id)s and e.chunk_id = ranked.chunk_id and e.space_id = %(space_id)s
    offset 0))

-- name: rank_chunks_by_words
-- Rank the readable chunks that have certain terms together by BM25. Scores come first and readers second: of many chunks
-- that are looked at, few items are asked. The table is the workspace's own partition, so that its terms alone lead to
-- rows: together with the workspace's number, all rows of the workspace would be listed each time.
select ranked.chunk_id, ranked.item_id, c.ordinal, c.language, ranked.score, <lacks_vector> as lacks_vector,
       <names>
from (
    select scored.chunk_id, scored.item_id, scored.score, readable.title, readable.path
    from (
        select t.chunk_id, t.item_id, -(t.weights <#> %(weights)s::sparsevec) as score
        from <chunk_terms> t
        where <found_together>
        order by score desc, t.item_id, t.chunk_id
        offset 0
    ) scored
    cross join lateral (select i.title, i.path from items i where i.id = scored.item_id and <readable_items> offset 0) readable
    order by scored.score desc, scored.item_id, scored.chunk_id
    limit %(limit)s
) ranked
join chunks c on c.workspace_id = %(workspace_id)s and c.id = ranked.chunk_id
order by ranked.score desc, ranked.item_id, c.ordinal;

-- name: rank_items_by_words
-- Rank the readable items by the BM25 of their best chunk, of those that have certain terms together.
select ranked.chunk_id, ranked.item_id, c.ordinal, c.language, ranked.score, <lacks_vector> as lacks_vector,
       <names>
from (
    select best.chunk_id, best.item_id, best.score, readable.title, readable.path
    from (
        select of_item.* from (
            select distinct on (t.item_id) t.chunk_id, t.item_id, -(t.weights <#> %(weights)s::sparsevec) as score
            from <chunk_terms> t
            where <found_together>
            order by t.item_id, score desc, t.chunk_id
        ) of_item
        order by of_item.score desc, of_item.item_id
        offset 0
    ) best
    cross join lateral (select i.title, i.path from items i where i.id = best.item_id and <readable_items> offset 0) readable
    order by best.score desc, best.item_id
    limit %(limit)s
) ranked
join chunks c on c.workspace_id = %(workspace_id)s and c.id = ranked.chunk_id
order by ranked.score desc, ranked.item_id, c.ordinal;

-- name: rank_few_chunks_by_words
-- Rank the readable chunks by BM25, each looked at.
select ranked.chunk_id, ranked.item_id, c.ordinal, c.language, ranked.score, <lacks_vector> as lacks_vector,
       <names>
from (
    select scored.*
    from (
        select t.chunk_id, t.item_id, -(t.weights <#> %(weights)s::sparsevec) as score, i.title, i.path
        from items i
        join chunk_terms t on t.workspace_id = %(workspace_id)s and t.item_id = i.id
        where <readable_items>
        offset 0
    ) scored
    where scored.score > 0
    order by scored.score desc, scored.item_id, scored.chunk_id
    limit %(limit)s
) ranked
join chunks c on c.workspace_id = %(workspace_id)s and c.id = ranked.chunk_id
order by ranked.score desc, ranked.item_id, c.ordinal;

-- name: rank_few_items_by_words
-- Rank the readable items by the BM25 of their best chunk, each looked at.
select ranked.chunk_id, ranked.item_id, c.ordinal, c.language, ranked.score, <lacks_vector> as lacks_vector,
       <names>
from (
    select best.* from (
        select distinct on (scored.item_id) scored.*
        from (
            select t.chunk_id, t.item_id, -(t.weights <#> %(weights)s::sparsevec) as score, i.title, i.path
            from items i
            join chunk_terms t on t.workspace_id = %(workspace_id)s and t.item_id = i.id
            where <readable_items>
            offset 0
        ) scored
        where scored.score > 0
        order by scored.item_id, scored.score desc, scored.chunk_id
    ) best
    order by best.score desc, best.item_id
    limit %(limit)s
) ranked
join chunks c on c.workspace_id = %(workspace_id)s and c.id = ranked.chunk_id
order by ranked.score desc, ranked.item_id, c.ordinal;

-- name: rank_chunks_exactly
-- Rank the readable chunks by cosine similarity, each compared.
select ranked.chunk_id, ranked.item_id, c.ordinal, c.language, 1 - ranked.distance as score, <names>
from (
    select e.chunk_id, e.item_id, e.embedding <=> %(vector)s::halfvec as distance, i.title, i.path
    from embeddings e
    join items i on i.id = e.item_id
    where e.workspace_id = %(workspace_id)s and e.space_id = %(space_id)s and <readable_items>
    order by distance, e.item_id, e.chunk_id
    limit %(limit)s
) ranked
join chunks c on c.workspace_id = %(workspace_id)s and c.id = ranked.chunk_id
order by ranked.distance, ranked.item_id, c.ordinal;

-- name: rank_items_exactly
-- Rank the readable items by their nearest chunk, each compared.
select ranked.chunk_id, ranked.item_id, c.ordinal, c.language, 1 - ranked.distance as score, <names>
from (
    select best.*
    from (
        select distinct on (e.item_id) e.chunk_id, e.item_id, e.embedding <=> %(vector)s::halfvec as distance, i.title, i.path
        from embeddings e
        join items i on i.id = e.item_id
        where e.workspace_id = %(workspace_id)s and e.space_id = %(space_id)s and <readable_items>
        order by e.item_id, distance, e.chunk_id
    ) best
    order by best.distance, best.item_id
    limit %(limit)s
) ranked
join chunks c on c.workspace_id = %(workspace_id)s and c.id = ranked.chunk_id
order by ranked.distance, ranked.item_id, c.ordinal;

-- name: walk_graph
-- Let this transaction walk the HNSW graph until enough readable chunks are found or so many vectors were met, and use it
-- rather than sort all.
select set_config('hnsw.iterative_scan', 'relaxed_order', true),
       set_config('hnsw.max_scan_tuples', %(most)s::integer::text, true),
       set_config('hnsw.ef_search', %(breadth)s::integer::text, true),
       set_config('enable_sort', 'off', true),
       set_config('enable_hashjoin', 'off', true),
       set_config('enable_mergejoin', 'off', true),
       set_config('enable_seqscan', 'off', true);

-- name: stop_walking
-- Give the planner its freedom back.
select set_config('enable_sort', 'on', true), set_config('enable_hashjoin', 'on', true),
       set_config('enable_mergejoin', 'on', true), set_config('enable_seqscan', 'on', true);

-- name: rank_chunks_by_graph
-- Find the nearest readable chunks by the HNSW index of the space; relaxed order, so sorted again: by the score, since of
-- the distance the planner believes that the index has put it in order already.
with ranked as materialized (
    select e.chunk_id, e.item_id, (e.embedding::halfvec(<dimensions>)) <=> %(vector)s::halfvec(<dimensions>) as distance,
           i.title, i.path
    from embeddings e
    join items i on i.id = e.item_id
    where e.workspace_id = %(workspace_id)s and e.space_id = <space_id> and <readable_items>
    order by (e.embedding::halfvec(<dimensions>)) <=> %(vector)s::halfvec(<dimensions>)
    limit %(limit)s
)
select ranked.chunk_id, ranked.item_id, c.ordinal, c.language, 1 - ranked.distance as score, <names>
from ranked
join chunks c on c.workspace_id = %(workspace_id)s and c.id = ranked.chunk_id
order by score desc, ranked.item_id, c.ordinal;

-- name: list_readable
-- Read which of some items the asker may read.
select i.id from items i
where i.workspace_id = %(workspace_id)s and i.id = any(%(item_ids)s) and readable(i.audience_id, %(audiences)s);

-- name: read_hits
-- Read what is shown of chunks that are still readable.
select c.id as chunk_id, c.item_id, c.ordinal, i.indexed_revision as revision, i.path, i.title, i.kind, i.class,
       c.heading_path, c.page, c.body_start, c.body_end, c.opening, c.text, c.language, i.body_sha256, i.updated_at,
       i.metadata ->> 'review_by' as review_by, (now() at time zone 'UTC')::date as today
from chunks c
join items i on i.id = c.item_id
where c.workspace_id = %(workspace_id)s and c.id = any(%(chunk_ids)s) and <readable_items>;
