-- The tokens of audiences, one a row, so that finding those that somebody is in costs as much as there are, and not
-- as there are in the workspace; and indexes that also find what has an audience when one is to be forgotten.

create table audience_tokens (
    workspace_id uuid not null,
    token text not null,
    audience_id bigint not null references audiences on delete cascade,
    -- Which of its audience's clauses has the token, of how many.
    clause integer not null,
    clauses integer not null,
    environment text,
    primary key (workspace_id, token, audience_id, clause) include (clauses, environment)
);
create index audience_tokens_audience on audience_tokens (audience_id);

-- Audiences are immutable, so their tokens are written once, by whatever writes an audience.
create function list_audience_tokens() returns trigger language plpgsql as $$
begin
    insert into audience_tokens (workspace_id, token, audience_id, clause, clauses, environment)
    select distinct new.workspace_id, said.token, new.id, clause.number, jsonb_array_length(new.clauses),
           new.environment
    from jsonb_array_elements(new.clauses) with ordinality as clause(tokens, number),
         jsonb_array_elements_text(clause.tokens) as said(token);
    return null;
end $$;
create trigger audiences_list_tokens after insert on audiences
    for each row execute function list_audience_tokens();

insert into audience_tokens (workspace_id, token, audience_id, clause, clauses, environment)
select distinct a.workspace_id, said.token, a.id, clause.number, jsonb_array_length(a.clauses), a.environment
from audiences a,
     jsonb_array_elements(a.clauses) with ordinality as clause(tokens, number),
     jsonb_array_elements_text(clause.tokens) as said(token);

-- An audience that is deleted is looked for in items and uploads by its number alone, as foreign keys do.
create index items_of_audience on items (audience_id, workspace_id);
create index uploads_of_audience on uploads (audience_id, workspace_id);
drop index items_audience;
drop index uploads_audience;
