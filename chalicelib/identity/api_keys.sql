-- name: insert_api_key
-- Add a key, hashed.
insert into api_keys (id, organization_id, principal_id, name, prefix, secret_hash, scopes, workspace_ids,
                      created_by, expires_at)
values (%(id)s, %(organization_id)s, %(principal_id)s, %(name)s, %(prefix)s, %(secret_hash)s, %(scopes)s,
        %(workspace_ids)s, %(created_by)s, %(expires_at)s)
returning id, principal_id, name, prefix, scopes, workspace_ids, created_at, expires_at, revoked_at, last_used_at;

-- name: list_api_keys
-- Read the keys of an organization, or of one of its principals, without their hashes.
select id, principal_id, name, prefix, scopes, workspace_ids, created_at, expires_at, revoked_at, last_used_at
from api_keys
where organization_id = %(organization_id)s
  and (%(principal_id)s::uuid is null or principal_id = %(principal_id)s)
  and (%(after)s::uuid is null or id > %(after)s)
order by id
limit %(limit)s;

-- name: revoke_api_key
-- End a key at once.
update api_keys set revoked_at = coalesce(revoked_at, %(now)s)
where id = %(api_key_id)s and organization_id = %(organization_id)s
  and (%(principal_id)s::uuid is null or principal_id = %(principal_id)s)
returning id, principal_id, name, prefix, scopes, workspace_ids, created_at, expires_at, revoked_at, last_used_at;

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
