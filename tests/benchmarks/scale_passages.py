"""Passages without end that are like real ones, drawn from real ones: for tests.benchmarks.scale.

Real passages are those of the retrieval collections' documents, embedded for real. A drawn one is made around a real
one: half of its sentences are that one's, the others come from passages on the same subject (a k-means cluster), and
its vector is that one's moved by the difference of two vectors of the cluster (a smoothed bootstrap: it keeps how many
directions there are around each place). Words keep their real shares; a word that is in few real passages stands for as
many words as there is more text than theirs, so that rare words stay rare. Questions are the collections', as they are.
"""

import pickle
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from chalicelib.index.analysis import BEGINNING, terms_of
from chalicelib.index.bm25 import TITLE_REPEATS
from chalicelib.index.embedded_text import embedded_text
from chalicelib.index.language import detect_language
from chalicelib.index.tokens import load_tokenizer
from chalicelib.platform.ports import Embedder
from tests.benchmarks.retrieval import COLLECTIONS, read_collection

Floats: TypeAlias = npt.NDArray[np.float32]

TOPICS = 64
_NAMES = ("adi", "cranfield", "codebase_chunks", "covid_faq_de", "cacm")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_RARE = 3
_SPREAD = 0.7
_CHARACTERS = 3000


@dataclass(frozen=True, slots=True)
class RealPassage:
    """A real passage: sentences with their terms, and which passages are on its subject."""

    title: str
    language: str
    sentences: Sequence[str]
    counts: Sequence[Mapping[str, int]]
    topic: int


@dataclass(frozen=True, slots=True)
class DrawnPassage:
    """A passage made around a real one. `terms` are counted as the index counts them."""

    text: str
    terms: Counter[str]
    length: int
    vector: Floats
    language: str


@dataclass(frozen=True, slots=True)
class Base:
    """Real passages and questions, with their vectors; `rare` are terms of few passages."""

    passages: Sequence[RealPassage]
    vectors: Floats
    questions: Sequence[str]
    question_vectors: Floats
    rare: frozenset[str]
    common: Sequence[str]
    by_topic: Sequence[npt.NDArray[np.int64]] = field(default_factory=list)


def load_base(folder: Path, embedder: Embedder) -> Base:
    """Return what is kept in `folder`, made first where it is not there."""
    kept = folder / f"base-{embedder.space.replace('/', '-')}.pickle"
    if not kept.exists():
        kept.write_bytes(pickle.dumps(_make_base(embedder)))
    base: Base = pickle.loads(kept.read_bytes())
    return base


def draw(
    base: Base, chance: np.random.Generator, topics: npt.NDArray[np.int64], *, copies: int
) -> Iterator[DrawnPassage]:
    """Draw passages on some topics, item after item of them on one subject each. Terms that are rare have `copies`."""
    members = np.concatenate([base.by_topic[topic] for topic in topics])
    while True:
        around = int(members[chance.integers(len(members))])
        group = base.by_topic[base.passages[around].topic]
        variant = int(chance.integers(copies))
        yield _draw_one(base, chance, around, group, variant)


def _draw_one(
    base: Base, chance: np.random.Generator, around: int, group: npt.NDArray[np.int64], variant: int
) -> DrawnPassage:
    passage = base.passages[around]
    wanted = int(np.clip(chance.lognormal(4.7, 0.5), 30, 400))
    sentences: list[str] = []
    terms: Counter[str] = Counter()
    words, source = 0, passage
    while words < wanted:
        at = int(chance.integers(len(source.sentences)))
        sentences.append(source.sentences[at])
        words += sentences[-1].count(" ") + 1
        for term, count in source.counts[at].items():
            terms[f"{term}~{variant}" if variant and term in base.rare else term] += count
        source = passage if chance.random() < 0.5 else base.passages[group[chance.integers(len(group))]]
    for term in terms_of(passage.title, passage.language):
        terms[term] += TITLE_REPEATS
    length = sum(count for term, count in terms.items() if not term.startswith(BEGINNING))
    one, other = group[chance.integers(len(group), size=2)]
    moved = base.vectors[around] + _SPREAD * (base.vectors[one] - base.vectors[other])
    return DrawnPassage(" ".join(sentences), terms, length, moved / np.linalg.norm(moved), passage.language)


def _make_base(embedder: Embedder) -> Base:
    titles, texts, questions = [], [], []
    for name in _NAMES:
        collection = read_collection(COLLECTIONS / name)
        for document in collection.documents:
            text = (document["text"] or document["title"])[:_CHARACTERS]
            if len(text) > 80:
                titles.append(document["title"][:500] or "Untitled")
                texts.append(text)
        questions += [query["text"] for query in collection.queries]
    tokenizer = load_tokenizer()
    embedded = [embedded_text(title, (), text, tokenizer=tokenizer) for title, text in zip(titles, texts, strict=True)]
    vectors = embedder.embed_passages(embedded).vectors
    topics = _topics(vectors)
    passages = [
        _real_passage(title, text, int(topic)) for title, text, topic in zip(titles, texts, topics, strict=True)
    ]
    seen = Counter(term for passage in passages for term in {term for counts in passage.counts for term in counts})
    return Base(
        passages=passages,
        vectors=vectors,
        questions=questions,
        question_vectors=np.concatenate([embedder.embed_query(question).vectors for question in questions]),
        rare=frozenset(term for term, count in seen.items() if count <= _RARE),
        common=[term for term, _ in seen.most_common(400)],
        by_topic=[np.flatnonzero(topics == topic) for topic in range(TOPICS)],
    )


def _real_passage(title: str, text: str, topic: int) -> RealPassage:
    language = detect_language(text) or "en"
    sentences = [sentence for sentence in _SENTENCE.split(text) if sentence.strip()]
    return RealPassage(
        title, language, sentences, [Counter(terms_of(sentence, language)) for sentence in sentences], topic
    )


def _topics(vectors: Floats) -> npt.NDArray[np.int64]:
    """Put vectors into TOPICS groups around their means (k-means, ten rounds)."""
    chance = np.random.default_rng(5)
    centres = vectors[chance.choice(len(vectors), TOPICS, replace=False)]
    nearest = np.zeros(len(vectors), np.int64)
    for _ in range(10):
        nearest = np.argmax(vectors @ centres.T, axis=1)
        for topic in range(TOPICS):
            if (nearest == topic).any():
                mean = vectors[nearest == topic].mean(axis=0)
                centres[topic] = mean / np.linalg.norm(mean)
    return nearest
