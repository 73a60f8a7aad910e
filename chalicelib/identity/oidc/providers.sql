-- name: provider_columns
-- What statements put in the place of <provider_columns>: an identity provider without its keys.
p.id, p.organization_id, p.name, p.issuer, p.audiences, p.algorithms, p.scopes, p.name_claim, p.email_claim,
       p.email_verified_claim, p.links_by_email, p.admits, p.email_domains, p.created_at, p.disabled_at, p.jwks_uri,
       p.keys_fetched_at, p.keys_sought_at

-- name: insert_provider
-- Trust an issuer that no other provider of the deployment has.
insert into identity_providers as p (
    id, organization_id, name, issuer, audiences, algorithms, scopes, name_claim, email_claim, email_verified_claim,
    links_by_email, admits, email_domains, created_by, jwks_uri, keys, keys_fetched_at, keys_sought_at
) values (
    %(id)s, %(organization_id)s, %(name)s, %(issuer)s, %(audiences)s, %(algorithms)s, %(scopes)s, %(name_claim)s,
    %(email_claim)s, %(email_verified_claim)s, %(links_by_email)s, %(admits)s, %(email_domains)s, %(created_by)s,
    %(jwks_uri)s, %(keys)s::jsonb, %(now)s, %(now)s
)
on conflict (issuer) do nothing
returning <provider_columns>;

-- name: list_providers
-- Read the identity providers of an organization, one of them or all.
select <provider_columns>
from identity_providers p
where p.organization_id = %(organization_id)s
  and (%(provider_id)s::uuid is null or p.id = %(provider_id)s)
  and (%(after)s::uuid is null or p.id > %(after)s)
order by p.id
limit %(limit)s;

-- name: lock_provider
-- Read a provider whose terms are about to be changed in part.
select <provider_columns>
from identity_providers p
where p.id = %(provider_id)s and p.organization_id = %(organization_id)s
for update;

-- name: update_provider
-- Put other terms in the place of those that a provider has.
update identity_providers p
set name = %(name)s, audiences = %(audiences)s, algorithms = %(algorithms)s, scopes = %(scopes)s,
    name_claim = %(name_claim)s, email_claim = %(email_claim)s, email_verified_claim = %(email_verified_claim)s,
    links_by_email = %(links_by_email)s, admits = %(admits)s, email_domains = %(email_domains)s,
    disabled_at = case %(disabled)s::boolean when true then coalesce(p.disabled_at, %(now)s) when false then null
                  else p.disabled_at end
where p.id = %(provider_id)s and p.organization_id = %(organization_id)s
returning <provider_columns>;

-- name: delete_provider
-- Trust an issuer no longer, and forget who its subjects were.
delete from identity_providers where id = %(provider_id)s and organization_id = %(organization_id)s;

-- name: find_trusted
-- Read the provider of an issuer for a token, with its keys unless those of this moment are known already.
select <provider_columns>, case when p.keys_fetched_at is distinct from %(known_at)s::timestamptz then p.keys end as keys
from identity_providers p
where p.issuer = %(issuer)s and p.disabled_at is null;

-- name: claim_search
-- Let one of all processes ask the issuer for its keys, where nobody has since a moment.
update identity_providers set keys_sought_at = %(now)s where id = %(provider_id)s and keys_sought_at <= %(not_since)s;

-- name: keep_keys
-- Keep what the issuer's keys are now.
update identity_providers
set jwks_uri = %(jwks_uri)s, keys = %(keys)s::jsonb, keys_fetched_at = %(now)s, keys_sought_at = %(now)s
where id = %(provider_id)s;
