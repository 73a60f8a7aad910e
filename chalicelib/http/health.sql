-- name: ping
-- Tell that the database answers and has its schema.
select 1 as answer from organizations limit 1;
