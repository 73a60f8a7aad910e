-- name: find_space
-- Find an embedding space by its name.
select id, dimensions from embedding_spaces where name = %(name)s;

-- name: lock_spaces
-- Let one starter at a time register spaces.
select pg_advisory_xact_lock(hashtextextended('embedding_spaces', 0));

-- name: insert_space
-- Register an embedding space.
insert into embedding_spaces (name, dimensions) values (%(name)s, %(dimensions)s) returning id, dimensions;

-- name: create_space_index
-- Index the vectors of one space; <space_id> and <dimensions> are numbers of ours, written in since DDL takes no parameters.
create index embeddings_space_<space_id> on embeddings
using hnsw ((embedding::halfvec(<dimensions>)) halfvec_cosine_ops) where space_id = <space_id>;
