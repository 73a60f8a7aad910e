-- name: put_budget
-- Set what may be spent in a month, by an organization or one of its workspaces.
insert into budgets (organization_id, workspace_id, tokens, money, changed_by, changed_at)
values (%(organization_id)s, %(workspace_id)s, %(tokens)s, %(money)s, %(changed_by)s, %(now)s)
on conflict (organization_id, workspace_id) do update
    set tokens = excluded.tokens, money = excluded.money, changed_by = excluded.changed_by, changed_at = excluded.changed_at
returning organization_id, workspace_id, tokens, money, changed_by, changed_at

-- name: delete_budget
-- Let an organization or a workspace spend what it likes.
delete from budgets
where organization_id = %(organization_id)s and workspace_id is not distinct from %(workspace_id)s

-- name: lock_budget
-- One budget, kept from everyone else until the end of the transaction.
select organization_id, workspace_id, tokens, money, changed_by, changed_at from budgets
where organization_id = %(organization_id)s and workspace_id is not distinct from %(workspace_id)s
for update

-- name: list_budgets
-- The budgets of an organization, or those that count for one of its workspaces; the organization's own first.
select b.organization_id, b.workspace_id, b.tokens, b.money, b.changed_by, b.changed_at
from budgets b
where b.organization_id = %(organization_id)s
  and (%(workspace_id)s::uuid is null or b.workspace_id is null or b.workspace_id = %(workspace_id)s)
order by b.workspace_id nulls first

-- name: share_budgets
-- The budgets that a workspace's calls count against; whoever changes one waits until the end of the transaction.
select b.organization_id, b.workspace_id, b.tokens, b.money, b.changed_by, b.changed_at
from budgets b
where b.organization_id = coalesce((select w.organization_id from workspaces w where w.id = %(workspace_id)s),
                                   %(organization_id)s)
  and (b.workspace_id is null or b.workspace_id = %(workspace_id)s)
order by b.workspace_id nulls first
for share of b

-- name: list_spending
-- What an organization (without a workspace) and some of its workspaces spent in a month, by model.
select s.workspace_id, s.model, s.input_tokens, s.output_tokens
from model_spending s
where s.organization_id = %(organization_id)s and s.month = %(month)s
  and (s.workspace_id is null or s.workspace_id = any(%(workspace_ids)s::uuid[]))
