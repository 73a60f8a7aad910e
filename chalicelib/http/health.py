"""Whether the API can serve."""

from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from chalicelib.database.statements import load_statements
from chalicelib.embedding_spaces.embedders import Embedders
from chalicelib.errors import LorebaseError
from chalicelib.http.routing import AnonymousCall, Answer, NoBody, Resource, Routes
from chalicelib.platform.watched_embedder import EmbedderState, WatchedEmbedder

routes = Routes("health")

_PATIENCE_SECONDS = 3.0
"""Who asks for health wants an answer; who waits for the database does so elsewhere."""

_SQL = load_statements(__package__, "health.sql")


class Health(Resource):
    """How the parts are. Of several embedders the worst is told; without one search is lexical alone."""

    status: Literal["ok", "unavailable"]
    version: str
    database: Literal["ok", "unavailable"]
    embedder: EmbedderState | Literal["none"]


def lorebase_version() -> str:
    """Return the version that is installed; in a Lambda package, where nothing is, `0`."""
    try:
        return version("lorebase")
    except PackageNotFoundError:
        return "0"


@routes.for_anyone("GET", "/v1/health", body=NoBody, answers={200: Health, 503: Health})
def show_health(call: AnonymousCall[NoBody]) -> Answer:
    """Tell whether the API can serve: 200, or 503 with the part that is missing."""
    embedder = _embedder_state(call.application.embedders)
    try:
        with call.application.database.transaction(acquire_seconds=_PATIENCE_SECONDS) as tx:
            tx.fetch_one(_SQL["ping"])
    except LorebaseError:
        unhealthy = Health(status="unavailable", version=lorebase_version(), database="unavailable", embedder=embedder)
        return Answer(503, unhealthy, headers={"Retry-After": "2"})
    return Answer(body=Health(status="ok", version=lorebase_version(), database="ok", embedder=embedder))


def _embedder_state(embedders: Embedders) -> EmbedderState | Literal["none"]:
    states = {embedder.state for embedder in embedders if isinstance(embedder, WatchedEmbedder)}
    worst_first: tuple[EmbedderState, ...] = ("unavailable", "loading", "ready")
    return next((state for state in worst_first if state in states), "none")
