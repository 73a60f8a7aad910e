-- name: item_state
-- What statements put in the place of <item_state>: what a revision keeps of the row of an item beside title and body.
jsonb_build_object('path', path, 'kind', kind, 'class', class, 'scope', scope, 'status', status, 'description',
                   description, 'language', language, 'tags', tags, 'categories', categories, 'metadata', metadata)

-- name: list_trash
-- Read items in the trash that the asker may read and that pass the filters, those deleted last first.
select i.* from items i
where i.workspace_id = %(workspace_id)s and i.deleted_at is not null and readable(i.audience_id, %(audiences)s)
  and (%(path)s::text is null or i.path = %(path)s)
  and (%(folder)s::text is null or starts_with(i.path, %(folder)s || '/'))
  and (%(deleted_by)s::uuid is null or i.deleted_by = %(deleted_by)s)
  and (%(last_deleted_at)s::timestamptz is null or (i.deleted_at, i.id) < (%(last_deleted_at)s, %(last_id)s::uuid))
order by i.deleted_at desc, i.id desc
limit %(limit)s;

-- name: find_in_trash
-- Read one item in the trash that the asker may read.
select i.* from items i
where i.workspace_id = %(workspace_id)s and i.id = %(item_id)s and i.deleted_at is not null
  and readable(i.audience_id, %(audiences)s);

-- name: lock_in_trash
-- Lock one item in the trash that the asker may read, to restore it or to delete it for good.
select i.* from items i
where i.workspace_id = %(workspace_id)s and i.id = %(item_id)s and i.deleted_at is not null
  and readable(i.audience_id, %(audiences)s)
for update;

-- name: find_revision_in_trash
-- Read one revision with its body, of an item in the trash that the asker may read.
select r.item_id, r.number, r.title, r.state, r.created_at, r.created_by, b.body
from revisions r
join items i on i.id = r.item_id
join bodies b on b.owner_id = r.owner_id and b.sha256 = r.body_sha256
where i.workspace_id = %(workspace_id)s and i.id = %(item_id)s and i.deleted_at is not null
  and readable(i.audience_id, %(audiences)s)
  and r.number = %(number)s;

-- name: list_revisions_in_trash
-- Read the revisions of an item in the trash that the asker may read, latest first, without bodies.
select r.item_id, r.number, r.title, r.state, r.created_at, r.created_by, null as body
from revisions r
join items i on i.id = r.item_id
where i.workspace_id = %(workspace_id)s and i.id = %(item_id)s and i.deleted_at is not null
  and readable(i.audience_id, %(audiences)s)
  and (%(before)s::integer is null or r.number < %(before)s)
order by r.number desc
limit %(limit)s;

-- name: restore_item
-- Let an item in the trash, locked before, live again at a path, as its next revision.
with restored as (
    update items
    set path = %(path)s, revision = revision + 1, deleted_at = null, deleted_by = null, index_state = 'pending',
        index_reason = null, indexed_revision = null, updated_by = %(principal_id)s, updated_at = now()
    where workspace_id = %(workspace_id)s and id = %(item_id)s and deleted_at is not null
    returning *
), kept as (
    insert into revisions (item_id, number, owner_id, body_sha256, title, state, created_by)
    select id, revision, owner_id, body_sha256, title, <item_state>, %(principal_id)s from restored
)
select * from restored;

-- name: lock_trash
-- Lock some items in the trash that the asker may read, those that lie there longest first.
select i.* from items i
where i.workspace_id = %(workspace_id)s and i.deleted_at is not null and readable(i.audience_id, %(audiences)s)
order by i.deleted_at, i.id
limit %(limit)s
for update;

-- name: find_oldest_trash
-- Find the workspace of the item that has lain in the trash longest, since before a moment.
select i.workspace_id from items i
where i.workspace_id is not null and i.deleted_at < %(before)s
order by i.deleted_at
limit 1;

-- name: lock_old_trash
-- Lock some items that have lain in the trash of a workspace since before a moment, whoever may read them.
select i.* from items i
where i.workspace_id = %(workspace_id)s and i.deleted_at < %(before)s
order by i.deleted_at, i.id
limit %(limit)s
for update;

-- name: list_bodies
-- Read which bodies the revisions of some items have.
select distinct r.body_sha256
from revisions r
join items i on i.id = r.item_id
where i.workspace_id = %(workspace_id)s and i.id = any(%(item_ids)s);

-- name: count_copies
-- Count the citations of some items, and the bytes of what the answers that cite them still say.
select (select count(*) from citations c
        where c.workspace_id = %(workspace_id)s and c.item_id = any(%(item_ids)s)) as citations,
       coalesce((select sum(a.counted_bytes) from answers a
                 where a.workspace_id = %(workspace_id)s and (a.text is not null or a.title is not null)
                   and a.id in (select c.answer_id from citations c
                                where c.workspace_id = %(workspace_id)s and c.item_id = any(%(item_ids)s))), 0)
           as answer_bytes;

-- name: delete_items
-- Forget items in the trash, locked before; revisions, settings and grants go with them.
delete from items where workspace_id = %(workspace_id)s and id = any(%(item_ids)s) and deleted_at is not null;

-- name: delete_unused_bodies
-- Forget those of some bodies that no revision of any item has, nor any item.
delete from bodies b
where b.owner_id = %(workspace_id)s and b.sha256 = any(%(sha256s)s)
  and not exists (select from items i where i.owner_id = b.owner_id and i.body_sha256 = b.sha256)
  and not exists (select from revisions r where r.owner_id = b.owner_id and r.body_sha256 = b.sha256)
returning octet_length(b.body) as bytes;
