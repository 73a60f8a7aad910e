-- What a language model says of a document, indexed with each of its chunks.

-- A workspace that has a row has its documents described.
create table context_settings (
    workspace_id uuid primary key references workspaces on delete cascade,
    switched_on_at timestamptz not null default now(),
    switched_on_by uuid references principals on delete set null
);

-- One summary a document: indexed with its chunks and never shown. `body_sha256` is the body that was described, which
-- a later one is compared with; `revision` is the one that had it.
create table item_contexts (
    workspace_id uuid not null references workspaces on delete cascade,
    item_id uuid not null references items on delete cascade,
    revision integer not null check (revision > 0),
    body_sha256 bytea not null check (length(body_sha256) = 32),
    model text not null check (length(model) between 1 and 200),
    summary text not null check (length(summary) between 1 and 2000),
    described_at timestamptz not null default now(),
    primary key (workspace_id, item_id)
);
create index item_contexts_item on item_contexts (item_id);
