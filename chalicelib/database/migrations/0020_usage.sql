-- What embedding and language models used, by workspace and purpose, and what may be spent.

-- The ledger: one row a day (UTC), counted up. A workspace that is gone keeps its rows: what was spent was spent.
create table model_usage (
    organization_id uuid not null references organizations on delete cascade,
    workspace_id uuid,
    day date not null,
    purpose text not null check (length(purpose) between 1 and 50),
    kind text not null check (kind in ('embed', 'generate', 'rerank')),
    model text not null check (length(model) between 1 and 200),
    calls bigint not null check (calls >= 0),
    input_tokens bigint not null check (input_tokens >= 0),
    output_tokens bigint not null check (output_tokens >= 0),
    unique nulls not distinct (organization_id, day, workspace_id, purpose, kind, model)
);
create index model_usage_workspace on model_usage (workspace_id, day);

-- The same by month, so that a budget is compared with a few rows; without a workspace: of the whole organization.
create table model_spending (
    organization_id uuid not null references organizations on delete cascade,
    workspace_id uuid,
    month date not null check (extract(day from month) = 1),
    model text not null,
    input_tokens bigint not null check (input_tokens >= 0),
    output_tokens bigint not null check (output_tokens >= 0),
    unique nulls not distinct (organization_id, month, workspace_id, model)
);

-- How far the ledger has heard of each process that counts, so that nothing is written twice.
create table usage_meters (
    id uuid primary key,
    flush bigint not null,
    flushed_at timestamptz not null
);
create index usage_meters_flushed on usage_meters (flushed_at);

-- What may be spent in a calendar month (UTC); without a workspace: by the whole organization.
create table budgets (
    organization_id uuid not null references organizations on delete cascade,
    workspace_id uuid,
    tokens bigint check (tokens >= 0),
    money numeric(18, 6) check (money >= 0),
    changed_by uuid references principals on delete set null,
    changed_at timestamptz not null,
    check (tokens is not null or money is not null),
    unique nulls not distinct (organization_id, workspace_id),
    foreign key (workspace_id, organization_id) references workspaces (id, organization_id) on delete cascade
);
create index budgets_changed_by on budgets (changed_by) where changed_by is not null;

-- A job that is put off until a time that may be weeks ahead; those behind it do not wait for it.
alter table jobs add column is_put_off boolean not null default false;
-- The lease of a running job under which what it may wait for has come: given back, it is due at once.
alter table jobs add column woken_fence bigint;
