"""Prices and figures that the cost model counts with, read from the two tables beside this module."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, get_args

HOURS = 730.0
DAYS = HOURS / 24
"""A month, as AWS's own calculator takes it."""

_HERE = Path(__file__).parent


class Region(StrEnum):
    """The regions whose prices are known."""

    US_EAST_1 = "us-east-1"
    EU_CENTRAL_1 = "eu-central-1"


@dataclass(frozen=True)
class Price:
    """The price of one unit in US dollars; in regions of `read_in` read at `source`, elsewhere remembered."""

    name: str
    service: str
    unit: str
    usd_by_region: Mapping[Region, float]
    free: float
    read_in: frozenset[Region]
    source: str
    check: str
    seen: date


Kind = Literal["measured", "documented", "stack", "assumed"]


@dataclass(frozen=True)
class Figure:
    """A number that is no price, and how far to trust it."""

    name: str
    value: float
    unit: str
    kind: Kind
    source: str


def _price(name: str, table: Mapping[str, Any]) -> Price:
    return Price(
        name=name,
        service=table["service"],
        unit=table["unit"],
        usd_by_region={region: float(table[region]) for region in Region if region in table},
        free=float(table.get("free", 0)),
        read_in=frozenset(map(Region, table["read"])),
        source=table["source"],
        check=table["check"],
        seen=table["seen"],
    )


def _figure(name: str, table: Mapping[str, Any]) -> Figure:
    if table["kind"] not in get_args(Kind):
        raise ValueError(f"{name} is of no kind {table['kind']}")
    return Figure(
        name=name, value=float(table["value"]), unit=table["unit"], kind=table["kind"], source=table["source"]
    )


def _tables(file: str) -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads((_HERE / file).read_text("utf-8"))


PRICES: Mapping[str, Price] = {name: _price(name, table) for name, table in _tables("prices.toml").items()}
FIGURES: Mapping[str, Figure] = {name: _figure(name, table) for name, table in _tables("figures.toml").items()}


def figure(name: str) -> float:
    """Return the value of a figure. Raises KeyError."""
    return FIGURES[name].value
