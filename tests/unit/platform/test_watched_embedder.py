"""What health is told of the embedder."""

from contextlib import suppress

from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.watched_embedder import WatchedEmbedder
from tests.fixtures.embedders import WordEmbedder


def test_the_state_follows_what_came_of_the_last_work() -> None:
    inner = WordEmbedder()
    embedder = WatchedEmbedder(inner)
    states: list[str] = []
    for is_down in (True, False, True):
        inner.is_down = is_down
        with suppress(EmbedderUnavailable):
            embedder.embed_query("question")
        states.append(embedder.state)
    assert states == ["unavailable", "ready", "unavailable"]
