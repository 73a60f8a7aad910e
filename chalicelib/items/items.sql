-- name: outermost_folders
-- What <readable_items> puts in the place of <outermost_folders>: the prefixes of the folders in some knowledge bases, in
-- order and none within another. Of these the greatest one up to a path is the only one that the path can begin with,
-- which is found by halving: with 100 folders and 100,000 items a count takes a tenth of the time of trying each.
select f.path || '/' from knowledge_base_members m join folders f on f.id = m.folder_id
where m.knowledge_base_id = any(%(knowledge_bases)s)
  and not exists (select from knowledge_base_members other join folders outer_f on outer_f.id = other.folder_id
                  where other.knowledge_base_id = any(%(knowledge_bases)s) and f.path ^@ (outer_f.path || '/'))
order by (f.path || '/') collate "C"

-- name: readable_items
-- The conditions on an item `i` that statements, here and in search, put in the place of <readable_items>: living,
-- within the asker's audience, within the filters.
i.workspace_id = %(workspace_id)s and i.deleted_at is null and readable(i.audience_id, %(audiences)s)
  and (%(kinds)s::text[] is null or i.kind = any(%(kinds)s))
  and (%(classes)s::text[] is null or i.class = any(%(classes)s))
  and (%(scopes)s::text[] is null or i.scope = any(%(scopes)s))
  and (%(statuses)s::text[] is null or i.status = any(%(statuses)s))
  and (%(states)s::text[] is null or i.index_state = any(%(states)s))
  and (%(languages)s::text[] is null or coalesce(i.language, i.indexed_language) = any(%(languages)s))
  and (%(tags)s::text[] is null or i.tags @> %(tags)s)
  and (%(categories)s::text[] is null or i.categories @> %(categories)s)
  and (%(metadata)s::jsonb is null or i.metadata @> %(metadata)s)
  and (%(folder)s::text is null or starts_with(i.path, %(folder)s || '/'))
  and (%(path)s::text is null or i.path = %(path)s)
  and (%(updated_after)s::timestamptz is null or i.updated_at >= %(updated_after)s)
  and (%(updated_before)s::timestamptz is null or i.updated_at < %(updated_before)s)
  and (%(knowledge_bases)s::uuid[] is null
       or i.id in (select m.item_id from knowledge_base_members m
                   where m.knowledge_base_id = any(%(knowledge_bases)s) and m.item_id is not null)
       or i.path ^@ (array(<outermost_folders>))[width_bucket(i.path collate "C", array(<outermost_folders>))])

-- name: put_body
-- Keep a body once an owner; returns a row where it is new.
insert into bodies (owner_id, sha256, body)
values (%(workspace_id)s, %(sha256)s, %(body)s)
on conflict do nothing
returning 1 as added;

-- name: insert_item
-- Add the living item of a path; returns no row where the path is taken.
insert into items (id, workspace_id, kind, class, scope, status, path, title, description, language, tags, categories,
                   metadata, warnings, audience_id, revision, body_sha256, body_bytes, page_starts, original_sha256,
                   original_bytes, original_media_type, upload_id, index_state, created_by, updated_by)
values (%(id)s, %(workspace_id)s, %(kind)s, %(class)s, %(scope)s, %(status)s, %(path)s, %(title)s, %(description)s,
        %(language)s, %(tags)s, %(categories)s, %(metadata)s, %(warnings)s, %(audience_id)s, 1, %(body_sha256)s,
        %(body_bytes)s, %(page_starts)s, %(original_sha256)s, %(original_bytes)s, %(original_media_type)s,
        %(upload_id)s, 'pending', %(principal_id)s, %(principal_id)s)
on conflict (owner_id, path) where deleted_at is null do nothing
returning *;

-- name: update_item
-- Give an item, locked before, the state of its next revision.
update items
set kind = %(kind)s, class = %(class)s, scope = %(scope)s, status = %(status)s, path = %(path)s, title = %(title)s,
    description = %(description)s, language = %(language)s, tags = %(tags)s, categories = %(categories)s,
    metadata = %(metadata)s, warnings = %(warnings)s, revision = revision + 1, body_sha256 = %(body_sha256)s,
    body_bytes = %(body_bytes)s, page_starts = %(page_starts)s, original_sha256 = %(original_sha256)s,
    original_bytes = %(original_bytes)s, original_media_type = %(original_media_type)s, upload_id = %(upload_id)s,
    index_state = 'pending', index_reason = null, updated_by = %(principal_id)s, updated_at = now()
where workspace_id = %(workspace_id)s and id = %(id)s
returning *;

-- name: insert_revision
-- Keep the state that an item has now as a revision.
insert into revisions (item_id, number, owner_id, body_sha256, title, state, created_by)
values (%(item_id)s, %(number)s, %(workspace_id)s, %(body_sha256)s, %(title)s, %(state)s, %(principal_id)s);

-- name: find_item
-- Read one living item that the asker may read.
select i.* from items i
where i.workspace_id = %(workspace_id)s and i.id = %(item_id)s and i.deleted_at is null
  and readable(i.audience_id, %(audiences)s);

