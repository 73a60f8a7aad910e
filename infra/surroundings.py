"""What tells a function where the bucket, the queues and the embedder are."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from infra.environment import environment_of
from infra.originals import Originals
from infra.queues import Queues

if TYPE_CHECKING:
    from infra.embedder import Embedder


def surroundings_of(*, originals: Originals, queues: Queues, embedder: "Embedder") -> Mapping[str, str]:
    """Return the variables for every function of the stage; without an embedder search is lexical alone."""
    function = embedder.function
    embeds = {"embedder": "none"}
    if function is not None:
        embeds = {"embedder": "lambda", "embed_function": function.function_name, "embed_model": embedder.model}
    return environment_of(
        originals_bucket=originals.bucket.bucket_name,
        intake_queue_url=queues.intake.queue.queue_url,
        index_queue_url=queues.index.queue.queue_url,
        sweep_queue_url=queues.sweep.queue.queue_url,
        **embeds,
    )
