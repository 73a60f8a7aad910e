-- An index belongs to the owner of its table, and whoever reads and writes rows need not be that owner (on AWS it is
-- not). The function does this one thing on the owner's behalf, with numbers that it reads itself and names that
-- nobody can redirect.
create function index_embedding_space(space smallint) returns void
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    width integer;
begin
    select dimensions into strict width from public.embedding_spaces where id = space;
    execute format(
        'create index if not exists embeddings_space_%1$s on public.embeddings'
        ' using hnsw ((embedding::halfvec(%2$s)) halfvec_cosine_ops) where space_id = %1$s',
        space, width
    );
end $$;
revoke execute on function index_embedding_space(smallint) from public;
