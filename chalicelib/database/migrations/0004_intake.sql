-- Received originals, and how far their extraction got.

create table originals (
    workspace_id uuid not null references workspaces on delete cascade,
    sha256 bytea not null check (length(sha256) = 32),
    bytes bigint not null check (bytes >= 0),
    media_type text not null,
    created_at timestamptz not null default now(),
    primary key (workspace_id, sha256)
);

create table uploads (
    id uuid primary key,
    workspace_id uuid not null references workspaces on delete cascade,
    path text not null,
    filename text not null,
    source text not null check (source in ('direct', 'presigned', 'drop')),
    source_key text not null,
    declared_bytes bigint check (declared_bytes >= 0),
    declared_sha256 bytea check (length(declared_sha256) = 32),
    attributes jsonb not null default '{}' check (jsonb_typeof(attributes) = 'object'),
    audience text[] not null,
    event_sequencer text,
    state text not null check (state in ('pending', 'running', 'succeeded', 'failed', 'skipped')),
    reason jsonb,
    outcome text check (outcome in ('added', 'updated', 'unchanged')),
    sha256 bytea check (length(sha256) = 32),
    bytes bigint check (bytes >= 0),
    media_type text,
    extractor text,
    extract_seconds double precision,
    warnings jsonb not null default '[]' check (jsonb_typeof(warnings) = 'array'),
    item_id uuid references items on delete set null,
    revision integer,
    created_by uuid references principals on delete set null,
    created_at timestamptz not null default now(),
    received_at timestamptz,
    finished_at timestamptz,
    expires_at timestamptz,
    check ((state in ('failed', 'skipped')) = (reason is not null)),
    check (state = 'pending' or received_at is not null or state = 'failed'),
    foreign key (workspace_id, sha256) references originals (workspace_id, sha256)
);
create index uploads_listing on uploads (workspace_id, id);
create index uploads_state on uploads (workspace_id, state);
create index uploads_original on uploads (workspace_id, sha256) where sha256 is not null;
create index uploads_item on uploads (item_id) where item_id is not null;
create unique index uploads_drop_event on uploads (workspace_id, source_key, event_sequencer) where source = 'drop';
alter table items add foreign key (upload_id) references uploads on delete set null;
