-- name: list_forsaken
-- Read the audiences of a workspace that nobody is in any more: a clause of theirs names members alone, who are removed.
-- Clauses that name owners or the workspace's readers are passed over first, as nearly all do.
select a.id from audiences a
where a.workspace_id = %(workspace_id)s
  and exists (
      select from jsonb_array_elements(a.clauses) as clause(tokens)
      where not clause.tokens ?| array['owner:' || a.workspace_id, 'workspace:' || a.workspace_id]
        and not exists (
            select from jsonb_array_elements_text(clause.tokens) as said(token)
            where said.token !~ '^(user|agent|service):'
               or exists (select from principals p where said.token = p.kind || ':' || p.id
                                                     and p.id = substring(said.token from '[^:]*$')::uuid)
        )
  );
