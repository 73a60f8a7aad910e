-- name: insert_invitation
-- Add an invitation, its secret hashed.
insert into invitations (id, organization_id, email, organization_role, roles, prefix, secret_hash, invited_by,
                         created_at, expires_at)
values (%(id)s, %(organization_id)s, %(email)s, %(organization_role)s, %(roles)s::jsonb, %(prefix)s, %(secret_hash)s,
        %(invited_by)s, %(now)s, %(expires_at)s)
returning id, organization_id, email, organization_role, roles, prefix, invited_by, created_at, expires_at,
          accepted_at, accepted_by, revoked_at;

-- name: list_invitations
-- Read the invitations of an organization, without their hashes.
select id, organization_id, email, organization_role, roles, prefix, invited_by, created_at, expires_at,
       accepted_at, accepted_by, revoked_at
from invitations
where organization_id = %(organization_id)s
  and (%(invitation_id)s::uuid is null or id = %(invitation_id)s)
  and (%(after)s::uuid is null or id > %(after)s)
order by id
limit %(limit)s;

-- name: revoke_invitation
-- End an invitation that nobody has accepted.
update invitations set revoked_at = coalesce(revoked_at, %(now)s)
where id = %(invitation_id)s and organization_id = %(organization_id)s and accepted_at is null
returning id, organization_id, email, organization_role, roles, prefix, invited_by, created_at, expires_at,
          accepted_at, accepted_by, revoked_at;

-- name: lock_invitation
-- Read an open invitation with its hash, and let nobody else accept or revoke it meanwhile.
select id, organization_id, email, organization_role, roles, prefix, invited_by, created_at, expires_at,
       accepted_at, accepted_by, revoked_at, secret_hash
from invitations
where prefix = %(prefix)s and accepted_at is null and revoked_at is null and expires_at > %(now)s
for update;

-- name: hold_inviter
-- Keep whoever gave an invitation as it is until the transaction ends.
select 1 as held from principals where id = %(principal_id)s for share;

-- name: accept_invitation
-- Note who accepted an invitation that is held.
update invitations set accepted_at = %(now)s, accepted_by = %(accepted_by)s where id = %(invitation_id)s;

-- name: find_email
-- Tell whether a user of the organization has an email address.
select 1 as found from principals
where organization_id = %(organization_id)s and lower(email) = lower(%(email)s) and email is not null;
