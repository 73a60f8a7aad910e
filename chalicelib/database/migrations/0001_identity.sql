-- Tenants, who may ask, and the one access predicate.

create extension if not exists vector;

create table organizations (
    id uuid primary key,
    name text not null check (length(name) between 1 and 200),
    created_at timestamptz not null default now()
);

create table workspaces (
    id uuid primary key,
    organization_id uuid not null references organizations on delete cascade,
    slug text not null check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
    name text not null check (length(name) between 1 and 200),
    quotas jsonb not null default '{}' check (jsonb_typeof(quotas) = 'object'),
    created_at timestamptz not null default now(),
    unique (organization_id, slug),
    unique (id, organization_id)
);

-- Users, agents and services are one table: every reference to who did or may do something is a foreign key.
create table principals (
    id uuid primary key,
    organization_id uuid not null references organizations on delete cascade,
    kind text not null check (kind in ('user', 'agent', 'service')),
    name text not null check (length(name) between 1 and 200),
    email text check (email like '%_@_%'),
    organization_role text not null default 'member' check (organization_role in ('member', 'admin')),
    created_at timestamptz not null default now(),
    disabled_at timestamptz,
    check (kind = 'user' or email is null),
    unique (id, organization_id)
);
create unique index principals_email on principals (organization_id, lower(email)) where email is not null;

create table memberships (
    organization_id uuid not null,
    workspace_id uuid not null,
    principal_id uuid not null,
    role text not null check (role in ('viewer', 'editor', 'owner')),
    created_at timestamptz not null default now(),
    primary key (workspace_id, principal_id),
    foreign key (workspace_id, organization_id) references workspaces (id, organization_id) on delete cascade,
    foreign key (principal_id, organization_id) references principals (id, organization_id) on delete cascade
);
create index memberships_principal on memberships (principal_id);

create table api_keys (
    id uuid primary key,
    organization_id uuid not null,
    principal_id uuid not null,
    name text not null check (length(name) between 1 and 200),
    prefix text not null unique,
    secret_hash bytea not null check (length(secret_hash) = 32),
    scopes text[] not null check (scopes <@ array['read', 'write', 'admin'] and cardinality(scopes) > 0),
    workspace_ids uuid[] check (cardinality(workspace_ids) > 0),
    created_by uuid references principals on delete set null,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz,
    foreign key (principal_id, organization_id) references principals (id, organization_id) on delete cascade
);
create index api_keys_principal on api_keys (principal_id);

-- What a principal did once under an Idempotency-Key, so that a repeated POST answers the same.
create table idempotency_keys (
    principal_id uuid not null references principals on delete cascade,
    key text not null check (length(key) between 1 and 255),
    request_hash bytea not null,
    status integer,
    headers jsonb,
    body text,
    created_at timestamptz not null default now(),
    primary key (principal_id, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);

-- The one predicate: may someone who holds these tokens read something with this audience?
-- Empty or unknown on either side means no. Inlined, so that an index on an audience column serves it.
create function readable(audience text[], tokens text[]) returns boolean
    language sql immutable parallel safe
    return audience && tokens;
