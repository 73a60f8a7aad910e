"""Downloads a model from its hub while the image is built: one revision, compared with known hashes."""

from collections.abc import Mapping
from hashlib import file_digest
from pathlib import Path

from huggingface_hub import snapshot_download

from chalicelib.platform.embedding_models import EmbeddingModel

_PATTERNS = ("*.json", "*.txt", "*.model", "model.safetensors", "LICENSE*", "README.md")
_NOT = ("onnx/*", "openvino/*", "train_script.py", "data_config.json")


class ModelRefused(Exception):
    """A file of the model is not the one that was pinned."""


def fetch_model(model: EmbeddingModel, folder: Path) -> Path:
    """Return `folder` with the model's files. Raises ModelRefused, and the hub's own errors."""
    snapshot_download(
        model.repository,
        revision=model.revision,
        local_dir=folder,
        allow_patterns=list(_PATTERNS),
        ignore_patterns=list(_NOT),
    )
    verify_model(folder, model.sha256_by_file)
    return folder


def verify_model(folder: Path, sha256_by_file: Mapping[str, str]) -> None:
    """Compare the files that are pinned. Raises ModelRefused."""
    for name, expected in sha256_by_file.items():
        if not (folder / name).is_file():
            raise ModelRefused(f"{name} is missing in {folder}")
        with (folder / name).open("rb") as file:
            found = file_digest(file, "sha256").hexdigest()
        if found != expected:
            raise ModelRefused(f"{name} has the SHA-256 {found}, not {expected}")
