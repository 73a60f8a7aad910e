"""A folder's files tell which model they are of."""

import json
from pathlib import Path

import pytest

from chalicelib.platform.errors import EmbedderUnavailable
from chalicelib.platform.local.embedder import local_embedders
from chalicelib.platform.local.model.catalogue import BGE, E5, E5_Q4, MINILM, LocalModel, recognise

WORDS = "embeddings.word_embeddings.weight"


def write_header(folder: Path, *, layers: int, vocabulary: int) -> Path:
    """Write the beginning of a file of weights: its header alone, which names shapes."""
    shapes = {WORDS: [vocabulary, 384]}
    shapes |= {f"encoder.layer.{layer}.output.dense.weight": [384, 1536] for layer in range(layers)}
    entries = {name: {"dtype": "F32", "shape": shape, "data_offsets": [0, 0]} for name, shape in shapes.items()}
    header = json.dumps(entries | {"__metadata__": {"format": "pt"}}).encode()
    (folder / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header)
    return folder


@pytest.mark.parametrize("model", [MINILM, BGE, E5], ids=lambda model: model.name)
def test_published_weights_are_told_by_their_layers_and_words(model: LocalModel, tmp_path: Path) -> None:
    folder = write_header(tmp_path, layers=model.layers, vocabulary=model.vocabulary)
    assert recognise(folder) == [model]
    first, *others = local_embedders("all-MiniLM-L6-v2", folder, tmp_path / "cache", may_be_english=bool)
    assert (first.space, first.languages) == (model.space, model.published.languages)
    assert first.space not in {embedder.space for embedder in others}
    with pytest.raises(EmbedderUnavailable, match=r"model\.safetensors is damaged or of another model"):
        first.embed_query("a")


def test_packed_weights_are_told_by_their_name(tmp_path: Path) -> None:
    (tmp_path / "e5-small-q4.bin").write_bytes(b"")
    assert recognise(tmp_path) == [E5_Q4]


@pytest.mark.parametrize(("layers", "vocabulary"), [(24, 30_522), (12, 50_000), (0, 30_522)])
def test_other_weights_are_nobodys(layers: int, vocabulary: int, tmp_path: Path) -> None:
    assert recognise(write_header(tmp_path, layers=layers, vocabulary=vocabulary)) == []


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff" * 64,
        b"\x02\0\0\0\0\0\0\0[]",
        b"\x10\0\0\0\0\0\0\0" + b'{"a": {"dtype":',
        b"\x05" + b"\0" * 7 + b'{"a":',
    ],
)
def test_what_is_no_file_of_weights_is_nobodys(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(content)
    assert recognise(tmp_path) == []
    assert recognise(tmp_path / "absent") == []
