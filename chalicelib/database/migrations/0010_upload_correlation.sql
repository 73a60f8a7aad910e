-- The request that began an upload, so that what the store's own event leads to is found under the same id.

alter table uploads add column correlation_id text;
