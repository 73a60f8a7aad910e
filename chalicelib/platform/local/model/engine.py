"""Turns texts into vectors with one of the models of this machine."""

from collections.abc import Sequence
from pathlib import Path

from chalicelib.platform.local.model.catalogue import PACKED, TOKENIZER, LocalModel
from chalicelib.platform.local.model.graph import Encoder, embedding_graph
from chalicelib.platform.local.model.openvino_runtime import GraphRequest, Precision, compile_graph, native_precision
from chalicelib.platform.local.model.packed_file import PackedFile
from chalicelib.platform.local.model.tokenizing import Tokenize, tokenize_by_file
from chalicelib.platform.local.model.unigrams import tokenize_by_pieces
from chalicelib.platform.local.model.weights import read_weights
from chalicelib.platform.local.model.windows import Frame, Purpose, TokenIds, embed_in_windows
from chalicelib.platform.ports import Embedded, Vectors

# Begin, end and padding, by family.
_BERT_MARKS = (101, 102, 0)
_XLM_ROBERTA_MARKS = (0, 2, 1)
_BERT_VOCABULARY = 30_522


class Engine:
    """One compiled model; threads may share it, each with a request of its own."""

    def __init__(
        self, folder: Path, model: LocalModel, *, precision: Precision | None = None, longest: int | None = None
    ) -> None:
        """Without `precision`, the one that is fastest here. `longest` is a window's tokens, marks included."""
        self._dimensions = model.published.dimensions
        self._tokenize = _tokenize(folder, model)
        self._frames = _frames(model, self._tokenize, longest or model.longest)
        self._weights = read_weights(folder, model)
        chosen = precision or ("i8" if PACKED in model.sha256_by_file else native_precision())
        encoder = Encoder(self._weights, layers=model.layers, whole_numbers=chosen == "i8")
        graph = embedding_graph(encoder, width=model.published.dimensions, pooling=model.pooling)
        self._request = GraphRequest(compile_graph(graph, precision=chosen))

    def embed(self, texts: Sequence[str], purpose: Purpose) -> Embedded:
        """Return unit rows; a text without meaning is zero."""
        return embed_in_windows(
            texts,
            tokenize=self._tokenize,
            frame=self._frames[purpose],
            dimensions=self._dimensions,
            run=self._run,
        )

    def _run(self, ids: TokenIds, mask: TokenIds) -> Vectors:
        return self._request.infer(self._weights.words(ids), mask)


def _tokenize(folder: Path, model: LocalModel) -> Tokenize:
    if PACKED in model.sha256_by_file:
        return tokenize_by_pieces(PackedFile(folder / PACKED).pieces())
    return tokenize_by_file(folder / TOKENIZER)


def _frames(model: LocalModel, tokenize: Tokenize, longest: int) -> dict[Purpose, Frame]:
    begin, end, padding = _BERT_MARKS if model.vocabulary == _BERT_VOCABULARY else _XLM_ROBERTA_MARKS
    frames: dict[Purpose, Frame] = {}
    for purpose in ("passage", "query"):
        # The space behind a prompt belongs to the text's first token.
        prompt = tokenize([model.published.prompts.get(purpose, "").rstrip()])[0]
        frames[purpose] = Frame((begin, *prompt), (end,), padding=padding, window=longest - 2 - len(prompt))
    return frames
