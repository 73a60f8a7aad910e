"""The model in sentence-transformers: what the served form is made from, and compared with."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from chalicelib.platform.local.model.windows import Frame, Purpose, TokenIds
from chalicelib.platform.ports import Vectors

# What sentence-transformers calls the two sides (sbert.net, encode_query and encode_document).
_PROMPT_NAMES: Mapping[Purpose, tuple[str, ...]] = {"query": ("query",), "passage": ("document", "passage", "corpus")}
_BATCH = 8


class Reference:
    """A model of any architecture that sentence-transformers loads. Pooling and prompts are as the model says."""

    def __init__(self, folder: Path, *, prompts: Mapping[str, str] | None = None) -> None:
        """`prompts` by purpose stand in where the model's configuration has none. Nothing is downloaded."""
        self.model = SentenceTransformer(str(folder), device="cpu", local_files_only=True, trust_remote_code=False)
        self.model.eval()
        self._prompts = {
            purpose: self._prompt(purpose) or (prompts or {}).get(purpose, "") for purpose in _PROMPT_NAMES
        }

    @property
    def dimensions(self) -> int:
        """The length of its vectors."""
        dimensions = self.model.get_embedding_dimension()
        if not isinstance(dimensions, int):
            raise TypeError("the model does not say how long its vectors are")
        return dimensions

    def encode(self, texts: Sequence[str], purpose: Purpose) -> Vectors:
        """Embed as sentence-transformers does: what exceeds the model's length is cut off."""
        rows = self.model.encode(
            list(texts),
            prompt=self._prompts[purpose],
            batch_size=_BATCH,
            normalize_embeddings=True,
            show_progress_bar=False,
        )
        return np.asarray(rows, np.float32)

    def run(self, ids: TokenIds, mask: TokenIds) -> Vectors:
        """Return one pooled row a row of ids."""
        with torch.inference_mode():
            features = {"input_ids": torch.from_numpy(ids), "attention_mask": torch.from_numpy(mask)}
            return np.asarray(self.model(features)["sentence_embedding"].numpy(), np.float32)

    def frames(self) -> Mapping[Purpose, Frame]:
        """Return what stands around a window of text for each purpose: marks of the model, and its prompt."""
        return {purpose: self._frame(prompt) for purpose, prompt in self._prompts.items()}

    def _frame(self, prompt: str) -> Frame:
        tokenizer = self.model.tokenizer
        marks = tokenizer("", add_special_tokens=True)["input_ids"]
        # One mark ends a text and the others begin it, in the families of BERT, RoBERTa and MPNet alike.
        begin, end = tuple(marks[:-1]), tuple(marks[-1:])
        words = tokenizer(prompt.rstrip(), add_special_tokens=False)["input_ids"] if prompt else []
        longest = int(self.model.max_seq_length or tokenizer.model_max_length)
        return Frame((*begin, *words), end, padding=tokenizer.pad_token_id, window=longest - len(marks) - len(words))

    def _prompt(self, purpose: Purpose) -> str:
        names = [name for name in _PROMPT_NAMES[purpose] if self.model.prompts.get(name)]
        return self.model.prompts[names[0]] if names else ""
