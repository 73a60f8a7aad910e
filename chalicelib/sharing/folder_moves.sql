-- name: survey_folder
-- Count what lies in a folder, living and in the trash: what the asker may read, what is kept from the asker, and how
-- long and deep paths are.
select count(*) filter (where readable(i.audience_id, %(audiences)s)) as readable,
       count(*) filter (where readable(i.audience_id, %(audiences)s) and i.deleted_at is null) as living,
       count(*) filter (where readable(i.audience_id, %(audiences)s) is not true) as kept,
       coalesce(max(length(i.path)), 0) as longest,
       coalesce(max(cardinality(string_to_array(i.path, '/'))), 0) as deepest
from items i
where i.workspace_id = %(workspace_id)s and starts_with(i.path, %(folder)s || '/');

-- name: find_taken
-- Find a living item that lies where one of a folder would come to lie, first one of which the asker may know.
select case when readable(i.audience_id, %(audiences)s) then taken.path end as path
from items i
join items taken on taken.workspace_id = i.workspace_id and taken.deleted_at is null
  and taken.path = %(target)s || substr(i.path, length(%(source)s) + 1)
where i.workspace_id = %(workspace_id)s and i.deleted_at is null and starts_with(i.path, %(source)s || '/')
  and not starts_with(taken.path, %(source)s || '/')
order by (readable(i.audience_id, %(audiences)s) is true) desc, taken.path collate "C"
limit 1;

-- name: find_crowded
-- Find one of some folders in which something lies, living or in the trash, that does not lie in another.
select folder.path from unnest(%(folders)s::text[]) as folder(path)
where exists (
    select from items i
    where i.workspace_id = %(workspace_id)s and starts_with(i.path, folder.path || '/')
      and not starts_with(i.path, %(source)s || '/')
)
limit 1;

-- name: set_aside
-- Let the living items of a folder hold no path, until they are moved in the same transaction.
update items set deleted_at = 'infinity'
where workspace_id = %(workspace_id)s and deleted_at is null and starts_with(path, %(source)s || '/');

-- name: move_items
-- Give everything in a folder, living and in the trash, its place in another one, as its next revision with the same
-- content: what a search sees of it stays.
with moved as (
    update items
    set path = %(target)s || substr(path, length(%(source)s) + 1), revision = revision + 1,
        indexed_revision = case when indexed_revision = revision then revision + 1 else indexed_revision end,
        deleted_at = nullif(deleted_at, 'infinity'), updated_by = %(principal_id)s, updated_at = now()
    where workspace_id = %(workspace_id)s and starts_with(path, %(source)s || '/')
    returning *
)
insert into revisions (item_id, number, owner_id, body_sha256, title, state, created_by)
select id, revision, owner_id, body_sha256, title, <item_state>, %(principal_id)s from moved;

-- name: move_uploads
-- Let the uploads to a folder go with it: those that lie where their item lies, and those that became none.
update uploads u set path = %(target)s || substr(u.path, length(%(source)s) + 1)
where u.workspace_id = %(workspace_id)s and starts_with(u.path, %(source)s || '/')
  and (u.item_id is null or exists (
      select from items i
      where i.workspace_id = u.workspace_id and i.id = u.item_id
        and i.path = %(target)s || substr(u.path, length(%(source)s) + 1)));

-- name: move_folder
-- Give a folder about which something is said its new path.
update folders set path = %(path)s where workspace_id = %(workspace_id)s and id = %(folder_id)s;
