"""The models that the embedder's function can be built with, and what must be known of them beside their files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """A model of sentence-transformers, pinned. `prompts` complement those that its own configuration has."""

    name: str
    repository: str
    revision: str
    sha256_by_file: Mapping[str, str]
    dimensions: int
    languages: frozenset[str] | None
    prompts: Mapping[str, str] = field(default_factory=dict)

    @property
    def space(self) -> str:
        """The name of its embedding space."""
        return f"{self.name}/{self.dimensions}"


# Prompts as on the model cards, for their configurations name none:
# huggingface.co/BAAI/bge-small-en-v1.5#usage, huggingface.co/intfloat/multilingual-e5-small#usage.
_MODELS = (
    EmbeddingModel(
        name="all-MiniLM-L6-v2",
        repository="sentence-transformers/all-MiniLM-L6-v2",
        revision="1110a243fdf4706b3f48f1d95db1a4f5529b4d41",
        sha256_by_file={
            "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        },
        dimensions=384,
        languages=frozenset({"en"}),
    ),
    EmbeddingModel(
        name="bge-small-en-v1.5",
        repository="BAAI/bge-small-en-v1.5",
        revision="5c38ec7c405ec4b44b94cc5a9bb96e735b38267a",
        sha256_by_file={
            "model.safetensors": "3c9f31665447c8911517620762200d2245a2518d6e7208acc78cd9db317e21ad",
            "tokenizer.json": "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
        },
        dimensions=384,
        languages=frozenset({"en"}),
        prompts={"query": "Represent this sentence for searching relevant passages: "},
    ),
    EmbeddingModel(
        name="multilingual-e5-small",
        repository="intfloat/multilingual-e5-small",
        revision="614241f622f53c4eeff9890bdc4f31cfecc418b3",
        sha256_by_file={
            "model.safetensors": "1a55775f53449dac10a2bcbc312469fac40b96d53198c407081a831f81c98477",
            "tokenizer.json": "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
        },
        dimensions=384,
        languages=None,
        prompts={"query": "query: ", "passage": "passage: "},
    ),
)
MODELS_BY_NAME: Mapping[str, EmbeddingModel] = {model.name: model for model in _MODELS}

PAIR: Final = "e5-minilm"
"""The name of two of them as one, which a laptop embeds by."""
