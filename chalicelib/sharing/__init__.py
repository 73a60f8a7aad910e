"""Says who may read and write: audiences, restrictions and grants on folders and items, and why somebody may."""
