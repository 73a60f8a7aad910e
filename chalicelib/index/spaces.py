"""Registers embedding spaces: one embedding model at one dimension, with its own index."""

from chalicelib.database.statements import Statement, load_statements
from chalicelib.database.transaction import Transaction
from chalicelib.errors import Conflict
from chalicelib.index.model import SpaceId

_SQL = load_statements(__package__, "spaces.sql")


class SpaceMismatch(Conflict):
    """The embedding space has another number of dimensions than the embedder."""


def find_space(tx: Transaction, *, name: str) -> SpaceId | None:
    """Return the number of a space, None where nothing was embedded in it yet."""
    row = tx.fetch_one(_SQL["find_space"], name=name)
    return SpaceId(row["id"]) if row else None


def ensure_space(tx: Transaction, *, name: str, dimensions: int) -> SpaceId:
    """Return the number of a space, registered with its index first where it is new. Raises SpaceMismatch."""
    row = tx.fetch_one(_SQL["find_space"], name=name)
    if row is None:
        tx.execute(_SQL["lock_spaces"])
        row = tx.fetch_one(_SQL["find_space"], name=name)
    if row is None:
        row = tx.fetch_one(_SQL["insert_space"], name=name, dimensions=dimensions)
        if row is None:
            raise LookupError(f"the embedding space {name} was not registered")
        tx.execute(_SQL["index_space"], space_id=row["id"])
    if row["dimensions"] != dimensions:
        raise SpaceMismatch(
            f"The space {name} has {row['dimensions']} dimensions and the embedder gives {dimensions};"
            " name the embedder's space differently.",
            space=name,
        )
    return SpaceId(row["id"])


def for_space(statement: Statement, *, space_id: SpaceId, dimensions: int) -> Statement:
    """Write a space's numbers into a statement, where a parameter would hide them from the planner."""
    text = statement.text.replace(b"<space_id>", b"%d" % space_id).replace(b"<dimensions>", b"%d" % dimensions)
    return Statement(statement.name, statement.intent, text)
