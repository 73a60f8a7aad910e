-- Who may read what: teams, environments, what is said about folders, items and knowledge bases, and audiences
-- as rows that items refer to.

create table teams (
    id uuid primary key,
    organization_id uuid not null references organizations on delete cascade,
    name text not null check (length(name) between 1 and 200),
    created_at timestamptz not null default now(),
    unique (id, organization_id)
);
create unique index teams_name on teams (organization_id, lower(name));

create table team_members (
    organization_id uuid not null,
    team_id uuid not null,
    principal_id uuid not null,
    created_at timestamptz not null default now(),
    primary key (team_id, principal_id),
    foreign key (team_id, organization_id) references teams (id, organization_id) on delete cascade,
    foreign key (principal_id, organization_id) references principals (id, organization_id) on delete cascade
);
create index team_members_principal on team_members (principal_id);

-- Agents see the knowledge of their own environment alone. Null, here and below, is the default one.
create table environments (
    organization_id uuid not null references organizations on delete cascade,
    slug text not null check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' and slug <> 'default'),
    created_at timestamptz not null default now(),
    primary key (organization_id, slug)
);
alter table principals
    add column environment text,
    add check (environment is null or kind = 'agent'),
    add foreign key (organization_id, environment) references environments (organization_id, slug);

-- A folder has a row where something is said about it; others exist by the paths of their items.
create table folders (
    id uuid primary key,
    workspace_id uuid not null references workspaces on delete cascade,
    path text not null check (length(path) between 1 and 1000 and path !~ '(^/|/$|//|(^|/)\.\.?(/|$))'),
    created_by uuid references principals on delete set null,
    created_at timestamptz not null default now(),
    unique (workspace_id, path)
);

create table knowledge_bases (
    id uuid primary key,
    workspace_id uuid not null references workspaces on delete cascade,
    name text not null check (length(name) between 1 and 200),
    description text not null default '' check (length(description) <= 2000),
    visibility text not null default 'private' check (visibility in ('private', 'workspace', 'organization')),
    settings jsonb not null default '{}' check (jsonb_typeof(settings) = 'object'),
    created_by uuid references principals on delete set null,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);
create unique index knowledge_bases_name on knowledge_bases (workspace_id, lower(name));

create table knowledge_base_members (
    knowledge_base_id uuid not null references knowledge_bases on delete cascade,
    folder_id uuid references folders on delete cascade,
    item_id uuid references items on delete cascade,
    check (num_nonnulls(folder_id, item_id) = 1),
    unique (knowledge_base_id, folder_id),
    unique (knowledge_base_id, item_id)
);
create index knowledge_base_members_folder on knowledge_base_members (folder_id) where folder_id is not null;
create index knowledge_base_members_item on knowledge_base_members (item_id) where item_id is not null;

create table knowledge_base_agents (
    knowledge_base_id uuid not null references knowledge_bases on delete cascade,
    principal_id uuid not null references principals on delete cascade,
    primary key (knowledge_base_id, principal_id)
);
create index knowledge_base_agents_principal on knowledge_base_agents (principal_id);

-- What was said about who may read a folder or an item, by identity. `audience` holds access tokens, null where
-- nothing of its own was said.
create table access_settings (
    subject_id uuid primary key,
    workspace_id uuid not null references workspaces on delete cascade,
    folder_id uuid references folders on delete cascade,
    item_id uuid references items on delete cascade,
    audience_kind text check (audience_kind in ('workspace', 'organization', 'teams', 'named', 'only_me')),
    audience text[],
    inherits boolean not null default true,
    is_restricted boolean not null default false,
    environment text,
    updated_by uuid references principals on delete set null,
    updated_at timestamptz not null default now(),
    check (num_nonnulls(folder_id, item_id) = 1 and subject_id = coalesce(folder_id, item_id)),
    check ((audience_kind is null) = (audience is null))
);
create index access_settings_folder on access_settings (folder_id) where folder_id is not null;
create index access_settings_item on access_settings (workspace_id, item_id) where item_id is not null;
create index access_settings_audience on access_settings using gin (audience);

