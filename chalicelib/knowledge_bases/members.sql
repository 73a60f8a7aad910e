-- name: list_members
-- Read the folders and items in a knowledge base that the asker may read, in order of kind and path. A folder is
-- there by the readable items in it: those between `folder/` and `folder0`, the character behind `/`, as the index has it.
select members.*
from (
    select 'folder' as kind, f.id, f.path, null as title, held.items
    from knowledge_base_members m
    join folders f on f.id = m.folder_id
    cross join lateral (
        select count(*) as items from items i
        where i.workspace_id = %(workspace_id)s and i.deleted_at is null and readable(i.audience_id, %(audiences)s)
          and i.path collate "C" > f.path || '/' and i.path collate "C" < f.path || '0'
    ) held
    where f.workspace_id = %(workspace_id)s and m.knowledge_base_id = %(knowledge_base_id)s and held.items > 0
    union all
    select 'item', i.id, i.path, i.title, 1
    from knowledge_base_members m
    join items i on i.id = m.item_id
    where i.workspace_id = %(workspace_id)s and i.deleted_at is null and readable(i.audience_id, %(audiences)s)
      and m.knowledge_base_id = %(knowledge_base_id)s
) members
where %(after_kind)s::text is null or (members.kind, members.path collate "C") > (%(after_kind)s, %(after_path)s)
order by members.kind, members.path collate "C"
limit %(limit)s;

-- name: list_readable_folders
-- Read which of some folders have items in them that the asker may read.
select wanted.path
from unnest(%(paths)s::text[]) as wanted(path)
where exists (
    select from items i
    where i.workspace_id = %(workspace_id)s and i.deleted_at is null and readable(i.audience_id, %(audiences)s)
      and i.path collate "C" > wanted.path || '/' and i.path collate "C" < wanted.path || '0'
);

-- name: list_readable_ids
-- Read which of some items the asker may read.
select i.id from items i
where i.workspace_id = %(workspace_id)s and i.deleted_at is null and readable(i.audience_id, %(audiences)s)
  and i.id = any(%(item_ids)s);

-- name: put_folders
-- Give folders their identity where they have none yet, so that they stay members whatever they are called.
insert into folders (id, workspace_id, path, created_by)
select added.id, %(workspace_id)s, added.path, %(principal_id)s
from unnest(%(ids)s::uuid[], %(paths)s::text[]) as added(id, path)
on conflict (workspace_id, path) do nothing;

-- name: add_folders
-- Put folders into a knowledge base.
insert into knowledge_base_members (knowledge_base_id, folder_id)
select b.id, f.id from knowledge_bases b join folders f on f.workspace_id = b.workspace_id
where b.workspace_id = %(workspace_id)s and b.id = %(knowledge_base_id)s and f.path = any(%(paths)s)
on conflict do nothing;

-- name: add_items
-- Put items into a knowledge base that the asker may read.
insert into knowledge_base_members (knowledge_base_id, item_id)
select b.id, i.id from knowledge_bases b join items i on i.workspace_id = b.workspace_id
where i.workspace_id = %(workspace_id)s and i.deleted_at is null and readable(i.audience_id, %(audiences)s)
  and b.id = %(knowledge_base_id)s and i.id = any(%(item_ids)s)
for key share of i
on conflict do nothing;

-- name: remove_folders
-- Take folders out of a knowledge base.
delete from knowledge_base_members m using knowledge_bases b, folders f
where b.id = m.knowledge_base_id and f.id = m.folder_id and f.workspace_id = b.workspace_id
  and b.workspace_id = %(workspace_id)s and b.id = %(knowledge_base_id)s and f.path = any(%(paths)s);

-- name: remove_items
-- Take items out of a knowledge base.
delete from knowledge_base_members m using knowledge_bases b
where b.id = m.knowledge_base_id and b.workspace_id = %(workspace_id)s and b.id = %(knowledge_base_id)s
  and m.item_id = any(%(item_ids)s);

-- name: count_members
-- Count all that is in a knowledge base, for its limit alone.
select count(*) as members from knowledge_base_members m join knowledge_bases b on b.id = m.knowledge_base_id
where b.workspace_id = %(workspace_id)s and b.id = %(knowledge_base_id)s;
