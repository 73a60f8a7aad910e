"""Writes the served form of a model: one graph from token ids to pooled vectors, its tokenizer, its card."""

import shutil
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
import transformers

from chalicelib.platform.embedding_models import EmbeddingModel
from chalicelib.platform.local.model.openvino_runtime import ov
from functions.embed.model_card import GRAPH, TOKENIZER, ModelCard, write_card
from functions.embed.reference import Reference

_TOOLS = ("sentence-transformers", "transformers", "torch", "openvino")


def export_model(reference: Reference, model: EmbeddingModel, folder: Path) -> ModelCard:
    """Fill `folder` and return the card. Raises ValueError if the model is not as long as its space says."""
    if reference.dimensions != model.dimensions:
        raise ValueError(f"{model.name} gives {reference.dimensions} dimensions, not {model.dimensions}")
    folder.mkdir(parents=True, exist_ok=True)
    # f32 as trained: what a processor does better in is decided where it runs.
    ov.save_model(_graph(reference), folder / GRAPH, compress_to_fp16=False)
    reference.model.tokenizer.backend_tokenizer.save(str(folder / TOKENIZER))
    card = ModelCard(
        space=model.space,
        dimensions=model.dimensions,
        frames=reference.frames(),
        made_with={tool: version(tool) for tool in _TOOLS} | {model.repository: model.revision},
    )
    write_card(folder, card)
    return card


def copy_reference(source: Path, folder: Path) -> None:
    """Keep the model's own files, for images that serve it in sentence-transformers."""
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns(".cache", "*.onnx", "*.bin"), dirs_exist_ok=True)


class _Pooled(torch.nn.Module):
    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> Any:  # noqa: ANN401 - torch has no types here
        return self.model({"input_ids": input_ids, "attention_mask": attention_mask})["sentence_embedding"]


def _graph(reference: Reference) -> ov.Model:
    transformers.logging.set_verbosity_error()
    # Two rows, one of them padded, so that no branch for an even batch is traced in.
    ids = torch.full((2, 9), reference.model.tokenizer.pad_token_id)
    mask = torch.zeros((2, 9), dtype=torch.int64)
    for row, length in enumerate((9, 6)):
        ids[row, :length] = torch.arange(5, 5 + length)
        mask[row, :length] = 1
    shapes = [(name, [-1, -1], ov.Type.i64) for name in ("input_ids", "attention_mask")]
    with torch.inference_mode():
        return ov.convert_model(
            _Pooled(reference.model).eval(),
            example_input={"input_ids": ids, "attention_mask": mask},
            input=shapes,
        )
