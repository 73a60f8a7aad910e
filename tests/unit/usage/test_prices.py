"""What models cost, and what nobody knows."""

from decimal import Decimal

from chalicelib.usage.model import Counts
from chalicelib.usage.prices import Price, Prices

PRICES = Prices(
    {
        "acme/": Price(Decimal(1)),
        "acme/large": Price(Decimal("0.13"), Decimal("2.5")),
    },
    in_house=frozenset({"local/", "multilingual-e5-small"}),
)


def test_the_longest_beginning_of_a_name_decides() -> None:
    counts = Counts(1, 2_000_000, 1_000_000)
    assert PRICES.cost("acme/large-3/1024", counts) == Decimal("2.76")
    assert PRICES.cost("acme/small", counts) == 2


def test_what_has_no_price_costs_an_unknown_amount_and_not_nothing() -> None:
    cost = PRICES.total([("other/model", Counts(1, 70, 7)), ("acme/small", Counts(1, 1_000_000, 0))])
    assert PRICES.cost("other/model", Counts(1, 70, 7)) is None
    assert (cost.known, cost.unpriced_tokens) == (Decimal(1), 77)
    assert cost.money is None


def test_what_runs_in_the_house_costs_nothing_unless_it_was_given_a_price() -> None:
    assert PRICES.total([("multilingual-e5-small-q4/384", Counts(1, 10**9, 0))]).money == 0
    assert PRICES.is_in_house("local/reranker")
    priced = Prices({"local/": Price(Decimal(5))}, in_house=PRICES.in_house)
    assert priced.cost("local/reranker", Counts(1, 1_000_000, 0)) == 5
    assert not priced.is_in_house("local/reranker")


def test_no_amount_of_tokens_is_rounded() -> None:
    assert PRICES.cost("acme/small", Counts(1, 2**63 - 1, 0)) == Decimal(2**63 - 1) / 1_000_000
