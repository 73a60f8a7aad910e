"""What it takes to find out who asks, by key and by token: `python -m tests.benchmarks.authentication [ROUNDS]`.

Calls what the edge calls, on an embedded PostgreSQL with one organization and an issuer in this process whose keys are
known. Kinds take turns, so that they meet the same machine. Prints median and 95th percentile in milliseconds.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from psycopg.conninfo import make_conninfo

from chalicelib.database.database import Database
from chalicelib.database.migrate import migrate
from chalicelib.http.authentication import authenticate_request
from chalicelib.identity.model import KeyScope
from chalicelib.identity.oidc.issuers import Issuers
from chalicelib.identity.oidc.manage_providers import create_provider
from chalicelib.identity.oidc.model import Terms
from chalicelib.platform.local.issuer_documents import DirectIssuerDocuments
from chalicelib.platform.local.postgres.binaries import embedded_binaries
from chalicelib.platform.local.postgres.launcher import start_postgres
from tests.fixtures.issuers import CLIENT, Issuer, serving, signing_key
from tests.fixtures.lorebases import Lorebase

_ALGORITHMS = ("RS256", "ES256", "EdDSA")


def main(rounds: int) -> None:
    """Ask in turns and print what was seen."""
    with (
        tempfile.TemporaryDirectory() as folder,
        start_postgres(Path(folder) / "postgres", binaries=embedded_binaries()) as server,
    ):
        conninfo = make_conninfo(server.conninfo)
        migrate(conninfo)
        database = Database(conninfo)
        lorebase = Lorebase(database, Path(folder))
        lorebase.wired = replace(
            lorebase.wired,
            issuers=Issuers(DirectIssuerDocuments(takes_loopback=True), fresh_for=timedelta(minutes=10)),
        )
        credentials = {"API key": lorebase.foundation.token}
        for algorithm in _ALGORITHMS:
            with serving(signing_key("k", algorithm)) as issuer:
                _trust(lorebase, issuer, algorithm)
                credentials[algorithm] = issuer.token(lorebase.clock.now())
        times = _take_turns({kind: _asking(lorebase, credential) for kind, credential in credentials.items()}, rounds)
        floor = statistics.median(times["API key"])
        print(f"| Credential | p50, ms | p95, ms | Of the key's |\n| --- | ---: | ---: | ---: |\n{_rows(times, floor)}")
        print(f"\nPyJWT with cryptography, imported on the first token: {_import_milliseconds():.0f} ms of CPU")
        database.close()


def _trust(lorebase: Lorebase, issuer: Issuer, algorithm: str) -> None:
    terms = Terms(
        name=algorithm,
        audiences=[CLIENT],
        algorithms=[algorithm],
        scopes=frozenset(KeyScope),
        name_claim="name",
        email_claim="email",
        email_verified_claim="email_verified",
        links_by_email=False,
        admits=True,
        email_domains=None,
    )
    issuers = lorebase.wired.issuers
    with lorebase.database.transaction() as tx:
        create_provider(
            tx,
            principal=lorebase.owner,
            organization_id=lorebase.owner.organization_id,
            issuer=issuer.url,
            terms=terms,
            documents=issuers.documents if issuers else None,
            now=lorebase.clock.now(),
        )


def _asking(lorebase: Lorebase, credential: str) -> Callable[[], object]:
    headers = {"authorization": f"Bearer {credential}"}
    return lambda: authenticate_request(lorebase.wired, headers)


def _take_turns(calls: dict[str, Callable[[], object]], rounds: int) -> dict[str, Sequence[float]]:
    times: dict[str, list[float]] = {kind: [] for kind in calls}
    for _ in range(rounds):
        for kind, call in calls.items():
            started = time.perf_counter()
            call()
            times[kind].append((time.perf_counter() - started) * 1000)
    warm = rounds // 10
    return {kind: seen[warm:] for kind, seen in times.items()}


def _rows(times: dict[str, Sequence[float]], floor: float) -> str:
    lines = []
    for kind, seen in times.items():
        median, late = statistics.median(seen), statistics.quantiles(seen, n=20)[-1]
        lines.append(f"| {kind} | {median:.2f} | {late:.2f} | {median / floor:.2f} |")
    return "\n".join(lines)


def _import_milliseconds() -> float:
    code = "import time; t = time.process_time(); import jwt.api_jws, jwt; print(time.process_time() - t)"
    runs = [subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True) for _ in range(5)]
    return min(float(run.stdout) for run in runs) * 1000


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
