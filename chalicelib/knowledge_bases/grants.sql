-- name: put_base_grant
-- Give a member or a team an action on a knowledge base, in place of the one that it had.
insert into grants (id, workspace_id, knowledge_base_id, principal_id, team_id, action, granted_by)
values (%(id)s, %(workspace_id)s, %(knowledge_base_id)s, %(member_id)s, %(team_id)s, %(action)s, %(granted_by)s)
on conflict (folder_id, item_id, knowledge_base_id, principal_id, team_id) do update
set action = excluded.action, granted_by = excluded.granted_by, granted_at = now()
returning id, action, principal_id, team_id, granted_by, granted_at;

-- name: delete_base_grant
-- Take a grant on a knowledge base away.
delete from grants
where workspace_id = %(workspace_id)s and id = %(grant_id)s and knowledge_base_id = %(knowledge_base_id)s
returning id, action, principal_id, team_id, granted_by, granted_at;

-- name: list_base_grants
-- Read the grants on a knowledge base, one of them or all, in order of their ids.
select id, action, principal_id, team_id, granted_by, granted_at from grants
where workspace_id = %(workspace_id)s and knowledge_base_id = %(knowledge_base_id)s
  and (%(grant_id)s::uuid is null or id = %(grant_id)s)
  and (%(after)s::uuid is null or id > %(after)s)
order by id
limit %(limit)s;
