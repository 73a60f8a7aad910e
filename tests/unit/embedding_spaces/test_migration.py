"""What an organization has when choices of spaces come in: those with vectors keep the space that has most of them."""

import psycopg
import pytest

from chalicelib.database import migrate as module
from chalicelib.database.migrate import list_migrations, migrate

_BEFORE = """
insert into organizations (id, name) values
  ('00000000-0000-7000-8000-00000000000a', 'With vectors'), ('00000000-0000-7000-8000-00000000000b', 'Without');
insert into workspaces (id, organization_id, slug, name, quotas) values
  ('00000000-0000-7000-8000-0000000000a1', '00000000-0000-7000-8000-00000000000a', 'one', 'One', '{}'),
  ('00000000-0000-7000-8000-0000000000a2', '00000000-0000-7000-8000-00000000000a', 'two', 'Two', '{}'),
  ('00000000-0000-7000-8000-0000000000b1', '00000000-0000-7000-8000-00000000000b', 'one', 'One', '{}');
insert into embedding_spaces (name, dimensions) values ('few/3', 3), ('many/3', 3);
set session_replication_role = replica;  -- vectors without their items and chunks
insert into embeddings (workspace_id, chunk_id, space_id, item_id, language, embedded_sha256, embedding)
select w.id, gen_random_uuid(), s.id, gen_random_uuid(), 'en', decode(repeat('00', 32), 'hex'), '[1,0,0]'
from workspaces w
join embedding_spaces s on s.name = case w.slug when 'one' then 'few/3' else 'many/3' end
cross join generate_series(1, case w.slug when 'one' then 2 else 5 end)
where w.organization_id = '00000000-0000-7000-8000-00000000000a';
"""


def test_who_has_vectors_keeps_the_space_that_has_most(empty_conninfo: str, monkeypatch: pytest.MonkeyPatch) -> None:
    migrations = list_migrations()
    with monkeypatch.context() as patched:
        patched.setattr(module, "list_migrations", lambda: migrations[:18])
        migrate(empty_conninfo)
    with psycopg.connect(empty_conninfo) as connection:
        connection.execute(_BEFORE)
    migrate(empty_conninfo)
    with psycopg.connect(empty_conninfo) as connection:
        rows = connection.execute(
            "select o.name, c.active_space from embedding_choices c join organizations o on o.id = c.organization_id"
        )
        assert rows.fetchall() == [("With vectors", "many/3")]
