"""Asks a peer in the environment of its own, FOLDER/PEER, and keeps what it answered in FOLDER/answers."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from chalicelib.evaluation.report import percentile

OURS = "lorebase"
PEERS = ("chromadb", "lancedb", "txtai", "llamaindex", "haystack")
SHARES = (0.5, 0.95)
_HERE = Path(__file__).resolve().parent
_ROOT = _HERE.parents[2]


def answer_of(
    peer: str,
    folder: Path,
    exported: Path,
    conninfo: str,
    *,
    is_again: bool,
    has_times: bool,
    limit: float | None = None,
) -> dict[str, Any] | None:
    """Return a peer's answers, kept ones where they are about the same; None where there is no such peer.

    A peer that takes more than `limit` seconds is stopped, and its answer has nothing but the reason in `left_out`.
    """
    python = folder / peer / "bin" / "python"
    kept = folder / "answers" / exported.name / f"{peer}.json"
    about = {"fingerprint": _fingerprint(peer, exported), "questions": _question_ids(exported), "limit": limit}
    if not is_again and kept.exists():
        answered: dict[str, Any] = json.loads(kept.read_text("utf-8"))
        if _is_about(answered, about, has_times=has_times):
            return answered
    if not python.exists():
        print(f"no {python}: make it with requirements-{peer}.txt", file=sys.stderr)
        return None
    kept.parent.mkdir(parents=True, exist_ok=True)
    answered = {**about, "load": os.getloadavg()[0]}
    with tempfile.TemporaryDirectory(prefix=f"peer-{peer}-") as home:
        answers = Path(home) / "answers.json"
        command = [str(python), "-m", f"tests.benchmarks.peers.peer_{peer}", str(exported), str(answers)]
        environment = {**os.environ, **_own_database(peer, conninfo), "TMPDIR": home}
        try:
            subprocess.run(
                [*command, *["--times"] * has_times],
                check=True,
                cwd=_ROOT,
                env=environment,
                stdout=sys.stderr,
                timeout=limit,
            )
        except subprocess.TimeoutExpired:
            answered["left_out"] = f"not ready after {limit:.0f} s"
        else:
            answered |= json.loads(answers.read_text("utf-8"))
    kept.write_text(json.dumps(answered), "utf-8")
    return answered


def spread(milliseconds: Sequence[float]) -> str:
    """Return p50 and p95, as they are printed."""
    return ", ".join(f"{percentile(milliseconds, share):.1f}" for share in SHARES) if milliseconds else "-"


def _fingerprint(peer: str, exported: Path) -> str:
    digest = hashlib.sha256()
    for file in (exported / "chunks.jsonl", exported / "vectors.npy", _HERE / f"peer_{peer}.py", _HERE / "exported.py"):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def _question_ids(exported: Path) -> list[str]:
    lines = (exported / "questions.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["_id"] for line in lines]


def _is_about(answered: Mapping[str, Any], about: Mapping[str, Any], *, has_times: bool) -> bool:
    if answered.get("fingerprint") != about["fingerprint"]:
        return False
    if "left_out" in answered:
        return bool(answered["questions"] == about["questions"] and answered["limit"] == about["limit"])
    return list(answered["rankings"]) == about["questions"] and ("milliseconds" in answered or not has_times)


def _own_database(peer: str, conninfo: str) -> dict[str, str]:
    """Make a database of the peer's own on this server, and tell how to reach it."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute(sql.SQL("create database {}").format(sql.Identifier(peer)))
    reached = conninfo_to_dict(conninfo)
    return {
        "LOREBASE_PEER_SOCKET": str(reached["host"]),
        "LOREBASE_PEER_USER": str(reached["user"]),
        "LOREBASE_PEER_DATABASE": peer,
    }
