"""Runs while the image is built: fetches a model, writes its served form, and refuses one that strays from it."""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from chalicelib.platform.embedding_models import MODELS_BY_NAME, EmbeddingModel
from chalicelib.platform.local.model.openvino_runtime import ov
from chalicelib.platform.local.model.windows import Purpose
from chalicelib.platform.ports import Vectors
from functions.embed.compare_models import COLLECTION, Collection, compare, is_faithful, read_collection
from functions.embed.export_model import copy_reference, export_model
from functions.embed.fetch_model import fetch_model, verify_model
from functions.embed.model_card import REFERENCE, Fidelity, ModelCard, write_card
from functions.embed.reference import Reference
from functions.embed.served_model import Precision, ServedModel, load_model

_PRECISIONS: tuple[tuple[Precision, str], ...] = (("f32", "FP32"), ("bf16", "BF16"), ("f16", "FP16"))


class ModelStrays(Exception):
    """The served form is not near enough to the reference."""


def build_model(
    model: EmbeddingModel, source: Path, target: Path, *, collection: Collection, keep_reference: bool
) -> ModelCard:
    """Fill `target` from the model's own files in `source`. Raises ModelStrays, ModelRefused, ValueError."""
    verify_model(source, model.sha256_by_file)
    reference = Reference(source, prompts=model.prompts)
    card = export_model(reference, model, target)
    compared = [_compared(reference, target, collection, precision) for precision in _precisions_here()]
    passed = tuple(filter(is_faithful, compared))
    if "f32" not in [fidelity.precision for fidelity in passed]:
        raise ModelStrays(f"{model.name} is not the reference's: {compared[0]}")
    card = card.model_copy(update={"fidelity": passed})
    write_card(target, card)
    if keep_reference:
        copy_reference(source, target / REFERENCE)
    return card


def main(arguments: Sequence[str]) -> None:
    """Build the model that the command line names, and print its card."""
    parser = argparse.ArgumentParser(prog="python -m functions.embed.build_model", description=__doc__)
    parser.add_argument("--model", choices=MODELS_BY_NAME, required=True)
    parser.add_argument("--target", type=Path, required=True, help="the folder that is filled")
    parser.add_argument("--source", type=Path, help="a folder with the model's files; without it they are fetched")
    parser.add_argument("--collection", type=Path, default=COLLECTION, help="what the ranking is compared on")
    parser.add_argument("--engine", choices=["openvino", "sentence-transformers"], default="openvino")
    given = parser.parse_args(arguments)
    model = MODELS_BY_NAME[given.model]
    with tempfile.TemporaryDirectory() as scratch:
        card = build_model(
            model,
            given.source or fetch_model(model, Path(scratch)),
            given.target,
            collection=read_collection(given.collection),
            keep_reference=given.engine == "sentence-transformers",
        )
    sys.stdout.write(card.model_dump_json(indent=2) + "\n")


def _compared(reference: Reference, target: Path, collection: Collection, precision: Precision) -> Fidelity:
    served = load_model(target, engine="openvino", precision=precision)
    return compare(reference.encode, partial(_rows, served), collection, precision=precision)


def _rows(served: ServedModel, texts: Sequence[str], purpose: Purpose) -> Vectors:
    return served.embed(texts, purpose).vectors


def _precisions_here() -> list[Precision]:
    """Only what this processor has can be compared; the others stay unserved, whatever runs the image."""
    capabilities = ov.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    return [precision for precision, capability in _PRECISIONS if capability in capabilities]


if __name__ == "__main__":
    main(sys.argv[1:])
