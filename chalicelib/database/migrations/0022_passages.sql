-- What the chunker keeps of a passage beside its text: the lines that stand above it where it begins within a table
-- (caption and header) or within code (the fence's first line). They are indexed with it and are no part of its span.
alter table chunks add column opening text not null default '';
