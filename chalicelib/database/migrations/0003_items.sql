-- The unit of knowledge, its revisions, and what a workspace has used up.

create table bodies (
    owner_id uuid not null,
    sha256 bytea not null check (length(sha256) = 32),
    body text not null,
    primary key (owner_id, sha256)
);

create table items (
    id uuid primary key,
    workspace_id uuid references workspaces on delete cascade,
    organization_id uuid references organizations on delete cascade,
    owner_id uuid not null generated always as (coalesce(workspace_id, organization_id)) stored,
    kind text not null check (kind in ('page', 'skill', 'file', 'source')),
    class text not null check (class in ('brand', 'legal', 'seo', 'glossary', 'competitors', 'personas', 'style',
                                         'research', 'output', 'freeform')),
    scope text not null check (scope in ('workspace', 'agent', 'library')),
    status text not null check (status in ('draft', 'active', 'archived')),
    path text not null check (length(path) between 1 and 1000 and path !~ '(^/|/$|//|(^|/)\.\.?(/|$))'),
    title text not null check (length(title) between 1 and 500),
    description text not null default '' check (length(description) <= 2000),
    language text check (language ~ '^[a-z]{2,3}$'),
    tags text[] not null default '{}',
    categories text[] not null default '{}',
    metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object'),
    warnings jsonb not null default '[]' check (jsonb_typeof(warnings) = 'array'),
    audience text[] not null,
    revision integer not null check (revision > 0),
    body_sha256 bytea not null,
    body_bytes integer not null check (body_bytes >= 0),
    page_starts integer[] not null default '{}',
    original_sha256 bytea,
    original_bytes bigint check (original_bytes >= 0),
    original_media_type text,
    upload_id uuid,
    index_state text not null check (index_state in ('pending', 'indexing', 'text_ready', 'ready', 'no_text', 'failed')),
    index_reason jsonb,
    indexed_revision integer check (indexed_revision <= revision),
    chunk_count integer not null default 0 check (chunk_count >= 0),
    created_by uuid references principals on delete set null,
    updated_by uuid references principals on delete set null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    deleted_at timestamptz,
    deleted_by uuid references principals on delete set null,
    check (num_nonnulls(workspace_id, organization_id) = 1),
    check ((index_state = 'failed') <= (index_reason is not null)),
    foreign key (owner_id, body_sha256) references bodies (owner_id, sha256)
);
-- One living item a path, whoever is faster.
create unique index items_living_path on items (owner_id, path collate "C") where deleted_at is null;
create index items_by_path on items (workspace_id, path collate "C", id) where deleted_at is null;
create index items_recent on items (workspace_id, updated_at, id) where deleted_at is null;
create index items_state on items (workspace_id, index_state) where deleted_at is null;
create index items_tags on items using gin (tags) where deleted_at is null;
create index items_original on items (workspace_id, original_sha256) where original_sha256 is not null;
create index items_body on items (owner_id, body_sha256);

-- Immutable. A revision holds what describes the item as well as its body, since every change makes one.
create table revisions (
    item_id uuid not null references items on delete cascade,
    number integer not null check (number > 0),
    owner_id uuid not null,
    body_sha256 bytea not null,
    title text not null,
    state jsonb not null check (jsonb_typeof(state) = 'object'),
    created_by uuid references principals on delete set null,
    created_at timestamptz not null default now(),
    primary key (item_id, number),
    foreign key (owner_id, body_sha256) references bodies (owner_id, sha256)
);
create index revisions_body on revisions (owner_id, body_sha256);

-- What a workspace holds, counted in the transaction of each change. Checks keep a counter from going negative.
create table workspace_usage (
    workspace_id uuid primary key references workspaces on delete cascade,
    items bigint not null default 0 check (items >= 0),
    uploads bigint not null default 0 check (uploads >= 0),
    original_bytes bigint not null default 0 check (original_bytes >= 0),
    body_bytes bigint not null default 0 check (body_bytes >= 0),
    chunks bigint not null default 0 check (chunks >= 0)
);
