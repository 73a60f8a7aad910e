-- name: lock_subject
-- Let one request at a time find out who a subject is that nobody has been yet.
select pg_advisory_xact_lock(hashtextextended('subject:' || %(provider_id)s::text || ':' || %(subject)s, 0));

-- name: find_user
-- Read everything that the user is whom a subject of a provider stands for.
select u.last_used_at, <whole_principal>
from user_identities u
join principals p on p.id = u.principal_id
cross join (select null::uuid[] as workspace_ids) k
where u.provider_id = %(provider_id)s and u.subject = %(subject)s;

-- name: find_user_by_email
-- Read who of an organization has an address, and whether the provider knows that user by another subject.
select p.id, p.disabled_at is not null as is_disabled,
       exists (
           select from user_identities u where u.provider_id = %(provider_id)s and u.principal_id = p.id
       ) as is_known
from principals p
where p.organization_id = %(organization_id)s and p.email is not null and lower(p.email) = lower(%(email)s)
for update of p;

-- name: insert_user_identity
-- Remember which user a subject stands for.
insert into user_identities (provider_id, subject, organization_id, principal_id, known_by, last_used_at)
values (%(provider_id)s, %(subject)s, %(organization_id)s, %(principal_id)s, %(known_by)s, %(now)s)
on conflict do nothing;

-- name: touch_user_identity
-- Note when a subject was last there, to the minute.
update user_identities set last_used_at = %(now)s where provider_id = %(provider_id)s and subject = %(subject)s;

-- name: list_user_identities
-- Read which subjects of a provider are which users.
select principal_id, subject, known_by, created_at, last_used_at
from user_identities
where provider_id = %(provider_id)s and (%(after)s::uuid is null or principal_id > %(after)s)
order by principal_id
limit %(limit)s;

-- name: delete_user_identity
-- Forget which subject a user is.
delete from user_identities where provider_id = %(provider_id)s and principal_id = %(principal_id)s;
