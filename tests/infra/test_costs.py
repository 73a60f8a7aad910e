"""The cost model: sums are sums, more load never costs less, and every number says where it is from."""

import re
from dataclasses import replace
from datetime import date
from itertools import product
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.configuration import DatabaseChoice, Deployment
from infra.costs.alternatives import ALTERNATIVES, alternative_bill
from infra.costs.bill import Bill, line
from infra.costs.database import awake_hours, awake_units
from infra.costs.load import IDLE, LOADS, SEARCHES, STORED, Load
from infra.costs.page import page
from infra.costs.prices import FIGURES, HOURS, PRICES, Figure, Price, Region, figure
from infra.costs.stage import stage_bill
from infra.costs.standing import NETWORKS, choices

ROOT = Path(__file__).resolve().parents[2]
MODEL = "".join(module.read_text("utf-8") for module in (ROOT / "infra" / "costs").glob("*.py"))

networks = st.sampled_from(NETWORKS)
regions = st.sampled_from(Region)
amounts = st.one_of(st.just(0.0), st.floats(0.001, 1e4))
loads = st.builds(
    Load,
    name=st.just("drawn"),
    documents_per_day=amounts,
    chunks_stored=st.floats(0, 1e8),
    searches_per_second=amounts,
)
PARTS_OF_A_LOAD = ("documents_per_day", "chunks_stored", "searches_per_second")


def test_the_page_is_what_the_model_writes() -> None:
    assert (ROOT / "docs" / "costs.md").read_text("utf-8") == page()


@given(load=loads, network=networks, region=regions, part=st.sampled_from(PARTS_OF_A_LOAD), factor=st.floats(1, 100))
def test_more_of_a_load_never_costs_less(load: Load, network: str, region: Region, part: str, factor: float) -> None:
    more = replace(load, **{part: getattr(load, part) * factor})
    less_usd = stage_bill(load, network=network, region=region).total
    assert stage_bill(more, network=network, region=region).total >= less_usd - 1e-9 * less_usd


@given(load=loads, name=st.sampled_from(sorted(ALTERNATIVES)), part=st.sampled_from(PARTS_OF_A_LOAD))
def test_more_of_a_load_never_costs_less_elsewhere(load: Load, name: str, part: str) -> None:
    more = replace(load, **{part: getattr(load, part) * 2})
    less_usd = alternative_bill(name, load).total
    assert alternative_bill(name, more).total >= less_usd - 1e-9 * less_usd


@given(load=loads, network=networks, region=regions)
def test_any_load_costs_at_least_what_the_idle_month_costs(load: Load, network: str, region: Region) -> None:
    idle = stage_bill(IDLE, network=network, region=region)
    assert stage_bill(load, network=network, region=region).total >= idle.total


@given(load=loads, network=networks, region=regions)
def test_a_sum_is_the_sum_of_its_lines_and_of_its_parts(load: Load, network: str, region: Region) -> None:
    bill = stage_bill(load, network=network, region=region)
    by_hand = sum(line.quantity * line.price.usd_by_region[region] for line in bill.lines)
    assert bill.total == pytest.approx(by_hand)
    assert sum(bill.usd_by_part().values()) == pytest.approx(by_hand)
    assert 0 <= bill.total_after_allowances <= bill.total * (1 + 1e-9)


@pytest.mark.parametrize("network", NETWORKS)
def test_an_idle_month_has_standing_lines_alone(network: str) -> None:
    bill = stage_bill(IDLE, network=network, region=Region.US_EAST_1)
    assert [line.what for line in bill.lines if not line.standing] == []
    assert {line.part for line in bill.lines} >= {"Aurora", "SQS", "KMS", "Secrets Manager"}


@pytest.mark.parametrize(("network", "region"), [*product(NETWORKS, Region)])
def test_standing_lines_stay_when_work_comes(network: str, region: Region) -> None:
    idle = stage_bill(IDLE, network=network, region=region)
    busy = stage_bill(SEARCHES, network=network, region=region)
    standing = [line for line in idle.lines if line.part != "Aurora"]
    assert [line for line in busy.lines if line.standing] == standing


