"""The model as it is served: in OpenVINO by default, in sentence-transformers where the setting says so."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.local.model.tokenizing import tokenize_by_file
from chalicelib.platform.local.model.windows import Purpose, TokenIds, embed_in_windows
from chalicelib.platform.ports import Embedded, Vectors
from functions.embed.model_card import GRAPH, REFERENCE, TOKENIZER, ModelCard, read_card

Engine = Literal["openvino", "sentence-transformers"]
Precision = Literal["f32", "bf16", "f16"]
Run = Callable[[TokenIds, TokenIds], Vectors]
"""Takes token ids and mask, returns one pooled row a row."""


class ServedModel:
    """One loaded model; both engines read the same windows, so that they give the same vectors."""

    def __init__(self, folder: Path, card: ModelCard, run: Run) -> None:
        self.space = card.space
        self.dimensions = card.dimensions
        self._frames = card.frames
        self._tokenize = tokenize_by_file(folder / TOKENIZER)
        self._run = run

    def embed(self, texts: Sequence[str], purpose: Purpose) -> Embedded:
        """Return a row a text, whole texts of any length; one that has no meaning to the model is zero."""
        return embed_in_windows(
            texts,
            tokenize=self._tokenize,
            frame=self._frames[purpose],
            dimensions=self.dimensions,
            run=self._run,
        )


def load_model(folder: Path, *, engine: Engine, precision: Precision | None = None) -> ServedModel:
    """Load what the build left in `folder`. Without `precision`, the fastest here of those that the build passed.

    Raises EmbedderUnavailable if there is no model.
    """
    try:
        card = read_card(folder)
    except (OSError, ValidationError) as problem:
        raise EmbedderUnavailable(f"There is no model in {folder}: build the embedder's image anew.") from problem
    run = _openvino(folder, card, precision) if engine == "openvino" else _reference(folder)
    return ServedModel(folder, card, run)


def _openvino(folder: Path, card: ModelCard, precision: Precision | None) -> Run:
    # Neither engine is imported for the other: torch takes seconds, and is not in every image.
    from chalicelib.platform.local.model.openvino_runtime import (  # noqa: PLC0415
        GraphRequest,
        compile_graph,
        native_precision,
    )

    chosen = precision or native_precision([passed.precision for passed in card.fidelity])
    return GraphRequest(compile_graph(folder / GRAPH, precision=chosen)).infer


def _reference(folder: Path) -> Run:
    from functions.embed.reference import Reference  # noqa: PLC0415 - as above

    return Reference(folder / REFERENCE).run
