"""Time to take a folder in, beside the bare cost of embedding its chunks: `python -m tests.benchmarks.intake [FOLDER]`.

A whole local Lorebase (embedded PostgreSQL with fsync, original store on disk, two workers, sandbox, the real model)
receives every file of the folder, by default the handbook; the clock stops when the last item is ready. Then the same
embedder embeds the same texts in one call in the same process. Rounds alternate, medians are printed.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

from chalicelib.bootstrap import Application, wire_local
from chalicelib.database.migrate import migrate
from chalicelib.database.statements import parse_statements
from chalicelib.identity.found_organization import Foundation, found_organization
from chalicelib.identity.model import WorkspaceId
from chalicelib.index.embedded_text import embedded_text
from chalicelib.index.tokens import load_tokenizer
from chalicelib.intake.model import UploadRequest
from chalicelib.intake.receive_upload import receive_upload
from chalicelib.platform.local.doorbell import LocalDoorbell
from chalicelib.platform.local.postgres.launcher import start_postgres
from chalicelib.settings import Settings
from chalicelib.triggers.local_jobs import local_dispatcher, local_worker_name

_HANDBOOK = Path(__file__).resolve().parents[3] / "shared" / "data" / "handbook"
_ROUNDS = 3
_SQL = parse_statements(
    """
-- name: count_unready
-- What is still on its way.
select (select count(*) from items where workspace_id = %(workspace_id)s and index_state not in ('ready', 'no_text'))
     + (select count(*) from uploads where workspace_id = %(workspace_id)s and state in ('pending', 'running')) as left

-- name: list_chunks
-- What was embedded.
select i.title, c.heading_path, c.text from chunks c join items i on i.id = c.item_id
where c.workspace_id = %(workspace_id)s
""",
    origin="benchmark",
)


def main(folder: Path) -> None:
    """Run the rounds and print what was seen."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    taken, bare = [], []
    for number in range(_ROUNDS):
        intake_seconds, embed_seconds, chunks = _round(folder, files)
        taken.append(intake_seconds)
        bare.append(embed_seconds)
        print(f"round {number + 1}: {len(files)} files, {chunks} chunks: intake {intake_seconds:.1f} s,", end=" ")
        print(f"bare embedding {embed_seconds:.1f} s, ratio {intake_seconds / embed_seconds:.2f}")
    ratio = statistics.median(one / other for one, other in zip(taken, bare, strict=True))
    print(f"median: intake {statistics.median(taken):.1f} s, bare {statistics.median(bare):.1f} s, ratio {ratio:.2f}")


def _round(folder: Path, files: list[Path]) -> tuple[float, float, int]:
    with tempfile.TemporaryDirectory() as home, start_postgres(Path(home) / "postgres") as server:
        migrate(server.conninfo)
        settings = Settings(home=Path(home))
        doorbell = LocalDoorbell()
        wired, _ = wire_local(settings, conninfo=server.conninfo, address=lambda: "", doorbell=doorbell)
        if wired.embedder is None:
            raise SystemExit("this benchmark needs the model")
        wired.embedder.embed_query("warm up")
        with wired.database.transaction() as tx:
            foundation = found_organization(tx, name="B", workspace_slug="b", owner_name="B", pepper=wired.pepper)
        dispatcher = local_dispatcher(wired.worker(local_worker_name()), doorbell, workers=2, sweep_seconds=60)
        dispatcher.start()
        started = time.perf_counter()
        for path in files:
            _upload(wired, foundation, path.relative_to(folder).as_posix(), path.read_bytes())
        while _unready(wired, foundation.workspace.id):
            time.sleep(0.05)
        intake_seconds = time.perf_counter() - started
        dispatcher.stop()
        texts = _texts(wired, foundation.workspace.id)
        started = time.perf_counter()
        wired.embedder.embed_passages(texts)
        embed_seconds = time.perf_counter() - started
        wired.close()
    return intake_seconds, embed_seconds, len(texts)


def _upload(wired: Application, foundation: Foundation, path: str, content: bytes) -> None:
    with wired.database.transaction() as tx:
        receive_upload(
            tx,
            principal=foundation.owner,
            workspace_id=foundation.workspace.id,
            request=UploadRequest(path=path, filename="", attributes={}),
            content=content,
            rules=wired.intake_rules,
            now=wired.clock.now(),
        )


def _unready(wired: Application, workspace_id: WorkspaceId) -> int:
    with wired.database.transaction() as tx:
        row = tx.fetch_one(_SQL["count_unready"], workspace_id=workspace_id)
    return int(row["left"]) if row else 0


def _texts(wired: Application, workspace_id: WorkspaceId) -> list[str]:
    tokenizer = load_tokenizer()
    with wired.database.transaction() as tx:
        rows = tx.fetch_all(_SQL["list_chunks"], workspace_id=workspace_id)
    return [embedded_text(row["title"], row["heading_path"], row["text"], tokenizer=tokenizer) for row in rows]


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else _HANDBOOK)