create table grants (
    id uuid primary key,
    workspace_id uuid not null references workspaces on delete cascade,
    folder_id uuid references folders on delete cascade,
    item_id uuid references items on delete cascade,
    knowledge_base_id uuid references knowledge_bases on delete cascade,
    principal_id uuid references principals on delete cascade,
    team_id uuid references teams on delete cascade,
    action text not null check (action in ('read', 'write')),
    granted_by uuid references principals on delete set null,
    granted_at timestamptz not null default now(),
    check (num_nonnulls(folder_id, item_id, knowledge_base_id) = 1),
    check (num_nonnulls(principal_id, team_id) = 1),
    unique nulls not distinct (folder_id, item_id, knowledge_base_id, principal_id, team_id)
);
create index grants_workspace on grants (workspace_id, id);
create index grants_folder on grants (folder_id) where folder_id is not null;
create index grants_item on grants (item_id) where item_id is not null;
create index grants_knowledge_base on grants (knowledge_base_id) where knowledge_base_id is not null;
create index grants_principal on grants (principal_id) where principal_id is not null;
create index grants_team on grants (team_id) where team_id is not null;

-- Each set of readers that some item or upload of a workspace has, once and immutable. A principal is in it whose
-- tokens meet every one of `clauses`, arrays of access tokens; no clause at all would be everybody, so there is one.
create table audiences (
    id bigint generated always as identity primary key,
    workspace_id uuid not null references workspaces on delete cascade,
    digest bytea not null check (length(digest) = 32),
    clauses jsonb not null check (jsonb_typeof(clauses) = 'array' and jsonb_array_length(clauses) > 0),
    environment text,
    unique (workspace_id, digest)
);

alter table items add column audience_id bigint references audiences, alter column audience set default '{}';
alter table uploads add column audience_id bigint references audiences, alter column audience set default '{}';

insert into audiences (workspace_id, digest, clauses)
select found.workspace_id, sha256(convert_to(array_to_string(found.tokens, ' '), 'UTF8')),
       jsonb_build_array(to_jsonb(found.tokens))
from (
    select workspace_id, audience as tokens from items where workspace_id is not null and audience <> '{}'
    union
    select workspace_id, audience from uploads where audience <> '{}'
) found;
update items i set audience_id = a.id
from audiences a where a.workspace_id = i.workspace_id and a.clauses = jsonb_build_array(to_jsonb(i.audience));
update uploads u set audience_id = a.id
from audiences a where a.workspace_id = u.workspace_id and a.clauses = jsonb_build_array(to_jsonb(u.audience));

create index items_audience on items (workspace_id, audience_id);
create index uploads_audience on uploads (workspace_id, audience_id);

-- While functions of the version before still run, they say the audience as tokens.
create function refer_to_audience() returns trigger language plpgsql as $$
begin
    insert into audiences (workspace_id, digest, clauses)
    values (new.workspace_id, sha256(convert_to(array_to_string(new.audience, ' '), 'UTF8')),
            jsonb_build_array(to_jsonb(new.audience)))
    on conflict do nothing;
    select a.id into new.audience_id from audiences a
    where a.workspace_id = new.workspace_id and a.clauses = jsonb_build_array(to_jsonb(new.audience));
    return new;
end $$;
create trigger items_refer_to_audience before insert on items
    for each row when (new.audience_id is null and new.audience <> '{}') execute function refer_to_audience();
create trigger uploads_refer_to_audience before insert on uploads
    for each row when (new.audience_id is null and new.audience <> '{}') execute function refer_to_audience();

-- The one predicate: may someone who is in these audiences read something with this one? Unknown means no.
-- Inlined, so that an index on an audience column serves it, and hashed where the array is long.
create function readable(audience_id bigint, audiences bigint[]) returns boolean
    language sql immutable parallel safe
    return audience_id = any (audiences);

-- The folders that a path lies in, the root ('') first.
create function folders_of(path text) returns text[]
    language sql immutable parallel safe
    return (
        select array_agg(array_to_string((string_to_array(path, '/'))[1:depth], '/') order by depth)
        from generate_series(0, cardinality(string_to_array(path, '/')) - 1) as depth
    );
