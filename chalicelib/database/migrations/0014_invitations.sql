-- Invitations, keys that follow others, and environments by id.

-- A promise of a membership to whoever holds the token. It is void once whoever gave it could not give it any more.
create table invitations (
    id uuid primary key,
    organization_id uuid not null references organizations on delete cascade,
    email text not null check (email like '%_@_%'),
    organization_role text not null check (organization_role in ('member', 'admin')),
    roles jsonb not null default '{}' check (jsonb_typeof(roles) = 'object'),
    prefix text not null unique,
    secret_hash bytea not null check (length(secret_hash) = 32),
    invited_by uuid references principals on delete set null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    accepted_at timestamptz,
    accepted_by uuid references principals on delete set null,
    revoked_at timestamptz,
    check (accepted_at is null or revoked_at is null)
);
create index invitations_organization on invitations (organization_id, id);
create index invitations_invited_by on invitations (invited_by);
create index invitations_accepted_by on invitations (accepted_by) where accepted_by is not null;

-- The key that this one follows. No key has two successors.
alter table api_keys add column rotated_from uuid references api_keys on delete set null;
create unique index api_keys_rotated_from on api_keys (rotated_from) where rotated_from is not null;

alter table environments add column id uuid not null default gen_random_uuid();
create unique index environments_id on environments (id);
