-- Citations: which passages of which revisions were used by what; and knowledge bases as they are listed and named.

-- Their names are for people: that one is taken would tell of a private one.
drop index knowledge_bases_name;
create index knowledge_bases_workspace on knowledge_bases (workspace_id, id);

-- One use of passages by a consumer (an answer, an agent run, a page), with its text where that is kept. `cited`
-- passages were named when it was made; where fewer are readable, title and text are withheld. No column refers to a
-- principal: whoever goes leaves the row as it is.
create table answers (
    id uuid primary key,
    workspace_id uuid not null references workspaces on delete cascade,
    consumer_kind text not null check (consumer_kind ~ '^[a-z][a-z0-9_]{0,62}$'),
    consumer_id text not null check (length(consumer_id) between 1 and 200 and consumer_id !~ '[[:cntrl:]]'),
    title text check (length(title) between 1 and 500),
    text text check (length(text) between 1 and 100000),
    text_characters integer check (text_characters > 0),
    text_sha256 bytea check (length(text_sha256) = 32),
    cited integer not null check (cited > 0),
    created_by uuid not null,
    created_at timestamptz not null default now(),
    unique (workspace_id, id),
    check (num_nonnulls(text_characters, text_sha256) in (0, 2) and (text is null or text_sha256 is not null))
);
create index answers_consumer on answers (workspace_id, consumer_kind, consumer_id, id);

-- A passage that was used: characters [span_start, span_end) of a revision's body. `chunk_id` outlives its chunk.
create table citations (
    id uuid primary key,
    workspace_id uuid not null,
    answer_id uuid not null,
    item_id uuid not null,
    revision integer not null,
    chunk_id uuid,
    span_start integer not null check (span_start >= 0),
    span_end integer not null check (span_end > span_start),
    quote text check (length(quote) between 1 and 20000),
    foreign key (workspace_id, answer_id) references answers (workspace_id, id) on delete cascade,
    foreign key (item_id, revision) references revisions (item_id, number) on delete cascade
);
create index citations_answer on citations (workspace_id, answer_id, id);
create index citations_item on citations (workspace_id, item_id, id);
create index citations_revision on citations (item_id, revision);

-- Append-only, for the owner of the database too. Citations leave with their revision, which leaves with its item,
-- and answers with their workspace.
create function refuse_to_change_citation() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' then
        if not exists (select from revisions r where r.item_id = old.item_id and r.number = old.revision)
            or not exists (select from answers a where a.id = old.answer_id)
        then
            return old;
        end if;
    end if;
    raise exception 'citations are never changed' using errcode = 'insufficient_privilege',
        hint = 'They leave with the item that they cite.';
end $$;
create trigger citations_are_kept before update or delete on citations
    for each row execute function refuse_to_change_citation();
create trigger citations_are_not_emptied before truncate on citations
    for each statement execute function refuse_to_change_citation();

-- An answer loses title and text, and nothing else, with the first item that it cites.
create function refuse_to_change_answer() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' then
        if not exists (select from workspaces w where w.id = old.workspace_id) then
            return old;
        end if;
    elsif tg_op = 'UPDATE' then
        if pg_trigger_depth() > 1 and new.text is null and new.title is null
            and to_jsonb(new) - array['text', 'title'] = to_jsonb(old) - array['text', 'title']
        then
            return new;
        end if;
    end if;
    raise exception 'answers are never changed' using errcode = 'insufficient_privilege',
        hint = 'Their texts leave with the items that they cite.';
end $$;
create trigger answers_are_kept before update or delete on answers
    for each row execute function refuse_to_change_answer();
create trigger answers_are_not_emptied before truncate on answers
    for each statement execute function refuse_to_change_answer();

-- What was written out of an item that is gone for good goes too: in the name of the tables' owner, as rows that
-- leave with others do.
create function forget_copies() returns trigger language plpgsql as $$
begin
    update answers a set text = null, title = null
    where a.workspace_id = old.workspace_id and a.id = old.answer_id
      and (a.text is not null or a.title is not null);
    return old;
end $$;
create trigger citations_forget_copies before delete on citations
    for each row execute function forget_copies();