def test_an_allowance_is_taken_once_however_many_lines_have_its_price() -> None:
    twice = Bill.of(Region.US_EAST_1, [line("A", "a", "alarm-month", 8), line("B", "b", "alarm-month", 8)])
    assert [twice.total, twice.total_after_allowances] == pytest.approx([1.6, 0.6])


def test_a_month_of_one_endpoint_in_one_zone_costs_what_the_calculator_says() -> None:
    bill = stage_bill(IDLE, network="endpoints", region=Region.US_EAST_1)
    assert bill.usd_by_part()["Network"] == pytest.approx(3 * 2 * 730 * 0.01)


def test_an_idle_cluster_is_awake_for_the_daily_sweep_alone() -> None:
    assert 0 < awake_hours(IDLE) == awake_hours(STORED) < 5
    assert awake_hours(SEARCHES) == HOURS


def test_capacity_holds_what_searches_read_in_memory() -> None:
    asked = Load("asked now and then", chunks_stored=10_000_000, searches_per_second=0.01)
    hot = asked.chunks_stored * figure("hot_chunk_bytes")
    assert awake_units(asked) * figure("unit_bytes") * figure("buffer_share") >= hot
    assert awake_units(asked) * 2 == int(awake_units(asked) * 2), "Aurora counts in halves"


def test_there_is_no_network_mode_of_another_name() -> None:
    with pytest.raises(ValueError, match="carrier pigeon"):
        stage_bill(IDLE, network="carrier pigeon", region=Region.US_EAST_1)


def test_the_model_knows_the_modes_and_the_choices_that_a_deployment_has() -> None:
    assert set(NETWORKS) == set(get_args(Deployment.model_fields["network"].annotation))
    fields = {*Deployment.model_fields, *(f"database.{name}" for name in DatabaseChoice.model_fields)}
    assert {name.partition(" ")[0] for name in choices()} - fields == set()


def test_the_model_counts_with_the_choices_as_they_come() -> None:
    assert figure("zones") == Deployment().availability_zones
    assert figure("pause_seconds") == Deployment().database.pause_after_seconds
    assert figure("backup_days") == Deployment().database.backup_days


@pytest.mark.parametrize("price", PRICES.values(), ids=lambda price: price.name)
def test_a_price_says_where_and_when_it_was_seen(price: Price) -> None:
    assert price.source.startswith("https://")
    assert price.check.startswith("https://aws.amazon.com/")
    assert date(2026, 1, 1) <= price.seen <= date.today()  # noqa: DTZ011 - a day, not a moment
    assert Region.US_EAST_1 in price.usd_by_region
    assert all(0 < amount < 100 for amount in price.usd_by_region.values())
    assert price.read_in <= price.usd_by_region.keys()
    assert price.read_in or price.source == price.check, "a source that was not read is none"


@pytest.mark.parametrize("name", PRICES)
def test_a_price_is_counted_with(name: str) -> None:
    assert f'"{name}"' in MODEL


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_counted_with(name: str) -> None:
    assert f'"{name}"' in MODEL


@pytest.mark.parametrize(
    "measured", [each for each in FIGURES.values() if each.kind == "measured"], ids=lambda each: each.name
)
def test_a_measured_figure_names_the_section_that_tells_of_it(measured: Figure) -> None:
    file, _, anchor = measured.source.partition("#")
    headings = re.findall(r"^## (.*)$", (ROOT / file).read_text("utf-8"), re.MULTILINE)
    assert anchor in {heading.lower() for heading in headings}


@pytest.mark.parametrize("load", LOADS, ids=lambda load: load.name)
def test_every_load_has_its_row_beside_the_other_services(load: Load) -> None:
    bills = [alternative_bill(name, load) for name in ALTERNATIVES]
    assert all(bill.total >= 0 for bill in bills)
    assert f"| {load.name} |" in page()
