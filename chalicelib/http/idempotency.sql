-- name: lock_key
-- Hold a key until the transaction ends, or tell at once that somebody else does.
select pg_try_advisory_xact_lock(hashtextextended(%(lock)s, 0)) as is_ours;

-- name: find_answer
-- Read what an answer under a key was about, and to which request, if it was recently.
select request_hash, status, headers, about from idempotency_keys
where principal_id = %(principal_id)s and key = %(key)s and created_at > %(since)s;

-- name: keep_answer
-- Note what is answered under a key; an older use of the key is forgotten.
insert into idempotency_keys (principal_id, key, request_hash, status, headers, about, created_at)
values (%(principal_id)s, %(key)s, %(request_hash)s, %(status)s, %(headers)s::jsonb, %(about)s, %(now)s)
on conflict (principal_id, key) do update
set request_hash = excluded.request_hash, status = excluded.status, headers = excluded.headers,
    about = excluded.about, created_at = excluded.created_at;

-- name: forget_answers
-- Remove what nobody will repeat any more.
delete from idempotency_keys where created_at <= %(before)s;
