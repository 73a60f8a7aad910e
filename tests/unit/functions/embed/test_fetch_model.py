"""A model whose files are not those that were pinned is refused before anything is made of it."""

import hashlib
from pathlib import Path

import pytest

from functions.embed.fetch_model import ModelRefused, verify_model

PINNED = {"model.safetensors": hashlib.sha256(b"weights").hexdigest()}


def test_the_pinned_file_passes(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    verify_model(tmp_path, PINNED)


def test_another_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    with pytest.raises(ModelRefused, match=rf"has the SHA-256 \w+, not {PINNED['model.safetensors']}"):
        verify_model(tmp_path, PINNED)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelRefused, match=r"model\.safetensors is missing"):
        verify_model(tmp_path, PINNED)
