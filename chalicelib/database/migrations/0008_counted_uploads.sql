-- Only the latest upload of a path counts against the quota, and none of a deleted item.

alter table uploads add column is_counted boolean not null default true;
create index uploads_counted on uploads (workspace_id, path) where is_counted;
