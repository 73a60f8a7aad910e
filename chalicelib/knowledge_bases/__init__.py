"""Knowledge bases: named selections of folders and items, that searches look in. They widen nobody's access."""
