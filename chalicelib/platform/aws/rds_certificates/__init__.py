"""The certificates that Amazon RDS is known by: those of its own authorities, a file a region, and of its proxies."""
