-- What a search looks through: chunks, their terms, their vectors, and what is counted over terms.
-- All of it belongs to exactly one item and goes with it. workspace_id comes first in every key and
-- decides the partition, so that a search touches one partition alone.

create table chunks (
    workspace_id uuid not null,
    id uuid not null,
    item_id uuid not null references items on delete cascade,
    ordinal integer not null check (ordinal >= 0),
    heading_path text[] not null,
    body_start integer not null check (body_start >= 0),
    body_end integer not null check (body_end >= body_start),
    page integer check (page > 0),
    text text not null,
    tokens integer not null check (tokens >= 0),
    language text not null,
    -- What was indexed of it; a chunk of the next revision with the same is the same row.
    content_sha256 bytea not null check (length(content_sha256) = 32),
    embedded_sha256 bytea not null check (length(embedded_sha256) = 32),
    primary key (workspace_id, id)
) partition by hash (workspace_id);
create index chunks_item on chunks (workspace_id, item_id, ordinal);
create index chunks_by_item on chunks (item_id);

-- The lexical lane's row of a chunk, apart from its text so that scoring reads little. A term is a 30-bit hash
-- of workspace and word: posting lists of different workspaces do not mix. `weights` is the term frequency part
-- of BM25 with `average_length` as it was then; one that has moved too far is weighed again.
create table chunk_terms (
    workspace_id uuid not null,
    chunk_id uuid not null,
    item_id uuid not null references items on delete cascade,
    language text not null,
    terms integer[] not null,
    weights sparsevec not null,
    length real not null check (length >= 0),
    average_length real not null check (average_length > 0),
    primary key (workspace_id, chunk_id),
    foreign key (workspace_id, chunk_id) references chunks (workspace_id, id) on delete cascade
) partition by hash (workspace_id);
create index chunk_terms_item on chunk_terms (item_id);
create index chunk_terms_average on chunk_terms (workspace_id, average_length);

create table embedding_spaces (
    id smallint generated always as identity primary key,
    name text not null unique check (length(name) between 1 and 200),
    dimensions integer not null check (dimensions between 1 and 4000)
);

-- Vectors apart from text, so that scans stay narrow. Each space gets its partial HNSW index when it is first used.
create table embeddings (
    workspace_id uuid not null,
    chunk_id uuid not null,
    space_id smallint not null references embedding_spaces,
    item_id uuid not null references items on delete cascade,
    language text not null,
    embedded_sha256 bytea not null check (length(embedded_sha256) = 32),
    embedding halfvec not null,
    primary key (workspace_id, chunk_id, space_id),
    foreign key (workspace_id, chunk_id) references chunks (workspace_id, id) on delete cascade
) partition by hash (workspace_id);
create index embeddings_known on embeddings (workspace_id, space_id, embedded_sha256);
create index embeddings_item on embeddings (item_id);

do $$
begin
    for remainder in 0..7 loop
        execute format('create table chunks_%1$s partition of chunks for values with (modulus 8, remainder %1$s)', remainder);
        -- Rows of 2-4 kB are read by the thousand: keep them in line.
        execute format('create table chunk_terms_%1$s partition of chunk_terms for values with (modulus 8, remainder %1$s)'
                       ' with (toast_tuple_target = 8160)', remainder);
        execute format('alter table chunk_terms_%1$s alter terms set storage main, alter weights set storage main', remainder);
        execute format('create table embeddings_%1$s partition of embeddings for values with (modulus 8, remainder %1$s)', remainder);
    end loop;
end $$;
create index chunk_terms_terms on chunk_terms using gin (terms) with (fastupdate = off);

-- In how many chunks of a workspace a term is.
create table term_statistics (
    workspace_id uuid not null references workspaces on delete cascade,
    term integer not null,
    chunks integer not null,
    primary key (workspace_id, term)
) with (fillfactor = 80);

-- What BM25 needs of a workspace as a whole, by language.
create table language_statistics (
    workspace_id uuid not null references workspaces on delete cascade,
    language text not null,
    chunks integer not null,
    length double precision not null,
    primary key (workspace_id, language)
);
