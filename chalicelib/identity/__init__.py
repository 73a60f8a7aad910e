"""Who is asking: organizations, workspaces, principals, memberships and API keys."""
