-- name: find_space
-- Find an embedding space by its name.
select id, dimensions from embedding_spaces where name = %(name)s;

-- name: lock_spaces
-- Let one starter at a time register spaces.
select pg_advisory_xact_lock(hashtextextended('embedding_spaces', 0));

-- name: insert_space
-- Register an embedding space.
insert into embedding_spaces (name, dimensions) values (%(name)s, %(dimensions)s) returning id, dimensions;

-- name: index_space
-- Give a space its index, on behalf of the owner of the table.
select index_embedding_space(%(space_id)s::smallint);
