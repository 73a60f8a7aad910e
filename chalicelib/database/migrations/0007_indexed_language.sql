-- The language that an item was indexed in: what is filtered by where none was given.
alter table items add column indexed_language text check (indexed_language ~ '^[a-z]{2,3}$');

update items i set indexed_language = c.language
from chunks c
where c.workspace_id = i.workspace_id and c.item_id = i.id and c.ordinal = 0 and c.language ~ '^[a-z]{2,3}$';
