"""A bill: lines of a quantity times a price, and their sum with and without what every account has free."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from infra.costs.prices import PRICES, Price, Region


@dataclass(frozen=True)
class Line:
    """So many units a month of what one price is for. A standing line does not depend on the load."""

    part: str
    what: str
    price: Price
    quantity: float
    standing: bool = False


def line(part: str, what: str, price: str, quantity: float, *, standing: bool = False) -> Line:
    """Return a line at the price of this name. Raises KeyError."""
    return Line(part, what, PRICES[price], quantity, standing)


@dataclass(frozen=True)
class Bill:
    """The lines of one month in one region. Lines without a quantity are left out."""

    region: Region
    lines: tuple[Line, ...]

    @classmethod
    def of(cls, region: Region, lines: Sequence[Line]) -> "Bill":
        """Return the bill of these lines."""
        return cls(region, tuple(line for line in lines if line.quantity > 0))

    def usd(self, line: Line) -> float:
        """Return what a line costs. Raises KeyError where the region's price is not known."""
        return line.quantity * line.price.usd_by_region[self.region]

    @property
    def total(self) -> float:
        """The sum of all lines, in US dollars."""
        return sum(map(self.usd, self.lines))

    @property
    def total_after_allowances(self) -> float:
        """The sum less the monthly allowances, as if the account ran nothing else."""
        quantities: dict[str, float] = defaultdict(float)
        for each in self.lines:
            quantities[each.price.name] += each.quantity
        return sum(
            max(0.0, quantity - PRICES[name].free) * PRICES[name].usd_by_region[self.region]
            for name, quantity in quantities.items()
        )

    def usd_by_part(self) -> dict[str, float]:
        """Return the sums by part, in the order of the lines."""
        sums: dict[str, float] = {}
        for each in self.lines:
            sums[each.part] = sums.get(each.part, 0.0) + self.usd(each)
        return sums
