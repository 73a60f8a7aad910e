"""The same loads on OpenSearch Serverless and on Bedrock Knowledge Bases: their index alone, in us-east-1."""

from collections.abc import Callable, Mapping
from math import ceil

from infra.costs.bill import Bill, Line, line
from infra.costs.load import Load
from infra.costs.prices import HOURS, Region, figure

_SEARCH = "OpenSearch Serverless"
_BEDROCK = "Bedrock Knowledge Bases"


def classic(load: Load, *, redundant: bool) -> list[Line]:
    """Return the Classic generation, which never goes below its floor."""
    copies = 2 if redundant else 1
    floor = figure("redundant_floor" if redundant else "development_floor")
    graph = load.chunks * figure("graph_bytes") / figure("graph_bytes_per_search_unit")
    units = max(floor, floor / 2 + copies * ceil(graph * 2) / 2)
    return [
        line(_SEARCH, f"{units:g} OCU around the clock", "search-unit-hour", units * HOURS, standing=units == floor),
        _stored(load),
    ]


def next_generation(load: Load) -> list[Line]:
    """Return NextGen, which goes down to nothing; searches and indexing wake it apart."""
    graph = load.chunks * figure("graph_bytes") / figure("graph_bytes_per_search_unit")
    search_units = max(figure("awake_search_units"), 2 * ceil(graph))
    searching = HOURS if load.searches_per_second else 0.0
    return [
        line(_SEARCH, f"{search_units:g} OCU to search", "search-unit-hour", search_units * searching),
        line(
            _SEARCH,
            f"{figure('awake_index_units'):g} OCU to index, in working hours",
            "search-unit-hour",
            figure("awake_index_units") * load.working_hours,
        ),
        _stored(load),
    ]


def _stored(load: Load) -> Line:
    return line(_SEARCH, "storage", "search-storage", load.chunks * figure("search_storage_bytes") / 1e9)


def _titan(load: Load) -> list[Line]:
    passages = load.documents * figure("chunks_per_document") * figure("titan_tokens_per_chunk")
    questions = load.searches * figure("titan_tokens_per_question")
    return [
        line(_BEDROCK, "tokens of passages", "titan-token", passages),
        line(_BEDROCK, "tokens of questions", "titan-token", questions),
    ]


def bedrock_on_vectors(load: Load) -> list[Line]:
    """Return a knowledge base whose vectors lie in S3 Vectors, in one index."""
    boundary = figure("scan_boundary")
    first, further = min(load.chunks, boundary), max(0.0, load.chunks - boundary)
    terabytes = load.searches * figure("titan_vector_bytes") / 1e12
    written = load.documents * figure("chunks_per_document") * figure("titan_stored_bytes") / 1e9
    return [
        *_titan(load),
        line(_BEDROCK, "vectors stored", "vector-storage", load.chunks * figure("titan_stored_bytes") / 1e9),
        line(_BEDROCK, "vectors written", "vector-write", written),
        line(_BEDROCK, "queries", "vector-query", load.searches),
        line(_BEDROCK, "looked through, first vectors", "vector-scan-first", first * terabytes),
        line(_BEDROCK, "looked through, further vectors", "vector-scan-further", further * terabytes),
    ]


def bedrock_on_search(load: Load) -> list[Line]:
    """Return a knowledge base on OpenSearch Serverless (Classic, redundant), which Bedrock makes by itself."""
    return [*_titan(load), *classic(load, redundant=True)]


ALTERNATIVES: Mapping[str, Callable[[Load], list[Line]]] = {
    "OpenSearch Serverless Classic, redundant": lambda load: classic(load, redundant=True),
    "OpenSearch Serverless Classic, for development": lambda load: classic(load, redundant=False),
    "OpenSearch Serverless NextGen": next_generation,
    "Bedrock Knowledge Base on S3 Vectors": bedrock_on_vectors,
    "Bedrock Knowledge Base on OpenSearch Serverless Classic": bedrock_on_search,
}


def alternative_bill(name: str, load: Load) -> Bill:
    """Return the bill of an alternative by its name. Raises KeyError."""
    return Bill.of(Region.US_EAST_1, ALTERNATIVES[name](load))
