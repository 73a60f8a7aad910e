"""No token is billed of a model that the deployment runs itself, whichever it is."""

from decimal import Decimal
from pathlib import Path

from chalicelib.platform.embedding_models import MODELS_BY_NAME
from chalicelib.platform.local.embedder import local_embedders
from chalicelib.platform.local.reranker import LocalReranker
from chalicelib.price_list import prices_of
from chalicelib.settings import Settings
from chalicelib.usage.model import Counts


def test_whatever_embeds_or_reranks_in_the_process_costs_nothing_by_the_token(tmp_path: Path) -> None:
    prices = prices_of(Settings(model_prices={}))
    embedders = local_embedders("e5-minilm", None, tmp_path, may_be_english=bool)
    names = [*(embedder.space for embedder in embedders), LocalReranker(tmp_path).name]
    assert {name: prices.cost(name, Counts(1, 10**9, 0)) for name in names} == dict.fromkeys(names, Decimal(0))


def test_whatever_the_embedders_function_runs_costs_nothing_by_the_token() -> None:
    prices = prices_of(Settings(model_prices={}))
    assert [model.space for model in MODELS_BY_NAME.values() if not prices.is_in_house(model.space)] == []


def test_a_price_is_not_known_of_what_others_run() -> None:
    prices = prices_of(Settings(model_prices={"acme/embed": {"input": Decimal("0.5")}}))
    assert prices.cost("acme/embed/1024", Counts(1, 2_000_000, 0)) == 1
    assert prices.cost("other/embed/1024", Counts(1, 2_000_000, 0)) is None
