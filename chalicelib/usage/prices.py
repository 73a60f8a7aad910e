"""What models cost, as far as the deployment was told."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from chalicelib.usage.model import Counts

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """Of a million tokens read and of a million written."""

    input: Decimal
    output: Decimal = Decimal(0)


_NOTHING = Price(Decimal(0))


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices by the name of a model or what it begins with; the longest that fits is taken.

    `in_house` are beginnings of names of models that this deployment runs itself: no token of theirs is billed. A
    price that was given goes before. For any other model money is unknown, which is not the same as nothing.
    """

    by_prefix: Mapping[str, Price] = field(default_factory=dict)
    in_house: frozenset[str] = frozenset()
    currency: str = "USD"

    def find(self, model: str) -> Price | None:
        """Return the price of a model, None where it is not known."""
        fitting = [prefix for prefix in self.by_prefix if model.startswith(prefix)]
        if fitting:
            return self.by_prefix[max(fitting, key=len)]
        return _NOTHING if self.is_in_house(model) else None

    def is_in_house(self, model: str) -> bool:
        """Tell whether the deployment runs the model itself, and nobody gave it a price."""
        given = any(model.startswith(prefix) for prefix in self.by_prefix)
        return not given and any(model.startswith(prefix) for prefix in self.in_house)

    def cost(self, model: str, counts: Counts) -> Decimal | None:
        """Return what these tokens cost, None where it is not known."""
        price = self.find(model)
        if price is None:
            return None
        return (price.input * counts.input_tokens + price.output * counts.output_tokens) / _MILLION

    def total(self, counted: Iterable[tuple[str, Counts]]) -> "Cost":
        """Add up what is known, by model, and the tokens for which it is not."""
        known, unpriced = Decimal(0), 0
        for model, counts in counted:
            cost = self.cost(model, counts)
            if cost is None:
                unpriced += counts.tokens
            else:
                known += cost
        return Cost(known, unpriced)


@dataclass(frozen=True, slots=True)
class Cost:
    """Money that is known, and tokens whose price is not."""

    known: Decimal
    unpriced_tokens: int

    @property
    def money(self) -> Decimal | None:
        """The money where all of it is known."""
        return None if self.unpriced_tokens else self.known
