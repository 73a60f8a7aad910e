"""How chunks are cut, measured by known items: `python -m tests.benchmarks.chunking [CONFIGURATION...]`.

Half of the headings that can be asked for are taken out of a part of the handbook and become questions, whose answers
are the texts that stood under them. A configuration is `tokens-overlap-prefix-packed`, as in `256-32-headings-128`
(prefix: none, title, headings). Printed for words and for vectors alone: MRR@10 of the first chunk that lies mostly in
the answer or holds most of it, and the share of the answer that the chunks of the first 1,000 tokens hold, which is
fair to all sizes.
"""

import math
import os
import random
import re
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import numpy as np
import numpy.typing as npt

from chalicelib.identity.model import WorkspaceId
from chalicelib.index.bm25 import K1, B, count_terms, inverse_frequency
from chalicelib.index.chunking import Chunk, chunk_body
from chalicelib.index.embedded_text import embedded_text
from chalicelib.index.sections import find_sections
from chalicelib.index.tokens import load_tokenizer
from chalicelib.platform.ports import Embedder
from tests.benchmarks.retrieval import cached_embedder

HANDBOOK = Path(__file__).resolve().parents[3] / "shared" / "data" / "handbook"
STATUTES = ("ArbSchG", "BUrlG", "EntgFG", "GeschGehG", "IFG", "MuSchG 2018", "NachwG", "PflegeZG")
CONFIGURATIONS = (
    *(f"{tokens}-64-headings-0" for tokens in (128, 256, 384, 512)),
    *(f"256-{overlap}-headings-0" for overlap in (0, 32, 128)),
    *(f"512-64-headings-{packed}" for packed in (64, 128, 256)),
    *(f"512-64-{prefix}-0" for prefix in ("none", "title")),
)
_WORKSPACE = WorkspaceId(UUID(int=1))
_BUDGET = 1000
_FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Document:
    """A document without the headings that are asked for."""

    title: str
    body: str
    language: str


@dataclass(frozen=True, slots=True)
class Question:
    """A heading, and the part of a document that stood under it."""

    text: str
    document: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Indexed:
    """A chunk of a document with what is embedded of it and its terms."""

    document: int
    chunk: Chunk
    embedded: str
    counts: Mapping[int, int]
    length: int


def read_documents() -> Iterator[Document]:
    """Read every fifth English document and some of the statutes."""
    for number, path in enumerate(sorted(HANDBOOK.rglob("*.md"))):
        german = "gesetze_de" in path.parts
        if path.stem not in STATUTES if german else number % 5:
            continue
        text = path.read_text("utf-8").replace("\r\n", "\n")
        matter = _FRONT_MATTER.match(text)
        title = re.search(r"(?im)^title: *(.+)$", matter[1]) if matter else None
        body = text[matter.end() :] if matter else text
        yield Document(title[1].strip(" \"'") if title else path.stem, body, "de" if german else "en")


def ask(documents: Sequence[Document]) -> tuple[list[Document], list[Question]]:
    """Take headings out of the documents; return these and the questions that the headings are."""
    choose = random.Random(5)
    asked: list[Question] = []
    left: list[Document] = []
    headings = Counter(
        section.heading_path[-1] for one in documents for section in find_sections(one.body) if section.heading_path
    )
    for number, document in enumerate(documents):
        body = ""
        end = 0
        for section in find_sections(document.body):
            text = document.body[section.start : section.end]
            first, _, rest = text.partition("\n")
            body += document.body[end : section.start]
            end = section.end
            fits = section.heading_path and first.startswith("#") and len(rest.split()) >= 25
            name = re.sub(r"^(?:§+ *\d+\w*|\d[\d.]*) *", "", section.heading_path[-1]) if fits else ""
            if fits and len(name.split()) >= 2 and headings[section.heading_path[-1]] == 1 and choose.random() < 0.5:
                asked.append(Question(name, number, len(body), len(body) + len(rest)))
                body += rest
            else:
                body += text
        left.append(Document(document.title, body + document.body[end:], document.language))
    return left, asked


