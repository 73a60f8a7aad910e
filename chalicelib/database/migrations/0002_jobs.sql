-- Promised work: one row a job, the record of what was promised and how it went.

create table jobs (
    id uuid primary key,
    -- The order of creation, free of any clock; jobs of one serial key run in it.
    number bigint generated always as identity,
    workspace_id uuid references workspaces on delete cascade,
    kind text not null check (kind ~ '^[a-z][a-z0-9_]{0,62}$'),
    key text not null check (length(key) between 1 and 500),
    serial_key text check (length(serial_key) between 1 and 500),
    payload jsonb not null check (jsonb_typeof(payload) = 'object'),
    state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'dead', 'cancelled')),
    -- No worker has had it yet, so that a later enqueue of the same kind and key can join it.
    is_untouched boolean not null default true,
    attempts integer not null default 0 check (attempts >= 0),
    not_before timestamptz not null,
    leased_by text,
    lease_expires_at timestamptz,
    fence bigint not null default 0,
    last_error jsonb,
    history jsonb not null default '[]' check (jsonb_typeof(history) = 'array'),
    correlation_id text,
    created_by uuid references principals on delete set null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    finished_at timestamptz,
    check (not is_untouched or state = 'waiting'),
    check ((state = 'running') = (lease_expires_at is not null)),
    check ((state = 'running') = (leased_by is not null)),
    check ((state in ('done', 'dead', 'cancelled')) = (finished_at is not null)),
    check (state <> 'dead' or last_error is not null)
);

create unique index jobs_coalesced on jobs (kind, key) where is_untouched;
-- One at a time, whatever two claims believe they saw.
create unique index jobs_serial_running on jobs (serial_key) where state = 'running';
create index jobs_serial_live on jobs (serial_key, number) where state in ('waiting', 'running') and serial_key is not null;
create index jobs_due on jobs (not_before, number) where state = 'waiting';
create index jobs_leases on jobs (lease_expires_at) where state = 'running';
create index jobs_open_keys on jobs (key) where state in ('waiting', 'running', 'dead');
create index jobs_listed on jobs (workspace_id, created_at, id);
create index jobs_finished on jobs (finished_at) where state in ('done', 'cancelled');
create index jobs_created_by on jobs (created_by) where created_by is not null;
