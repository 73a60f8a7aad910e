-- name: key_columns
-- What statements put in the place of <key_columns>: a key `k` without its hash.
k.id, k.principal_id, k.name, k.prefix, k.scopes, k.workspace_ids, k.created_at, k.expires_at, k.revoked_at,
k.last_used_at, k.created_by, k.rotated_from, (select n.id from api_keys n where n.rotated_from = k.id) as rotated_to

-- name: insert_api_key
-- Add a key, hashed.
insert into api_keys as k (id, organization_id, principal_id, name, prefix, secret_hash, scopes, workspace_ids,
                      created_by, expires_at, rotated_from)
values (%(id)s, %(organization_id)s, %(principal_id)s, %(name)s, %(prefix)s, %(secret_hash)s, %(scopes)s,
        %(workspace_ids)s, %(created_by)s, %(expires_at)s, %(rotated_from)s)
returning <key_columns>;

-- name: list_api_keys
-- Read the keys of an organization, or of one of its principals, without their hashes.
select <key_columns>
from api_keys k
where organization_id = %(organization_id)s
  and (%(principal_id)s::uuid is null or principal_id = %(principal_id)s)
  and (%(after)s::uuid is null or id > %(after)s)
order by id
limit %(limit)s;

-- name: revoke_api_key
-- End a key at once.
update api_keys k set revoked_at = coalesce(revoked_at, %(now)s)
where id = %(api_key_id)s and organization_id = %(organization_id)s
  and (%(principal_id)s::uuid is null or principal_id = %(principal_id)s)
returning <key_columns>;

-- name: authenticate
-- Read everything that a request's principal is, from the prefix of its key, in one go.
select k.id as api_key_id, k.secret_hash, k.scopes, k.expires_at, k.revoked_at, k.last_used_at,
       k.workspace_ids is not null as is_limited, <whole_principal>
from api_keys k
join principals p on p.id = k.principal_id
where k.prefix = %(prefix)s;

-- name: touch_api_key
-- Note when a key was last used, to the minute.
update api_keys set last_used_at = %(now)s where id = %(api_key_id)s;

-- name: lock_api_key
-- Hold a key, so that it is rotated once.
select k.id
from api_keys k
where k.id = %(api_key_id)s and k.organization_id = %(organization_id)s
  and (%(principal_id)s::uuid is null or k.principal_id = %(principal_id)s)
for update of k;

-- name: read_locked_api_key
-- Read a key that is held. A statement that waited for a key knows nothing of the successor that came meanwhile.
select <key_columns>
from api_keys k
where k.id = %(api_key_id)s;

-- name: end_api_key
-- Let a key work until then at most; at once where that is now, whatever the clocks of others show.
update api_keys
set expires_at = least(expires_at, %(ends_at)s),
    revoked_at = case when %(ends_at)s::timestamptz <= %(now)s then %(now)s else revoked_at end
where id = %(api_key_id)s;
