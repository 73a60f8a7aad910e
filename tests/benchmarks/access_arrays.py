"""What a predicate on arrays of tokens would cost: `python -m tests.benchmarks.access_arrays`.

All rows have one audience and the asker's last token is the audience's last. Printed are milliseconds for counting the
readable rows by `audience && tokens` without and with a GIN index, and by the audience's number.
"""

import statistics
import time
from itertools import product

import psycopg
from psycopg.errors import QueryCanceled

from tests.benchmarks.crowds import server_of_databases, user_token

_ROWS = (10_000, 100_000)
_TOKENS = (1, 50, 1000)
_MOST_BYTES = 3e8
_SECONDS = 15


def measure(connection: psycopg.Connection, rows: int, in_audience: int) -> None:
    """Print a line for each number of tokens that an asker has."""
    audience = [user_token(number) for number in range(in_audience)]
    connection.execute("drop table if exists guarded")
    connection.execute("create table guarded (id bigint, audience text[], audience_id bigint)")
    connection.execute("insert into guarded select n, %s, 7 from generate_series(1, %s) n", [audience, rows])
    connection.execute("vacuum analyze guarded")
    askers = {count: [*(user_token(10**6 + number) for number in range(count - 1)), audience[-1]] for count in _TOKENS}
    by_number = _median(connection, "select count(*) from guarded where audience_id = any(%s)", [[7]])
    scanned = [_median(connection, _BY_ARRAY, [tokens]) for tokens in askers.values()]
    connection.execute("create index on guarded using gin (audience)")
    connection.execute("set enable_seqscan = off")
    indexed = [_median(connection, _BY_ARRAY, [tokens]) for tokens in askers.values()]
    connection.execute("reset enable_seqscan")
    for count, plain, gin in zip(askers, scanned, indexed, strict=True):
        print(
            f"  {rows} rows, {in_audience} tokens, asker {count}: && {plain}, GIN {gin}, number {by_number}", flush=True
        )


_BY_ARRAY = "select count(*) from guarded where audience && %s::text[]"


def _median(connection: psycopg.Connection, statement: str, parameters: list[object]) -> str:
    times = []
    connection.execute(f"set statement_timeout = '{_SECONDS}s'".encode())
    try:
        for _ in range(3):
            started = time.perf_counter()
            connection.execute(statement.encode(), parameters).fetchone()
            times.append((time.perf_counter() - started) * 1000)
    except QueryCanceled:
        return f"over {_SECONDS} s"
    finally:
        connection.execute("reset statement_timeout")
    return f"{statistics.median(times):.1f}"


def main() -> None:
    """Measure all that takes no more than 300 MB."""
    with (
        server_of_databases() as make,
        psycopg.connect(make().conninfo, autocommit=True) as connection,
    ):
        print("milliseconds")
        for rows, in_audience in product(_ROWS, _TOKENS):
            if rows * in_audience * 45 < _MOST_BYTES:
                measure(connection, rows, in_audience)


if __name__ == "__main__":
    main()
