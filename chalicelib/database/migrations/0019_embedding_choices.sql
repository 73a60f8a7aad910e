-- Which embedding space an organization searches in, which is being filled, and which it can go back to. Spaces go by
-- their names: one is registered, with its index, when the first vector comes. An organization without a row has no
-- vectors; it is given the deployment's default space with its first one.
create table embedding_choices (
    organization_id uuid primary key references organizations on delete cascade,
    active_space text check (length(active_space) between 1 and 200),
    filling_space text check (length(filling_space) between 1 and 200),
    former_space text check (length(former_space) between 1 and 200),
    filling_since timestamptz,
    check (filling_space is distinct from active_space or active_space is null),
    check (former_space is distinct from active_space or active_space is null),
    check (former_space is distinct from filling_space or filling_space is null)
);

-- Whoever has vectors already keeps the space that has most of them until somebody changes it.
insert into embedding_choices (organization_id, active_space)
select distinct on (w.organization_id) w.organization_id, s.name
from (select workspace_id, space_id, count(*) as vectors from embeddings group by workspace_id, space_id) counted
join workspaces w on w.id = counted.workspace_id
join embedding_spaces s on s.id = counted.space_id
group by w.organization_id, s.id, s.name
order by w.organization_id, sum(counted.vectors) desc, s.id;

-- How far the chunks of a workspace have their vectors in a space that was chosen for chunks which were there before.
create table embedding_fills (
    workspace_id uuid not null references workspaces on delete cascade,
    space text not null,
    state text not null check (state in ('waiting', 'filling', 'done', 'stopped', 'forgetting')),
    chunks_total integer not null default 0,
    chunks_done integer not null default 0,
    chunks_reused integer not null default 0,
    tokens bigint not null default 0,
    seconds double precision not null default 0,
    problem jsonb,
    started_at timestamptz,
    finished_at timestamptz,
    primary key (workspace_id, space)
);

-- Chunks that a space's embedder gives no usable vector for, so that nobody tries them for ever.
create table embedding_failures (
    workspace_id uuid not null,
    chunk_id uuid not null,
    space text not null,
    reason text not null,
    primary key (workspace_id, chunk_id, space),
    foreign key (workspace_id, chunk_id) references chunks (workspace_id, id) on delete cascade
);

-- What an item's chunks were made by (analysis, chunker, sizes); null: by what was there before this migration.
alter table items add column indexed_as text;
-- Items that wait for vectors, found by the sweep once an embedder is there again.
create index items_text_ready on items (workspace_id) where index_state = 'text_ready' and deleted_at is null;
