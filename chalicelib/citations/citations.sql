-- name: readable_cited
-- What statements put in the place of <readable_cited>: how many of the citations of an answer `a` are of items that
-- the asker may read now.
(
    select count(*) from citations o join items i on i.id = o.item_id
    where o.workspace_id = a.workspace_id and o.answer_id = a.id and i.workspace_id = %(workspace_id)s
      and (i.deleted_at is null or %(with_trash)s) and readable(i.audience_id, %(audiences)s)
)

-- name: readable_citations
-- What statements put in the place of <readable_citations>: the citations `c` of an answer `a` of items `i` that the
-- asker may read now.
from citations c
join answers a on a.workspace_id = c.workspace_id and a.id = c.answer_id
join items i on i.workspace_id = c.workspace_id and i.id = c.item_id
where c.workspace_id = %(workspace_id)s and (i.deleted_at is null or %(with_trash)s)
  and readable(i.audience_id, %(audiences)s)

-- name: citation_columns
-- What statements put in the place of <citation_columns>: a citation `c` of an answer `a` of an item `i`. The title is
-- a copy, written by who knew all that was cited.
c.id, c.answer_id, c.item_id, c.revision, c.chunk_id, c.span_start, c.span_end, c.quote, i.path, i.title as item_title,
    i.revision = c.revision as is_current, i.deleted_at is not null as is_deleted, a.consumer_kind, a.consumer_id,
    case when a.cited = <readable_cited> then a.title end as title, a.created_by, a.created_at

-- name: find_passages
-- Look up what is to be cited in items that the asker may read, which stay until commit: the revision, the chunk where
-- search has it for this revision, and whether the quote is in the span.
select wanted.ordinal, r.number as revision, length(b.body) as characters, c.id as chunk_id, c.body_start, c.body_end,
       wanted.quote is null or strpos(
           substr(b.body, coalesce(wanted.span_start, c.body_start) + 1,
                  coalesce(wanted.span_end - wanted.span_start, c.body_end - c.body_start)), wanted.quote) > 0 as has_quote
from jsonb_to_recordset(%(wanted)s::jsonb) as wanted(ordinal integer, item_id uuid, revision integer, chunk_id uuid,
                                                     span_start integer, span_end integer, quote text)
join items i on i.id = wanted.item_id
left join revisions r on r.item_id = i.id and r.number = wanted.revision
left join bodies b on b.owner_id = r.owner_id and b.sha256 = r.body_sha256
left join chunks c on c.workspace_id = %(workspace_id)s and c.id = wanted.chunk_id and c.item_id = i.id
  and i.indexed_revision = wanted.revision
where i.workspace_id = %(workspace_id)s and i.deleted_at is null and readable(i.audience_id, %(audiences)s)
for key share of i;

-- name: insert_answer
-- Keep one use of passages.
insert into answers (id, workspace_id, consumer_kind, consumer_id, title, text, text_characters, text_sha256, cited,
                     counted_bytes, created_by)
values (%(id)s, %(workspace_id)s, %(consumer_kind)s, %(consumer_id)s, %(title)s, %(text)s, %(text_characters)s,
        %(text_sha256)s, %(cited)s, %(counted_bytes)s, %(principal_id)s);

-- name: withdraw_answer
-- Forget title and text of an answer, which nothing else can do while what it cites is there.
select withdraw_answer(%(workspace_id)s, %(answer_id)s) as freed;

-- name: insert_citations
-- Keep the passages of an answer.
insert into citations (id, workspace_id, answer_id, item_id, revision, chunk_id, span_start, span_end, quote)
select cited.id, %(workspace_id)s, %(answer_id)s, cited.item_id, cited.revision, cited.chunk_id, cited.span_start,
       cited.span_end, cited.quote
from jsonb_to_recordset(%(cited)s::jsonb) as cited(id uuid, item_id uuid, revision integer, chunk_id uuid,
                                                   span_start integer, span_end integer, quote text);

-- name: list_citations
-- Read the citations of an item, by a consumer or kept by a member, the latest first, as far as the asker may read what they cite.
select <citation_columns> <readable_citations>
  and (%(item_id)s::uuid is null or c.item_id = %(item_id)s)
  and (%(consumer_kind)s::text is null or a.consumer_kind = %(consumer_kind)s)
  and (%(consumer_id)s::text is null or a.consumer_id = %(consumer_id)s)
  and (%(created_by)s::uuid is null or a.created_by = %(created_by)s)
  and (%(before)s::uuid is null or c.id < %(before)s)
order by c.id desc
limit %(limit)s;

-- name: count_citations
-- Count the citations of an item, by a consumer or kept by a member, as far as the asker may read what they cite.
select count(*) as citations <readable_citations>
  and (%(item_id)s::uuid is null or c.item_id = %(item_id)s)
  and (%(consumer_kind)s::text is null or a.consumer_kind = %(consumer_kind)s)
  and (%(consumer_id)s::text is null or a.consumer_id = %(consumer_id)s)
  and (%(created_by)s::uuid is null or a.created_by = %(created_by)s);

-- name: list_citations_of_answer
-- Read the citations of one answer in their order, as far as the asker may read what they cite.
select <citation_columns> <readable_citations> and c.answer_id = %(answer_id)s
order by c.id;

-- name: find_answer
-- Read an answer, its title and text where the asker may read all that it cites, to who may read some of it or made it.
select found.id, found.consumer_kind, found.consumer_id, found.text_characters, found.text_sha256, found.created_by,
       found.created_at,
       found.cited > found.readable or (found.text is null and found.text_characters is not null) as is_withheld,
       case when found.cited = found.readable then found.title end as title,
       case when found.cited = found.readable then found.text end as text
from (
    select a.*, <readable_cited> as readable from answers a
    where a.workspace_id = %(workspace_id)s and a.id = %(answer_id)s
) found
where found.readable > 0 or found.created_by = %(maker_id)s;
