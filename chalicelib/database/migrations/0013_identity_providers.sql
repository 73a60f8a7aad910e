-- Issuers whose tokens an organization takes, and which of their subjects is which of its users.

create table identity_providers (
    id uuid primary key,
    organization_id uuid not null references organizations on delete cascade,
    name text not null check (length(name) between 1 and 200),
    issuer text not null unique check (length(issuer) between 1 and 500),
    audiences text[] not null check (cardinality(audiences) between 1 and 20),
    algorithms text[] not null check (cardinality(algorithms) > 0 and algorithms <@ array[
        'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'
    ]),
    scopes text[] not null check (cardinality(scopes) > 0 and scopes <@ array['read', 'write', 'admin']),
    name_claim text not null check (length(name_claim) between 1 and 200),
    email_claim text not null check (length(email_claim) between 1 and 200),
    email_verified_claim text not null check (length(email_verified_claim) between 1 and 200),
    links_by_email boolean not null,
    admits boolean not null,
    email_domains text[] check (cardinality(email_domains) between 1 and 100),
    created_by uuid references principals on delete set null,
    created_at timestamptz not null default now(),
    disabled_at timestamptz,
    -- The issuer's public keys as they were fetched last, and when they were last asked for, in vain or not.
    jwks_uri text not null check (length(jwks_uri) between 1 and 2000),
    keys jsonb not null check (jsonb_typeof(keys) = 'array'),
    keys_fetched_at timestamptz not null,
    keys_sought_at timestamptz not null,
    unique (id, organization_id)
);
create index identity_providers_organization on identity_providers (organization_id, id);

create table user_identities (
    provider_id uuid not null,
    subject text not null check (length(subject) between 1 and 255),
    organization_id uuid not null,
    principal_id uuid not null,
    known_by text not null check (known_by in ('email', 'admission')),
    created_at timestamptz not null default now(),
    last_used_at timestamptz,
    primary key (provider_id, subject),
    -- Who takes over an address does not become the user who had it before.
    unique (provider_id, principal_id),
    foreign key (provider_id, organization_id) references identity_providers (id, organization_id) on delete cascade,
    foreign key (principal_id, organization_id) references principals (id, organization_id) on delete cascade
);
create index user_identities_principal on user_identities (principal_id);
