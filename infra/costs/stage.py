"""The bill of a stage for a load, a network mode and a region."""

from infra.costs.bill import Bill
from infra.costs.database import database_lines
from infra.costs.load import Load
from infra.costs.prices import Region
from infra.costs.standing import network_lines, standing_lines
from infra.costs.work import function_lines, service_lines


def stage_bill(load: Load, *, network: str, region: Region) -> Bill:
    """Return what a stage with the other choices as they come costs a month. Raises ValueError for another mode."""
    return Bill.of(
        region,
        [
            *network_lines(network, load),
            *database_lines(load),
            *function_lines(load),
            *service_lines(load),
            *standing_lines(),
        ],
    )
