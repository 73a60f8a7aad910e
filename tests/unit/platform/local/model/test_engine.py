"""The graphs are the models that their weights were published for."""

import base64
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from chalicelib.platform.local.model.catalogue import E5_Q4, MINILM
from chalicelib.platform.local.model.engine import Engine
from chalicelib.platform.local.model.openvino_runtime import Precision
from chalicelib.platform.local.model.windows import Purpose
from chalicelib.platform.ports import Vectors

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def reference() -> Mapping[str, Vectors]:
    """Vectors that sentence-transformers made; the file says how."""
    made = json.loads((Path(__file__).parents[4] / "fixtures" / "reference_vectors.json").read_text("utf-8"))
    return {text: np.frombuffer(base64.b64decode(row), "<f4") for text, row in made["vectors_by_text"].items()}


@pytest.fixture(scope="module")
def exact(model_folder: Path) -> Engine:
    return Engine(model_folder, MINILM, precision="f32")


@pytest.fixture(scope="module")
def packed(packed_folder: Path) -> Engine:
    return Engine(packed_folder, E5_Q4)


@pytest.fixture(scope="module")
def packed_reference() -> Mapping[Purpose, Mapping[str, Vectors]]:
    """Vectors that the engine which the packed weights were made for gave; the file says how."""
    path = Path(__file__).parents[4] / "fixtures" / "packed_reference_vectors.json"
    made = json.loads(path.read_text("utf-8"))["vectors_by_purpose"]
    return {
        purpose: {text: np.frombuffer(base64.b64decode(row), "<f2").astype(np.float32) for text, row in rows.items()}
        for purpose, rows in made.items()
    }


@pytest.mark.parametrize(("precision", "least"), [("f32", 0.9999), ("bf16", 0.999), ("i8", 0.995), (None, 0.999)])
def test_vectors_are_those_of_the_published_model(
    precision: Precision | None, least: float, model_folder: Path, reference: Mapping[str, Vectors]
) -> None:
    engine = Engine(model_folder, MINILM, precision=precision, longest=512)
    rows = engine.embed(list(reference), "passage").vectors
    cosines = (rows * np.stack(list(reference.values()))).sum(axis=1)
    assert cosines.min() >= least


def test_a_text_has_the_same_vector_in_any_company(exact: Engine, reference: Mapping[str, Vectors]) -> None:
    together = exact.embed(list(reference), "passage").vectors
    alone = np.concatenate([exact.embed([text], "passage").vectors for text in reference])
    assert (together * alone).sum(axis=1).min() > 0.99999


def test_the_last_sentence_of_two_thousand_tokens_counts(exact: Engine) -> None:
    head = "The weather report of the day was read aloud to the crew before they set sail. " * 115
    one, other = exact.embed(
        [head + "The treaty on fisheries was signed.", head + "Bananas are rich in potassium."], "passage"
    ).vectors
    assert 0.9 < one @ other < 0.9999


def test_threads_get_the_vectors_of_their_own_texts(exact: Engine) -> None:
    texts = [f"Invoice number {n} " * (n % 7 + 1) for n in range(40)]
    with ThreadPoolExecutor(4) as threads:
        rows = np.concatenate(list(threads.map(lambda text: exact.embed([text], "passage").vectors, texts)))
    assert np.allclose(rows, exact.embed(texts, "passage").vectors, atol=1e-4)


@pytest.mark.parametrize("purpose", ["query", "passage"])
@pytest.mark.parametrize(("precision", "least"), [("f32", 0.9995), ("i8", 0.999)])
def test_packed_weights_give_the_vectors_of_the_engine_they_were_made_for(
    purpose: Purpose,
    precision: Precision,
    least: float,
    packed_folder: Path,
    packed_reference: Mapping[Purpose, Mapping[str, Vectors]],
) -> None:
    expected = packed_reference[purpose]
    rows = Engine(packed_folder, E5_Q4, precision=precision).embed(list(expected), purpose).vectors
    assert (rows * np.stack(list(expected.values()))).sum(axis=1).min() >= least


def test_a_question_finds_its_answer_in_another_language(packed: Engine) -> None:
    questions = ["Wie stelle ich eine Sicherung wieder her?", "Wer bezahlt das Zugticket?", "バナナは何色ですか"]
    answers = ["Restore a backup with one command.", "Travel by rail is reimbursed.", "Bananas are yellow."]
    cosines = packed.embed(questions, "query").vectors @ packed.embed(answers, "passage").vectors.T
    assert cosines.argmax(axis=1).tolist() == [0, 1, 2]


def test_the_two_sides_of_a_search_are_told_apart(packed: Engine) -> None:
    asked, said = (packed.embed(["Who pays for the train ticket?"], purpose) for purpose in ("query", "passage"))
    assert 0.8 < asked.vectors[0] @ said.vectors[0] < 0.99
    assert asked.tokens == said.tokens


def test_the_tail_of_a_long_text_counts_in_every_model(packed: Engine) -> None:
    head = "天気予報は毎朝読み上げられます。" * 200
    one, other = packed.embed([head + "漁業に関する条約が署名された。", head + "バナナは黄色い。"], "passage").vectors
    assert 0.9 < one @ other < 0.99999
