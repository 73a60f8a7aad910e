"""Weighs terms again where the average length of a workspace's chunks has moved too far."""

from chalicelib.database.database import Database
from chalicelib.identity.model import WorkspaceId
from chalicelib.index import statistics
from chalicelib.index.bm25 import reweigh

_DRIFT = 1.25
"""How far the average may have moved, up or down: a chunk's weights are then off by less than a tenth."""

_BATCH = 500


def reweigh_workspace(database: Database, workspace_id: WorkspaceId) -> int:
    """Give rows of another average length their present weights, in short transactions; return how many.

    Idempotent, and safe beside index workers: each row says which average it was weighed with, and rows that
    another holds are left to it or to the next time.
    """
    done = 0
    while True:
        with database.transaction() as tx:
            average = statistics.find_statistics(tx, workspace_id).average_length
            rows = statistics.find_weighed_amiss(
                tx, workspace_id, least=average / _DRIFT, most=average * _DRIFT, limit=_BATCH
            )
            weights = {
                row["chunk_id"]: reweigh(
                    row["weights"], length=row["length"], before=row["average_length"], now=average
                )
                for row in rows
            }
            statistics.set_weights(tx, workspace_id, weights, average_length=average)
        done += len(rows)
        if len(rows) < _BATCH:
            return done
