"""What Aurora costs: capacity while it is awake, storage, reads and writes, backups."""

from math import ceil

from infra.costs.bill import Line, line
from infra.costs.load import Load
from infra.costs.prices import DAYS, HOURS, figure

_PART = "Aurora"
_GIGABYTE = 1e9


def awake_hours(load: Load) -> float:
    """Hours in which the cluster answers, or waits to pause; without work only the daily sweep wakes it."""
    if load.searches_per_second:
        return HOURS
    tail = (figure("pause_seconds") + figure("session_seconds")) / 3600
    woken = figure("resume_seconds") / 3600 + tail
    if load.documents_per_day:
        return min(HOURS, load.working_hours + DAYS * tail)
    return DAYS * figure("daily_sweeps") * woken


def awake_units(load: Load) -> float:
    """Capacity while awake, in steps of half an ACU: memory for what is hot, processors for the work, and no less."""
    if not load.searches_per_second and not load.documents_per_day:
        return figure("least_awake_units")
    memory = load.chunks * figure("hot_chunk_bytes") / figure("buffer_share") / figure("unit_bytes")
    busy = load.searches * figure("search_database_seconds") / (HOURS * 3600)
    if load.documents_per_day:
        busy += load.documents * figure("database_seconds_per_document") / (load.working_hours * 3600)
    processors = busy / figure("unit_processors") / figure("processor_share")
    return ceil(max(memory, processors, figure("least_awake_units")) * 2) / 2


def stored_gigabytes(load: Load) -> float:
    """What the cluster keeps; AWS bills no less than a gigabyte."""
    return max(1.0, load.chunks * figure("chunk_bytes") / _GIGABYTE)


def io_requests(load: Load) -> float:
    """Reads and writes of storage."""
    return load.searches * figure("io_per_search") + load.documents * figure("chunks_per_document") * figure(
        "io_per_chunk"
    )


def database_lines(load: Load) -> list[Line]:
    """Return the lines of the standard storage configuration."""
    unit_hours = awake_hours(load) * awake_units(load)
    swept = DAYS * figure("daily_sweeps")
    what = f"{awake_units(load):g} ACU for {awake_hours(load):,.0f} hours"
    daily = load.documents_per_day * figure("chunks_per_document") * figure("chunk_bytes") / _GIGABYTE
    gigabytes = stored_gigabytes(load)
    asked = bool(load.searches_per_second or load.documents_per_day)
    return [
        line(
            _PART,
            what if asked else f"{what}: {swept:,.0f} sweeps",
            "database-unit-hour",
            unit_hours,
            standing=not asked,
        ),
        line(_PART, f"{gigabytes:,.1f} GB stored", "database-storage", gigabytes, standing=not load.chunks),
        line(_PART, "reads and writes of storage", "database-io", io_requests(load)),
        line(
            _PART,
            "backups beyond the cluster's size",
            "database-backup",
            max(0.0, daily * figure("backup_days") - gigabytes),
        ),
    ]


def optimized_lines(load: Load) -> list[Line]:
    """Return the same lines in the configuration I/O-Optimized, where reads and writes are free."""
    return [
        line(_PART, "capacity", "optimized-unit-hour", awake_hours(load) * awake_units(load)),
        line(_PART, "storage", "optimized-storage", stored_gigabytes(load)),
    ]
