-- name: limit_time
-- Let each statement of this transaction take so long and no longer.
select set_config('statement_timeout', %(milliseconds)s::integer::text, true);

-- name: list_frequencies
-- Read in how many chunks of the workspace each term is.
select s.term, s.chunks from term_statistics s
where s.workspace_id = %(workspace_id)s and s.term = any(%(terms)s) and s.chunks > 0;

-- name: rank_chunks_by_words
-- Rank the readable chunks that have one of the terms by BM25.
select found.chunk_id, found.item_id, c.ordinal, c.language, found.score
from (
    select t.chunk_id, t.item_id, -(t.weights <#> %(weights)s::sparsevec) as score
    from chunk_terms t
    join items i on i.id = t.item_id
    where t.workspace_id = %(workspace_id)s and t.terms && %(terms)s::integer[] and <readable_items>
    order by score desc, t.item_id, t.chunk_id
    limit %(limit)s
) found
join chunks c on c.workspace_id = %(workspace_id)s and c.id = found.chunk_id
order by found.score desc, found.item_id, c.ordinal;

-- name: rank_items_by_words
-- Rank the readable items by their best chunk's BM25.
select found.chunk_id, found.item_id, c.ordinal, c.language, found.score
from (
    select best.*
    from (
        select distinct on (t.item_id) t.chunk_id, t.item_id, -(t.weights <#> %(weights)s::sparsevec) as score
        from chunk_terms t
        join items i on i.id = t.item_id
        where t.workspace_id = %(workspace_id)s and t.terms && %(terms)s::integer[] and <readable_items>
        order by t.item_id, score desc, t.chunk_id
    ) best
    order by best.score desc, best.item_id
    limit %(limit)s
) found
join chunks c on c.workspace_id = %(workspace_id)s and c.id = found.chunk_id
order by found.score desc, found.item_id, c.ordinal;

-- name: count_readable_chunks
-- Count the chunks of the readable items, by what the items say.
select coalesce(sum(i.chunk_count), 0)::bigint as chunks from items i where <readable_items>;

-- name: rank_chunks_exactly
-- Rank the readable chunks by cosine similarity, each compared.
select found.chunk_id, found.item_id, c.ordinal, c.language, 1 - found.distance as score
from (
    select e.chunk_id, e.item_id, e.embedding <=> %(vector)s::halfvec as distance
    from embeddings e
    join items i on i.id = e.item_id
    where e.workspace_id = %(workspace_id)s and e.space_id = %(space_id)s and <readable_items>
    order by distance, e.item_id, e.chunk_id
    limit %(limit)s
) found
join chunks c on c.workspace_id = %(workspace_id)s and c.id = found.chunk_id
order by found.distance, found.item_id, c.ordinal;

-- name: rank_items_exactly
-- Rank the readable items by their nearest chunk, each compared.
select found.chunk_id, found.item_id, c.ordinal, c.language, 1 - found.distance as score
from (
    select best.*
    from (
        select distinct on (e.item_id) e.chunk_id, e.item_id, e.embedding <=> %(vector)s::halfvec as distance
        from embeddings e
        join items i on i.id = e.item_id
        where e.workspace_id = %(workspace_id)s and e.space_id = %(space_id)s and <readable_items>
        order by e.item_id, distance, e.chunk_id
    ) best
    order by best.distance, best.item_id
    limit %(limit)s
) found
join chunks c on c.workspace_id = %(workspace_id)s and c.id = found.chunk_id
order by found.distance, found.item_id, c.ordinal;

-- name: walk_graph
-- Let this transaction walk the HNSW graph until enough readable chunks are found, and use it rather than sort all.
select set_config('hnsw.iterative_scan', 'relaxed_order', true),
       set_config('hnsw.max_scan_tuples', '200000', true),
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
-- Find the nearest readable chunks by the HNSW index of the space; relaxed order, so sorted again.
with near as materialized (
    select e.chunk_id, e.item_id, (e.embedding::halfvec(<dimensions>)) <=> %(vector)s::halfvec(<dimensions>) as distance
    from embeddings e
    join items i on i.id = e.item_id
    where e.workspace_id = %(workspace_id)s and e.space_id = <space_id> and <readable_items>
    order by (e.embedding::halfvec(<dimensions>)) <=> %(vector)s::halfvec(<dimensions>)
    limit %(limit)s
)
select near.chunk_id, near.item_id, c.ordinal, c.language, 1 - near.distance as score
from near
join chunks c on c.workspace_id = %(workspace_id)s and c.id = near.chunk_id
order by near.distance, near.item_id, c.ordinal;

-- name: list_readable
-- Read which of some items the asker may read.
select i.id from items i
where i.workspace_id = %(workspace_id)s and i.id = any(%(item_ids)s) and readable(i.audience_id, %(audiences)s);

-- name: read_hits
-- Read what is shown of chunks that are still readable.
select c.id as chunk_id, c.item_id, c.ordinal, i.indexed_revision as revision, i.path, i.title, i.kind, i.class,
       c.heading_path, c.page, c.body_start, c.body_end, c.text, c.language
from chunks c
join items i on i.id = c.item_id
where c.workspace_id = %(workspace_id)s and c.id = any(%(chunk_ids)s) and <readable_items>;
