"""Compiles graphs for this processor and runs them. OpenVINO is imported here alone, and kept silent."""

import sys
import threading
from collections.abc import Collection
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from chalicelib.platform.ports import Vectors

# Importing openvino reports to an analytics host unless its optional telemetry package cannot be imported.
vars(sys)["modules"]["openvino_telemetry"] = None
import openvino as ov  # noqa: E402 - after the line above
import openvino.opset13 as ops  # noqa: E402 - after the line above

__all__ = ["GraphRequest", "Precision", "compile_graph", "native_precision", "ops", "ov"]

Precision = Literal["f32", "bf16", "f16", "i8"]
"""What is calculated in. i8: matrices are whole numbers of 8 bits, and what they multiply becomes so as it comes by."""

_BLOCK = "32"
"""How many neighbouring numbers are scaled alike in i8; with 384 cosines fell from 0.9998 to 0.9991."""


def compile_graph(graph: ov.Model | Path, *, precision: Precision | None = None) -> ov.CompiledModel:
    """Return the graph, or the one in a file, ready to run on this processor; in its native precision unless told."""
    chosen = precision or native_precision()
    options = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": "f32" if chosen == "i8" else chosen}
    if chosen == "i8":
        options["DYNAMIC_QUANTIZATION_GROUP_SIZE"] = _BLOCK
    return ov.Core().compile_model(graph, "CPU", options)


class GraphRequest(threading.local):
    """A place to run a compiled graph of tokens and mask; `threading.local` makes each thread that comes by its own."""

    def __init__(self, model: ov.CompiledModel) -> None:
        self._mask_type = model.input(1).element_type.to_dtype()
        self._request = model.create_infer_request()

    def infer(
        self,
        tokens: npt.NDArray[np.int64 | np.float32],
        mask: npt.NDArray[np.int64],
        *others: npt.NDArray[np.int64],
    ) -> Vectors:
        """Return one row a row of `tokens`, which are ids or vectors, as the graph takes them and what else it does."""
        inputs = [tokens, mask.astype(self._mask_type), *others]
        return np.array(self._request.infer(inputs, share_inputs=True)[0], np.float32)


def native_precision(allowed: Collection[Precision] = ("f32", "bf16")) -> Precision:
    """Return the fastest of the allowed precisions here.

    bf16 is worth it with a matrix unit: with AMX it was 1.5 times as fast as f32, with AVX512-BF16 alone 0.7 times.
    f16 is what OpenVINO itself takes on Arm where the vector unit has it (Graviton 2 and later); we measured none,
    so that it has to be allowed by whoever compared its vectors.
    """
    capabilities = ov.Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    features = _processor_features()
    if "bf16" in allowed and "amx_bf16" in features and "BF16" in capabilities:
        return "bf16"
    if "f16" in allowed and "asimdhp" in features and "FP16" in capabilities:
        return "f16"
    return "f32"


def _processor_features() -> frozenset[str]:
    try:
        return frozenset(Path("/proc/cpuinfo").read_text("ascii", "replace").split())
    except OSError:
        return frozenset()
