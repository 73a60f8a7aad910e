-- The activity: who did what to which thing, when. Rows are added and read, and never changed.

-- No column but the organization refers to anything: a row outlives its thing, its actor and its workspace. Ids are
-- UUIDv7 and are the time, so that ranges of ids could be partitions.
create table activity (
    id uuid primary key,
    recorded_at timestamptz not null,
    organization_id uuid not null references organizations on delete cascade,
    workspace_id uuid,
    -- Null where no principal did it: a drop, the operator at the machine, or the program by itself.
    actor_id uuid,
    actor_kind text check (actor_kind in ('user', 'agent', 'service')),
    actor_name text,
    api_key_id uuid,
    on_behalf_of uuid,
    request_id text check (length(request_id) <= 128),
    action text not null check (action ~ '^[a-z_]+\.[a-z_]+$'),
    outcome text not null default 'done' check (outcome in ('done', 'refused')),
    subject_kind text not null check (subject_kind ~ '^[a-z_]+$'),
    subject_id uuid,
    -- Whether the thing was kept from the workspace's owners when this was written ("only me"). It decides once the
    -- thing is gone; until then, who may read the thing does.
    is_kept_from_owners boolean not null default false,
    before jsonb check (jsonb_typeof(before) = 'object'),
    after jsonb check (jsonb_typeof(after) = 'object'),
    check ((actor_id is null) = (actor_kind is null) and (actor_id is null) = (actor_name is null))
);
create index activity_organization on activity (organization_id, id);
create index activity_workspace on activity (workspace_id, id) where workspace_id is not null;
create index activity_actor on activity (organization_id, actor_id, id) where actor_id is not null;
create index activity_subject on activity (subject_id, id) where subject_id is not null;
create index activity_action on activity (organization_id, action, id);

-- The owner of the database is held to it too, but for what leaves by age, and with its organization.
create function refuse_to_change_activity() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' then
        if current_setting('lorebase.forgetting', true) = 'yes'
            or not exists (select from organizations o where o.id = old.organization_id)
        then
            return old;
        end if;
    end if;
    raise exception 'activity is never changed' using errcode = 'insufficient_privilege',
        hint = 'Rows leave by forget_activity(before) alone.';
end $$;
create trigger activity_is_kept before update or delete on activity
    for each row execute function refuse_to_change_activity();
create trigger activity_is_not_emptied before truncate on activity
    for each statement execute function refuse_to_change_activity();

-- Retention: deletes what is older, says so in the activity of each organization, and returns how many rows left.
-- With the rights of who calls it, which only the owner of the table has.
create function forget_activity(before timestamptz) returns bigint language plpgsql as $$
declare
    -- The first 48 bits of a UUIDv7 (RFC 9562, 5.7) are milliseconds.
    now_in_hex text := lpad(to_hex(floor(extract(epoch from clock_timestamp()) * 1000)::bigint), 12, '0');
    forgotten bigint;
begin
    if before is null or before > now() - interval '90 days' then
        raise exception 'activity of the last 90 days is kept' using errcode = 'invalid_parameter_value';
    end if;
    perform set_config('lorebase.forgetting', 'yes', true);
    with gone as (
        delete from activity a where a.recorded_at < forget_activity.before returning a.organization_id
    ), noted as (
        insert into activity (id, recorded_at, organization_id, action, subject_kind, after)
        select (left(now_in_hex, 8) || '-' || right(now_in_hex, 4) || '-7' || substr(gen_random_uuid()::text, 16))::uuid,
               clock_timestamp(), gone.organization_id, 'activity.forgotten', 'organization',
               jsonb_build_object('before', forget_activity.before, 'count', count(*))
        from gone group by gone.organization_id
        returning after
    )
    select coalesce(sum((n.after ->> 'count')::bigint), 0) into forgotten from noted n;
    perform set_config('lorebase.forgetting', '', true);
    return forgotten;
end $$;
revoke execute on function forget_activity(timestamptz) from public;

-- How often a principal was refused in a minute: the first refusals are recorded one by one, the rest as their count.
create table refusals (
    organization_id uuid not null references organizations on delete cascade,
    actor_id uuid not null,
    actor_kind text not null,
    actor_name text not null,
    minute timestamptz not null,
    count integer not null check (count > 0),
    primary key (organization_id, actor_id, minute)
);
create index refusals_minute on refusals (minute);

-- Whether a workspace's reads and searches are recorded as well.
alter table workspaces add column record_reads boolean not null default false;
