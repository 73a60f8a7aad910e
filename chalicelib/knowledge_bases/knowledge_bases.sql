-- name: visible_base
-- What statements put in the place of <visible_base>: each of the holders, whoever asks and whom it acts for, sees the
-- knowledge base `b`.
b.workspace_id = %(workspace_id)s and not exists (
    select from jsonb_to_recordset(%(holders)s::jsonb)
        as h(principal_id uuid, team_ids uuid[], is_reader boolean, is_owner boolean)
    where not (
        b.visibility = 'organization' or (b.visibility = 'workspace' and h.is_reader) or h.is_owner
        or b.created_by is not distinct from h.principal_id
        or exists (select from knowledge_base_agents a
                   where a.knowledge_base_id = b.id and a.principal_id = h.principal_id)
        or exists (select from grants g
                   where g.knowledge_base_id = b.id
                     and (g.principal_id = h.principal_id or g.team_id = any(h.team_ids)))
    )
)

-- name: base_columns
-- What statements put in the place of <base_columns>: a knowledge base `b`, and what all of the holders may do with it.
b.id, b.workspace_id, b.name, b.description, b.visibility, b.settings, b.created_by, b.created_at, b.updated_at,
    not exists (
        select from jsonb_to_recordset(%(holders)s::jsonb) as h(principal_id uuid, is_writer boolean, is_owner boolean)
        where not (h.is_owner or (h.is_writer and b.created_by is not distinct from h.principal_id))
    ) as may_change,
    not exists (
        select from jsonb_to_recordset(%(holders)s::jsonb)
            as h(principal_id uuid, team_ids uuid[], is_writer boolean, is_owner boolean)
        where not (
            h.is_owner or (h.is_writer and b.created_by is not distinct from h.principal_id)
            or exists (select from grants g
                       where g.knowledge_base_id = b.id and g.action = 'write'
                         and (g.principal_id = h.principal_id or g.team_id = any(h.team_ids)))
        )
    ) as may_change_members

-- name: insert_base
-- Add a knowledge base; returns no row where the workspace has too many.
insert into knowledge_bases (id, workspace_id, name, description, visibility, settings, created_by)
select %(id)s, %(workspace_id)s, %(name)s, %(description)s, %(visibility)s, %(settings)s, %(principal_id)s
where (select count(*) from knowledge_bases b where b.workspace_id = %(workspace_id)s) < %(most)s
returning id;

-- name: find_base
-- Read a knowledge base that the asker sees.
select <base_columns> from knowledge_bases b where b.id = %(knowledge_base_id)s and <visible_base>;

-- name: lock_base
-- Lock a knowledge base that the asker sees, to change it or its members.
select <base_columns> from knowledge_bases b where b.id = %(knowledge_base_id)s and <visible_base> for update of b;

-- name: list_bases
-- Read the knowledge bases that the asker sees, in the order they were made.
select <base_columns> from knowledge_bases b
where <visible_base> and (%(after)s::uuid is null or b.id > %(after)s)
order by b.id
limit %(limit)s;

-- name: list_visible_ids
-- Read which knowledge bases the asker sees, of some or of all.
select b.id from knowledge_bases b
where <visible_base> and (%(knowledge_base_ids)s::uuid[] is null or b.id = any(%(knowledge_base_ids)s));

-- name: update_base
-- Change what is given of a knowledge base, locked before.
update knowledge_bases
set name = coalesce(%(name)s, name), description = coalesce(%(description)s, description),
    visibility = coalesce(%(visibility)s, visibility), settings = coalesce(%(settings)s, settings), updated_at = now()
where workspace_id = %(workspace_id)s and id = %(knowledge_base_id)s;

-- name: delete_base
-- Delete a knowledge base; what is in it stays where it is.
delete from knowledge_bases where workspace_id = %(workspace_id)s and id = %(knowledge_base_id)s;

-- name: count_items
-- Count the readable items in some knowledge bases, each once.
select count(*) as items from items i where <readable_items>;

-- name: list_agents
-- Read the agents that a knowledge base is assigned to.
select a.principal_id from knowledge_base_agents a
join knowledge_bases b on b.id = a.knowledge_base_id
where b.workspace_id = %(workspace_id)s and b.id = %(knowledge_base_id)s
order by a.principal_id;

-- name: assign_agent
-- Assign a knowledge base to an agent of the organization; returns no row where there is no such agent.
with agent as (
    select p.id from principals p
    where p.id = %(agent_id)s and p.organization_id = %(organization_id)s and p.kind = 'agent'
), assigned as (
    insert into knowledge_base_agents (knowledge_base_id, principal_id)
    select b.id, agent.id from knowledge_bases b, agent
    where b.workspace_id = %(workspace_id)s and b.id = %(knowledge_base_id)s
    on conflict do nothing
    returning principal_id
)
select agent.id, exists (select from assigned) as is_new from agent;

-- name: unassign_agent
-- Assign a knowledge base to an agent no longer.
delete from knowledge_base_agents a using knowledge_bases b
where b.id = a.knowledge_base_id and b.workspace_id = %(workspace_id)s and b.id = %(knowledge_base_id)s
  and a.principal_id = %(agent_id)s;
