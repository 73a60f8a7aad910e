-- The trash: its items in order, those at a path, and those that have lain in it for long.

create index items_trash on items (workspace_id, deleted_at, id) where deleted_at is not null;
create index items_trash_path on items (workspace_id, path) where deleted_at is not null;
create index items_trash_age on items (deleted_at) where deleted_at is not null and workspace_id is not null;
-- What refers to an item that is deleted for good is found by it.
create index access_settings_of_item on access_settings (item_id) where item_id is not null;
