"""What the build wrote about a model: how to run it, what it was made with, how near it is to its reference."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from chalicelib.platform.local.model.windows import Frame, Purpose

GRAPH: Final = "encoder.xml"
TOKENIZER: Final = "tokenizer.json"
REFERENCE: Final = "reference"
"""The folder with the model as sentence-transformers reads it, where the image keeps it."""

_CARD = "card.json"


class Fidelity(BaseModel):
    """How one precision compares with the reference: the least cosine, and the nDCG@10 lost by it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    precision: Literal["f32", "bf16", "f16"]
    least_cosine: float
    ndcg_lost: float


class ModelCard(BaseModel):
    """Lies beside the graph. `fidelity` has the precisions that passed the comparison at build time, and no other."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    space: str
    dimensions: int
    frames: Mapping[Purpose, Frame]
    made_with: Mapping[str, str]
    fidelity: tuple[Fidelity, ...] = ()


def read_card(folder: Path) -> ModelCard:
    """Read the card of a folder. Raises OSError, pydantic.ValidationError."""
    return ModelCard.model_validate_json((folder / _CARD).read_bytes())


def write_card(folder: Path, card: ModelCard) -> None:
    """Write or replace the card of a folder."""
    (folder / _CARD).write_text(card.model_dump_json(indent=2) + "\n", "utf-8")
