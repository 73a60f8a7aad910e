-- name: add_usage
-- Add to what a workspace has used up, and read the result beside its own limits.
with usage as (
    insert into workspace_usage as u (workspace_id, items, uploads, original_bytes, body_bytes, chunks, citations)
    values (%(workspace_id)s, greatest(%(items)s, 0), greatest(%(uploads)s, 0), greatest(%(original_bytes)s, 0),
            greatest(%(body_bytes)s, 0), greatest(%(chunks)s, 0), greatest(%(citations)s, 0))
    on conflict (workspace_id) do update
    set items = u.items + %(items)s, uploads = u.uploads + %(uploads)s,
        original_bytes = u.original_bytes + %(original_bytes)s, body_bytes = u.body_bytes + %(body_bytes)s,
        chunks = u.chunks + %(chunks)s, citations = greatest(u.citations + %(citations)s, 0)
    returning u.*
)
select usage.items, usage.uploads, usage.original_bytes, usage.body_bytes, usage.chunks, usage.citations,
       w.quotas
from usage join workspaces w on w.id = usage.workspace_id;

-- name: find_usage
-- Read what a workspace has used up, beside its own limits.
select coalesce(u.items, 0) as items, coalesce(u.uploads, 0) as uploads,
       coalesce(u.original_bytes, 0) as original_bytes, coalesce(u.body_bytes, 0) as body_bytes,
       coalesce(u.chunks, 0) as chunks, coalesce(u.citations, 0) as citations, w.quotas
from workspaces w
left join workspace_usage u on u.workspace_id = w.id
where w.id = %(workspace_id)s;
