-- Knowledge bases as they are listed, and may be named: that a name is taken would tell of a private one.

drop index knowledge_bases_name;
create index knowledge_bases_workspace on knowledge_bases (workspace_id, id);
