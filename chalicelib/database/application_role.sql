-- name: take_turns
-- Wait until nobody else makes the role right: two would meet at the same rows of the catalog.
select pg_advisory_xact_lock(x'524F4C45'::bigint);

-- name: find_role
-- Tell whether a role is there.
select exists (select from pg_roles where rolname = %(name)s) as found;

-- name: create_role
-- Make the role; what a new role may do is nothing.
create role <role> login;

-- name: admit_by_iam
-- Let the role log in with tokens of IAM, and no longer with a password.
grant rds_iam to <role>;

-- name: keep_utc
-- Give the role its time zone here, where a session behind a proxy cannot set it.
alter role <role> set timezone = 'UTC';

-- name: close_database
-- Take from everybody what comes by default: connecting, and temporary tables.
revoke all on database <database> from public, <role>;

-- name: open_database
-- Let the role connect.
grant connect on database <database> to <role>;

-- name: close_schema
-- Take from everybody the right to make anything in the schema.
revoke all on schema public from public, <role>;

-- name: open_schema
-- Let the role name what is in the schema.
grant usage on schema public to <role>;

-- name: close_tables
-- Begin anew, so that nothing stays that was granted by hand.
revoke all on all tables in schema public from <role>;

-- name: open_tables
-- Let the role read and write rows: no truncation, no triggers, no references.
grant select, insert, update, delete on all tables in schema public to <role>;

-- name: protect_history
-- The history of migrations is the owner's; the role may read it.
revoke insert, update, delete on schema_migrations from <role>;

-- name: protect_activity
-- What was recorded is added to and read, and never changed.
revoke update, delete on activity from <role>;

-- name: protect_citations
-- What was cited is added to and read, and leaves with what it cites.
revoke update, delete on citations, answers from <role>;

-- name: open_later_tables
-- The same for tables that the present owner makes from now on.
alter default privileges in schema public grant select, insert, update, delete on tables to <role>;

-- name: list_functions_of_owner
-- What runs with the owner's rights is granted one by one.
select p.oid::regprocedure::text as signature from pg_proc p
where p.prosecdef and p.pronamespace = 'public'::regnamespace and pg_get_userbyid(p.proowner) = current_user
order by 1;

-- name: open_function
-- Let the role call a function that acts with the owner's rights.
grant execute on function <function> to <role>;
