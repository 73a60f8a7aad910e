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

-- name: add_terms
-- Count terms up and down, always in the same order, so that two workers wait for each other and never in a circle.
insert into term_statistics as s (workspace_id, term, chunks)
select %(workspace_id)s, d.term, d.delta
from unnest(%(terms)s::integer[], %(deltas)s::integer[]) as d (term, delta)
order by d.term
on conflict (workspace_id, term) do update set chunks = greatest(s.chunks + excluded.chunks, 0);

-- name: forget_terms
-- Forget terms that no chunk has any more; add_terms has locked their rows.
delete from term_statistics
where workspace_id = %(workspace_id)s and term = any(%(terms)s) and chunks = 0;

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
