"""docs/costs.md: the words of page.md, with the tables that the model makes."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from infra.costs.alternatives import ALTERNATIVES, alternative_bill
from infra.costs.bill import Bill
from infra.costs.database import database_lines, io_requests, optimized_lines
from infra.costs.load import DOCUMENTS, IDLE, LOADS, SEARCHES, Load
from infra.costs.prices import FIGURES, PRICES, Figure, Price, Region
from infra.costs.stage import stage_bill
from infra.costs.standing import NETWORKS, choices

_HOME = Region.US_EAST_1
_DEFAULT = NETWORKS[0]


def page() -> str:
    """Return the whole page. Raises KeyError where page.md asks for a table that there is not."""
    words = (Path(__file__).parent / "page.md").read_text("utf-8")
    return re.sub(r"<!-- (\w+) -->", lambda mark: _PARTS[mark[1]](), words)


def usd(amount: float) -> str:
    """Return an amount, with cents where they matter."""
    return f"{amount:,.2f}" if amount < 10 else f"{amount:,.0f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers_from: int = 1) -> str:
    rule = ["---" if at < numbers_from else "---:" for at in range(len(head))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows))


def _seen() -> str:
    return str(max(price.seen for price in PRICES.values()))


def _totals() -> str:
    places = [(network, region) for region in Region for network in NETWORKS]
    rows = [[load.name, *(_total(load, *place) for place in places)] for load in LOADS]
    return _table(["US dollars a month", *(f"{network}, {region}" for network, region in places)], rows)


def _total(load: Load, network: str, region: Region) -> str:
    bill = stage_bill(load, network=network, region=region)
    return f"{usd(bill.total)} ({usd(bill.total_after_allowances)})"


def _idle() -> str:
    bills = {network: stage_bill(IDLE, network=network, region=_HOME) for network in NETWORKS}
    shares = {network: bill.usd_by_part().get("Network", 0.0) / bill.total for network, bill in bills.items()}
    rest = bills["ipv6"]
    largest = sorted(rest.lines, key=rest.usd, reverse=True)[:3]
    said = ", ".join(f"{line.what} {usd(rest.usd(line))}" for line in largest)
    return (
        f"**The network does.** In the mode `endpoints` the interface endpoints are {shares['endpoints']:.0%} of an"
        f" idle month, in `nat` the gateway is {shares['nat']:.0%}; `ipv6` costs nothing. A stage that is to cost"
        ' little while idle needs `network = "ipv6"`; the default, `endpoints`, buys functions without a way out.\n\n'
        f"What is left is {usd(rest.total)} in every mode, {usd(rest.total_after_allowances)} after allowances. Its"
        f" largest lines: {said}. The database costs {usd(rest.usd_by_part()['Aurora'])}, since it pauses.\n\n"
        + _table([f"US dollars, {_HOME}", *NETWORKS], _part_rows(list(bills.values())))
    )


def _parts() -> str:
    bills = [stage_bill(load, network=_DEFAULT, region=_HOME) for load in LOADS]
    return _table([f"US dollars, `{_DEFAULT}`, {_HOME}", *(load.name for load in LOADS)], _part_rows(bills))


def _part_rows(bills: Sequence[Bill]) -> list[list[str]]:
    by_part = [bill.usd_by_part() for bill in bills]
    names = list(dict.fromkeys(name for parts in by_part for name in parts))
    rows = [[name, *(usd(parts[name]) if name in parts else "-" for parts in by_part)] for name in names]
    return [*rows, ["**Sum**", *(f"**{usd(bill.total)}**" for bill in bills)]]


def _lines() -> str:
    sections = []
    for load in (IDLE, DOCUMENTS, SEARCHES):
        bill = stage_bill(load, network=_DEFAULT, region=_HOME)
        rows = [
            [line.part, line.what, f"{_number(line.quantity)} {line.price.unit}", usd(bill.usd(line))]
            for line in bill.lines
            if load is IDLE or not line.standing
        ]
        heads = ["Part", "What", "Quantity", "US dollars"]
        sections.append(f"### {load.name.capitalize()}\n\n{_table(heads, rows, numbers_from=3)}")
    return "\n\n".join(sections)


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:,.2g}"


def _choices() -> str:
    bills = {name: Bill.of(_HOME, lines) for name, lines in choices().items()}
    rows = [[f"`{name}`", "; ".join(line.what for line in bill.lines), usd(bill.total)] for name, bill in bills.items()]
    return _table([f"In lorebase.toml, {_HOME}", "For", "US dollars a month"], rows, numbers_from=2)


def _storage() -> str:
    rows = []
    for load in LOADS:
        standard, optimized = Bill.of(_HOME, database_lines(load)), Bill.of(_HOME, optimized_lines(load))
        rows.append([load.name, f"{io_requests(load):,.0f}", usd(standard.total), usd(optimized.total)])
    return _table([f"Aurora, {_HOME}", "Reads and writes", "Standard, US dollars", "I/O-Optimized"], rows)


def _alternatives() -> str:
    rows = []
    for network in ("ipv6", "endpoints"):
        bills = [stage_bill(load, network=network, region=_HOME) for load in LOADS]
        rows.append([f"Lorebase, whole, `{network}`", *(usd(bill.total) for bill in bills)])
    alone = [Bill.of(_HOME, database_lines(load)) for load in LOADS]
    rows.append(["Lorebase, its database alone", *(usd(bill.total) for bill in alone)])
    rows += [[name, *(usd(alternative_bill(name, load).total) for load in LOADS)] for name in ALTERNATIVES]
    return _table([f"US dollars a month, {_HOME}", *(load.name for load in LOADS)], rows)


def _figures() -> str:
    heads = ["Figure", "Value", "Unit", "Kind", "Source"]
    return _table(heads, map(_figure_row, FIGURES.values()), numbers_from=len(heads))


def _figure_row(figure: Figure) -> list[str]:
    value = f"{figure.value:,.0f}" if figure.value >= 1000 else f"{figure.value:g}"
    source = re.sub(r"^docs/", "", figure.source)
    linked = source.startswith("http") or re.fullmatch(r"[\w-]+\.md(#[\w-]+)?", source)
    name = "read" if source.startswith("http") else source
    return [f"`{figure.name}`", value, figure.unit, figure.kind, f"[{name}]({source})" if linked else source]


def _prices() -> str:
    heads = ["For", "Unit", *Region, "Free each month", "Seen", "Source"]
    return _table(heads, map(_price_row, PRICES.values()), numbers_from=len(heads))


def _price_row(price: Price) -> list[str]:
    amounts = [_amount(price, region) for region in Region]
    free = f"{price.free:,.0f}" if price.free else "-"
    read = f"[read]({price.source}), " if price.read_in else ""
    return [price.service, price.unit, *amounts, free, str(price.seen), f"{read}[check]({price.check})"]


def _amount(price: Price, region: Region) -> str:
    if region not in price.usd_by_region:
        return "not known"
    amount = f"{price.usd_by_region[region]:.10f}".rstrip("0").rstrip(".")
    return amount if region in price.read_in else rf"{amount} \*"


_PARTS: Mapping[str, Callable[[], str]] = {
    "seen": _seen,
    "totals": _totals,
    "idle": _idle,
    "parts": _parts,
    "lines": _lines,
    "choices": _choices,
    "storage": _storage,
    "alternatives": _alternatives,
    "figures": _figures,
    "prices": _prices,
}