def index(documents: Sequence[Document], *, tokens: int, overlap: int, prefix: str, packed: int) -> list[Indexed]:
    """Cut all documents and count their terms."""
    tokenizer = load_tokenizer()
    indexed = []
    for number, document in enumerate(documents):
        for chunk in chunk_body(
            document.body,
            tokenizer=tokenizer,
            chunk_tokens=tokens,
            overlap_tokens=overlap,
            packed_tokens=packed,
        ):
            text = document.body[chunk.start : chunk.end]
            title = "" if prefix == "none" else document.title
            path = chunk.heading_path if prefix == "headings" else ()
            counted = count_terms(
                _WORKSPACE,
                title=title,
                heading_path=(*path, chunk.opening),
                text=text,
                language=document.language,
            )
            embedded = embedded_text(title, path, text, tokenizer=tokenizer, opening=chunk.opening)
            indexed.append(Indexed(number, chunk, embedded, counted.counts, counted.length))
    return indexed


class Words:
    """BM25 over chunks in memory, as the lexical lane computes it."""

    def __init__(self, indexed: Sequence[Indexed]) -> None:
        self._chunks = len(indexed)
        average = statistics.fmean(one.length for one in indexed)
        self._postings: dict[int, list[tuple[int, float]]] = defaultdict(list)
        for at, one in enumerate(indexed):
            pivot = K1 * (1 - B + B * one.length / average)
            for term, count in one.counts.items():
                self._postings[term].append((at, count * (K1 + 1) / (count + pivot)))

    def scores(self, question: str) -> npt.NDArray[np.float64]:
        scores = np.zeros(self._chunks)
        asked = {
            term
            for language in ("de", "en")
            for term in count_terms(_WORKSPACE, title="", heading_path=(), text=question, language=language).counts
        }
        for term in asked:
            postings = self._postings[term]
            frequency = inverse_frequency(len(postings), of=self._chunks)
            for at, weight in postings:
                scores[at] += frequency * weight
        return scores


def judge(
    ranked: Sequence[int], indexed: Sequence[Indexed], question: Question, document: Document
) -> tuple[float, float]:
    """Return the reciprocal rank within ten, and the share of the answer in the first chunks up to the budget."""
    reciprocal, spent = 0.0, 0
    held: set[int] = set()
    answer = {i for i in range(question.start, question.end) if not document.body[i].isspace()}
    for rank, at in enumerate(ranked[:100], 1):
        one = indexed[at]
        if one.document == question.document:
            common = min(one.chunk.end, question.end) - max(one.chunk.start, question.start)
            least = min(one.chunk.end - one.chunk.start, question.end - question.start)
            if common * 2 >= least and not reciprocal and rank <= 10:
                reciprocal = 1 / rank
            if spent + one.chunk.tokens <= _BUDGET:
                held |= answer.intersection(range(one.chunk.start, one.chunk.end))
        spent += one.chunk.tokens
    return reciprocal, len(held) / min(len(answer), _BUDGET * 4)


def measure(
    configuration: str, documents: Sequence[Document], questions: Sequence[Question], embedder: Embedder | None
) -> str:
    """Return one row of the table."""
    tokens, overlap, prefix, packed = configuration.split("-")
    indexed = index(documents, tokens=int(tokens), overlap=int(overlap), prefix=prefix, packed=int(packed))
    row = f"{configuration:22}{len(indexed):7}{statistics.fmean(one.chunk.tokens for one in indexed):7.0f}"
    words = Words(indexed)
    rankings = [[words.scores(question.text) for question in questions]]
    if embedder is not None:
        passages = np.asarray(embedder.embed_passages([one.embedded for one in indexed]).vectors)
        rankings.append([passages @ embedder.embed_query(question.text).vectors[0] for question in questions])
    for scores in rankings:
        judged = [
            judge(np.argsort(-score, kind="stable")[:100].tolist(), indexed, question, documents[question.document])
            for score, question in zip(scores, questions, strict=True)
        ]
        row += "".join(f"{statistics.fmean(values):8.3f}" for values in zip(*judged, strict=True))
    return row


def main(configurations: Sequence[str]) -> None:
    """Measure the named configurations, or all; without LOREBASE_BENCHMARK_CACHE by words alone."""
    documents, questions = ask(list(read_documents()))
    embedder = cached_embedder() if os.environ.get("LOREBASE_BENCHMARK_CACHE") else None
    size = math.ceil(sum(len(one.body) for one in documents) / 1000)
    print(f"{len(documents)} documents, {size} kB, {len(questions)} questions", flush=True)
    print(f"{'configuration':22}{'chunks':>7}{'tokens':>7}{'words':>8}{'held':>8}{'vectors':>8}{'held':>8}")
    for configuration in configurations or CONFIGURATIONS:
        started = time.process_time()
        row = measure(configuration, documents, questions, embedder)
        print(f"{row}{time.process_time() - started:8.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
