-- name: lock_key
-- Hold a key until the transaction ends, or tell at once that somebody else does.
select pg_try_advisory_xact_lock(hashtextextended(%(lock)s, 0)) as is_ours;

-- name: find_answer
-- Read what was answered under a key, and to what, if it was recently.
select request_hash, status, headers, body from idempotency_keys
where principal_id = %(principal_id)s and key = %(key)s and created_at > %(since)s;

-- name: keep_answer
-- Note what is answered under a key; an older use of the key is forgotten.
insert into idempotency_keys (principal_id, key, request_hash, status, headers, body, created_at)
values (%(principal_id)s, %(key)s, %(request_hash)s, %(status)s, %(headers)s::jsonb, %(body)s, %(now)s)
on conflict (principal_id, key) do update
set request_hash = excluded.request_hash, status = excluded.status, headers = excluded.headers,
    body = excluded.body, created_at = excluded.created_at;

-- name: forget_answers
-- Remove what nobody will repeat any more.
delete from idempotency_keys where created_at <= %(before)s;
