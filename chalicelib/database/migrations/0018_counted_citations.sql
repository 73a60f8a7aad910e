-- Citations count against a quota, and what answers say as bodies do; owners withdraw what an answer says.

-- No check holds it above zero: what code from before this migration keeps is not counted, and leaves all the same.
alter table workspace_usage add column citations bigint not null default 0;
-- How many bytes of title and text were counted when the answer was kept.
alter table answers add column counted_bytes integer not null default 0 check (counted_bytes >= 0);
create index answers_maker on answers (workspace_id, created_by, id);

alter table answers disable trigger answers_are_kept;
update answers set counted_bytes = coalesce(octet_length(title), 0) + coalesce(octet_length(text), 0)
where title is not null or text is not null;
alter table answers enable trigger answers_are_kept;

insert into workspace_usage as u (workspace_id, citations, body_bytes)
select a.workspace_id, sum((select count(*) from citations c where c.workspace_id = a.workspace_id and c.answer_id = a.id)),
       sum(a.counted_bytes)
from answers a
group by a.workspace_id
on conflict (workspace_id) do update
set citations = excluded.citations, body_bytes = u.body_bytes + excluded.body_bytes;

-- An answer loses title and text, and nothing else: with the first item that it cites, or withdrawn by an owner.
create or replace function refuse_to_change_answer() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' then
        if not exists (select from workspaces w where w.id = old.workspace_id) then
            return old;
        end if;
    elsif tg_op = 'UPDATE' then
        if (pg_trigger_depth() > 1 or current_setting('lorebase.withdrawn_answer', true) = old.id::text)
            and new.text is null and new.title is null
            and to_jsonb(new) - array['text', 'title'] = to_jsonb(old) - array['text', 'title']
        then
            return new;
        end if;
    end if;
    raise exception 'answers are never changed' using errcode = 'insufficient_privilege',
        hint = 'Their texts leave with the items that they cite, or are withdrawn.';
end $$;

-- What the role that serves may do to an answer, in the name of the table's owner: this, and nothing else. Returns how
-- many bytes were counted of what it said, null where it says nothing any more.
create function withdraw_answer(of_workspace uuid, withdrawn uuid) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    freed integer;
begin
    perform set_config('lorebase.withdrawn_answer', withdrawn::text, true);
    update public.answers a set text = null, title = null
    where a.workspace_id = of_workspace and a.id = withdrawn and (a.text is not null or a.title is not null)
    returning a.counted_bytes into freed;
    perform set_config('lorebase.withdrawn_answer', '', true);
    return freed;
end $$;
revoke execute on function withdraw_answer(uuid, uuid) from public;
