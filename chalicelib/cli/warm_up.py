"""Loads beside the start what the first question would wait for, and says how the embedding model arrives."""

import threading
from collections.abc import Callable, Sequence

from chalicelib.errors import LorebaseError
from chalicelib.index.language import detect_language
from chalicelib.platform.local.embedder import megabytes_to_fetch
from chalicelib.platform.ports import Embedder
from chalicelib.settings import Settings


def warm_up(embedders: Sequence[Embedder], settings: Settings, *, say: Callable[[str], None]) -> threading.Thread:
    """Load the languages' model and the embedding models in a thread of their own, and return it."""

    def load() -> None:
        detect_language("which language is this")
        for embedder in embedders:
            _load_embedder(embedder, settings, say=say)

    thread = threading.Thread(target=load, name="warm-up", daemon=True)
    thread.start()
    return thread


def _load_embedder(embedder: Embedder, settings: Settings, *, say: Callable[[str], None]) -> None:
    megabytes = megabytes_to_fetch(embedder.space, settings.model_folder, settings.cache_folder)
    if megabytes:
        say(f"The embedding model is being downloaded, this once ({megabytes} MB); until then words alone find.")
    try:
        embedder.embed_query("warm up")
    except LorebaseError as error:
        say(f"Words alone find for now: {error.detail}")
    else:
        say("The embedding model is loaded: search goes by words and by meaning.")
