"""Makes many chunks of few: copies of items with their chunks, terms and vectors, each vector moved a little."""

from chalicelib.database.database import Database
from chalicelib.database.statements import parse_statements

_SQL = parse_statements(
    """
-- name: plan_items
-- Which items are to be made of which.
create temporary table copied_items on commit drop as
select i.id as old_id, uuidv7() as new_id, copy from items i, generate_series(2, %(copies)s) copy

-- name: plan_chunks
-- Which chunks are to be made of which.
create temporary table copied_chunks on commit drop as
select c.id as old_id, uuidv7() as new_id, copied.new_id as item_id
from chunks c join copied_items copied on copied.old_id = c.item_id

-- name: items
-- The items.
insert into items (id, workspace_id, kind, class, scope, status, path, title, audience_id, revision, body_sha256,
                   body_bytes, index_state, indexed_revision, indexed_language, chunk_count, created_by, updated_by)
select copied.new_id, i.workspace_id, i.kind, i.class, i.scope, i.status, copied.copy || '/' || i.path, i.title,
       i.audience_id, i.revision, i.body_sha256, i.body_bytes, i.index_state, i.indexed_revision, i.indexed_language,
       i.chunk_count, i.created_by, i.updated_by
from copied_items copied join items i on i.id = copied.old_id

-- name: chunks
-- The chunks.
insert into chunks (workspace_id, id, item_id, ordinal, heading_path, body_start, body_end, page, text, tokens,
                    language, content_sha256, embedded_sha256)
select c.workspace_id, copied.new_id, copied.item_id, c.ordinal, c.heading_path, c.body_start, c.body_end, c.page,
       c.text, c.tokens, c.language, c.content_sha256, c.embedded_sha256
from copied_chunks copied join chunks c on c.id = copied.old_id

-- name: terms
-- Their terms.
insert into chunk_terms (workspace_id, chunk_id, item_id, language, terms, weights, length, average_length)
select t.workspace_id, copied.new_id, copied.item_id, t.language, t.terms, t.weights, t.length, t.average_length
from copied_chunks copied join chunk_terms t on t.chunk_id = copied.old_id

-- name: embeddings
-- Their vectors, each about as far from where it came from as from the middle.
insert into embeddings (workspace_id, chunk_id, space_id, item_id, language, embedded_sha256, embedding)
select e.workspace_id, copied.new_id, e.space_id, copied.item_id, e.language, e.embedded_sha256, moved.embedding
from copied_chunks copied
join embeddings e on e.chunk_id = copied.old_id
cross join lateral (
    select array_agg(value + random_normal())::vector::halfvec as embedding
    from unnest(e.embedding::vector::real[]) as value
) moved

-- name: term_statistics
-- In so many chunks each term is now.
update term_statistics set chunks = chunks * %(copies)s

-- name: language_statistics
-- So many chunks there are now.
update language_statistics set chunks = chunks * %(copies)s, length = length * %(copies)s
""",
    origin="benchmarks",
)


def copy_all(database: Database, *, copies: int) -> None:
    """Let each item of a database be there so many times."""
    with database.transaction() as tx:
        for statement in _SQL.values():
            parameters = {} if b"%(" not in statement.text else {"copies": copies}
            tx.execute(statement, **parameters)