-- name: lock_item
-- Lock one living item that the asker may read, to change it.
select i.* from items i
where i.workspace_id = %(workspace_id)s and i.id = %(item_id)s and i.deleted_at is null
  and readable(i.audience_id, %(audiences)s)
for update;

-- name: lock_item_at_path
-- Lock the living item at a path, for intake, which puts files there on behalf of the uploader.
select i.* from items i
where i.workspace_id = %(workspace_id)s and i.path = %(path)s and i.deleted_at is null
for update;

-- name: find_item_at_path
-- Read the living item at a path if the asker may read it.
select i.* from items i
where i.workspace_id = %(workspace_id)s and i.path = %(path)s and i.deleted_at is null
  and readable(i.audience_id, %(audiences)s);

-- name: find_revision
-- Read one revision with its body, of a living item that the asker may read.
select r.item_id, r.number, r.title, r.state, r.created_at, r.created_by, b.body
from revisions r
join items i on i.id = r.item_id
join bodies b on b.owner_id = r.owner_id and b.sha256 = r.body_sha256
where i.workspace_id = %(workspace_id)s and i.id = %(item_id)s and i.deleted_at is null
  and readable(i.audience_id, %(audiences)s)
  and r.number = %(number)s;

-- name: list_revisions
-- Read the revisions of a living item that the asker may read, latest first, without bodies.
select r.item_id, r.number, r.title, r.state, r.created_at, r.created_by, null as body
from revisions r
join items i on i.id = r.item_id
where i.workspace_id = %(workspace_id)s and i.id = %(item_id)s and i.deleted_at is null
  and readable(i.audience_id, %(audiences)s)
  and (%(before)s::integer is null or r.number < %(before)s)
order by r.number desc
limit %(limit)s;

-- name: list_items_by_path
-- Read living items that the asker may read and that pass the filters, in order of their paths.
select i.* from items i
where <readable_items>
  and (%(after_path)s::text is null or i.path collate "C" > %(after_path)s)
order by i.path collate "C"
limit %(limit)s;

-- name: list_items_by_update
-- Read living items that the asker may read and that pass the filters, those changed last first.
select i.* from items i
where <readable_items>
  and (%(last_updated_at)s::timestamptz is null or (i.updated_at, i.id) < (%(last_updated_at)s, %(last_id)s::uuid))
order by i.updated_at desc, i.id desc
limit %(limit)s;

-- name: list_folders
-- Count the readable living items below each immediate subfolder of a folder.
select split_part(substr(i.path, length(%(prefix)s) + 1), '/', 1) as name, count(*) as items
from items i
where <readable_items>
  and starts_with(i.path, %(prefix)s) and strpos(substr(i.path, length(%(prefix)s) + 1), '/') > 0
group by 1
order by split_part(substr(i.path, length(%(prefix)s) + 1), '/', 1) collate "C";

-- name: list_folder_items
-- Read the readable living items that lie directly in a folder, in order of their paths.
select i.* from items i
where <readable_items>
  and starts_with(i.path, %(prefix)s) and strpos(substr(i.path, length(%(prefix)s) + 1), '/') = 0
  and (%(after_path)s::text is null or i.path collate "C" > %(after_path)s)
order by i.path collate "C"
limit %(limit)s;

-- name: list_tags
-- Count the readable living items of each tag.
select tag, count(*) as items
from items i, unnest(i.tags) as tag
where i.workspace_id = %(workspace_id)s and i.deleted_at is null and readable(i.audience_id, %(audiences)s)
group by tag
order by count(*) desc, tag collate "C"
limit %(limit)s;

-- name: bury_item
-- Leave a tombstone where an item, locked before, lived.
update items
set deleted_at = now(), deleted_by = %(principal_id)s, index_state = 'pending', index_reason = null,
    indexed_revision = null, chunk_count = 0
where workspace_id = %(workspace_id)s and id = %(item_id)s and deleted_at is null;

-- name: count_states
-- Count the readable living items by how far they are on their way into search.
select i.index_state as state, count(*) as items
from items i
where i.workspace_id = %(workspace_id)s and i.deleted_at is null and readable(i.audience_id, %(audiences)s)
group by i.index_state;

-- name: count_waits
-- Count the readable living items that are found by their words alone so far, by what is said that they wait for.
select i.index_reason as reason, count(*) as items
from items i
where i.workspace_id = %(workspace_id)s and i.deleted_at is null and readable(i.audience_id, %(audiences)s)
  and i.index_state = 'text_ready' and i.index_reason is not null
group by i.index_reason
order by items desc, reason;

-- name: list_in_state
-- Read the readable living items that are so far on their way into search, those changed last first.
select i.id, i.path, i.index_reason as reason
from items i
where i.workspace_id = %(workspace_id)s and i.deleted_at is null and readable(i.audience_id, %(audiences)s)
  and i.index_state = %(state)s
order by i.updated_at desc, i.id desc
limit %(limit)s;

-- name: set_index_state
-- Note how far an item's present revision is on its way into search.
update items set index_state = %(state)s, index_reason = %(reason)s
where workspace_id = %(workspace_id)s and id = %(item_id)s and deleted_at is null and revision = %(revision)s;
