"""The local reranker says what the model in its folder says, in time or not at all."""

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from chalicelib.platform.errors import RerankerUnavailable
from chalicelib.platform.local.reranker import LocalReranker
from tests.fixtures.cross_encoders import Kind, Numbers, score_in_numpy, write_cross_encoder, write_safetensors

QUESTION = "Who pays for the train ticket?"
PASSAGES = ("Travel by rail is paid.", "Bananas are yellow.", "ticket", "unheard words of travel by train")
KINDS: tuple[Kind, ...] = ("BertForSequenceClassification", "XLMRobertaForSequenceClassification")


@pytest.fixture(params=KINDS)
def model(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Mapping[str, Numbers]]:
    return tmp_path, write_cross_encoder(tmp_path, request.param)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_cross_encoder(tmp_path, KINDS[0])
    return tmp_path


def test_scores_are_those_of_the_model(model: tuple[Path, Mapping[str, Numbers]]) -> None:
    folder, weights = model
    ranking = LocalReranker(folder).rank(QUESTION, PASSAGES, seconds=60)
    expected = [score_in_numpy(folder, weights, QUESTION, passage) for passage in PASSAGES]
    assert np.ptp(expected) > 0.02
    assert ranking.scores == pytest.approx(expected, abs=0.004)


def test_many_passages_keep_their_order_and_what_has_no_meaning_has_no_relevance(folder: Path) -> None:
    reranker = LocalReranker(folder)
    alone = [reranker.rank(QUESTION, [passage], seconds=60) for passage in PASSAGES]
    together = reranker.rank(QUESTION, [*PASSAGES, "", "\x00\u200b ", *PASSAGES * 20, "\ud800"], seconds=60)
    one = [ranking.scores[0] for ranking in alone]
    assert together.scores[:4] == pytest.approx(one, abs=1e-3)
    assert together.scores[4:6] == [0, 0]
    assert together.scores[6:-1] == pytest.approx(one * 20, abs=1e-3)
    assert together.tokens > 21 * sum(ranking.tokens for ranking in alone)
    assert reranker.name == f"local/{folder.name}"


def test_tails_are_cut_off_and_the_question_is_never_cut_away(model: tuple[Path, Mapping[str, Numbers]]) -> None:
    reranker = LocalReranker(model[0])
    long = reranker.rank(QUESTION, ["travel by rail " * 500, "travel by rail " * 600], seconds=60)
    assert long.scores[0] == pytest.approx(long.scores[1], abs=1e-6)
    assert long.tokens == 2 * 48
    both = reranker.rank("who pays " * 500, ["travel by rail", "bananas are yellow"], seconds=60)
    assert both.scores[0] != pytest.approx(both.scores[1], abs=1e-4)


@pytest.mark.parametrize(("question", "passages"), [(" ", ["a"]), ("a", []), ("a", [""])])
def test_nothing_to_judge_takes_no_model(question: str, passages: list[str], tmp_path: Path) -> None:
    ranking = LocalReranker(tmp_path / "absent").rank(question, passages, seconds=1)
    assert (ranking.scores, ranking.tokens) == ([0.0] * len(passages), 0)


def test_what_takes_too_long_is_given_up(folder: Path) -> None:
    with pytest.raises(RerankerUnavailable, match="was not done within 0 s"):
        LocalReranker(folder).rank(QUESTION, PASSAGES, seconds=0)


def test_threads_get_the_scores_of_their_own_passages(folder: Path) -> None:
    reranker = LocalReranker(folder)
    texts = [passage * times for passage in PASSAGES for times in (1, 2, 3)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda text: reranker.rank(QUESTION, [text], seconds=60).scores[0], texts))
    assert found == pytest.approx(reranker.rank(QUESTION, texts, seconds=60).scores, abs=1e-3)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"id2label": {"0": "no", "1": "yes"}}, "config.json: id2label"),
        ({"architectures": ["BertModel"]}, "config.json: architectures"),
        ({"num_hidden_layers": 3}, "model.safetensors has no encoder.layer.2"),
        ({"num_hidden_layers": 0}, "config.json: num_hidden_layers"),
        ({"hidden_size": 16}, "its weights do not fit together"),
        ({"num_attention_heads": 5}, "its weights do not fit together"),
    ],
)
def test_a_model_of_another_kind_is_refused_by_name(config: Mapping[str, object], said: str, folder: Path) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | config), "utf-8")
    with pytest.raises(RerankerUnavailable, match=said):
        LocalReranker(folder).rank(QUESTION, PASSAGES, seconds=60)


@pytest.mark.parametrize("number", [18, 10**6])
def test_a_tokenizer_of_another_model_is_refused(number: int, folder: Path) -> None:
    path = folder / "tokenizer.json"
    content = json.loads(path.read_text("utf-8"))
    content["model"]["vocab"]["rail"] = number
    path.write_text(json.dumps(content), "utf-8")
    with pytest.raises(RerankerUnavailable, match="its weights know 18 tokens"):
        LocalReranker(folder).rank(QUESTION, PASSAGES, seconds=60)


def test_padding_that_is_no_token_is_refused(folder: Path) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"pad_token_id": 18}), "utf-8")
    with pytest.raises(RerankerUnavailable, match=r"its weights know 18 tokens|less than 16 tokens"):
        LocalReranker(folder).rank(QUESTION, PASSAGES, seconds=60)


@pytest.mark.parametrize("positions", [8, 9, 15])
def test_a_model_of_a_few_tokens_is_refused(positions: int, folder: Path) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"max_position_embeddings": positions}), "utf-8")
    with pytest.raises(RerankerUnavailable, match="less than 16 tokens"):
        LocalReranker(folder).rank(QUESTION, PASSAGES, seconds=60)


def test_scores_of_damaged_weights_are_none(model: tuple[Path, Mapping[str, Numbers]]) -> None:
    folder, weights = model
    damaged = {name: np.full_like(one, np.nan) if "classifier" in name else one for name, one in weights.items()}
    write_safetensors(folder / "model.safetensors", damaged)
    with pytest.raises(RerankerUnavailable, match="no numbers"):
        LocalReranker(folder).rank(QUESTION, PASSAGES, seconds=60)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_damaged_and_absent_files_are_named(name: str, folder: Path) -> None:
    (folder / name).write_bytes(b"{")
    with pytest.raises(RerankerUnavailable, match=name):
        LocalReranker(folder).rank(QUESTION, PASSAGES, seconds=60)
    (folder / name).unlink()
    with pytest.raises(RerankerUnavailable, match=name):
        LocalReranker(folder).rank(QUESTION, PASSAGES, seconds=60)


def test_a_cut_file_of_weights_is_refused(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(RerankerUnavailable, match="ends before"):
        LocalReranker(folder).rank(QUESTION, PASSAGES, seconds=60)


def test_weights_of_half_precision_are_read(folder: Path) -> None:
    weights = write_cross_encoder(folder, KINDS[0])
    write_safetensors(folder / "model.safetensors", {name: one.astype(np.float16) for name, one in weights.items()})
    ranking = LocalReranker(folder).rank(QUESTION, PASSAGES, seconds=60)
    expected = [score_in_numpy(folder, weights, QUESTION, passage) for passage in PASSAGES]
    assert ranking.scores == pytest.approx(expected, abs=0.02)
