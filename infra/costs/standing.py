"""What a stage costs while nobody uses it: the network, polls, keys, secrets, alarms, and the choices on top."""

from infra.costs.bill import Line, line
from infra.costs.load import Load
from infra.costs.prices import DAYS, HOURS, figure

NETWORKS = ("endpoints", "ipv6", "nat")


def network_lines(network: str, load: Load) -> list[Line]:
    """Return what the mode of the network costs; ipv6 is free. Raises ValueError for another mode."""
    if network not in NETWORKS:
        raise ValueError(f"there is no network mode {network}")
    gigabytes = (
        load.searches * figure("network_bytes_per_search") + load.documents * figure("network_bytes_per_document")
    ) / 1e9
    part = "Network"
    if network == "endpoints":
        hours = figure("interface_endpoints") * figure("zones") * HOURS
        what = f"{figure('interface_endpoints'):g} interface endpoints in {figure('zones'):g} zones"
        return [
            line(part, what, "endpoint-hour", hours, standing=True),
            line(part, "through the endpoints", "endpoint-gigabyte", gigabytes),
        ]
    if network == "nat":
        hours = figure("nat_gateways") * HOURS
        return [
            line(part, "NAT gateway", "nat-hour", hours, standing=True),
            line(part, "its public address", "address-hour", hours, standing=True),
            line(part, "through the gateway", "nat-gigabyte", gigabytes),
        ]
    return []


def standing_lines() -> list[Line]:
    """Return the lines that are the same for every load and network."""
    polls = figure("pollers") / figure("poll_seconds") * HOURS * 3600
    swept = DAYS * figure("daily_sweeps")
    awake_share = swept / HOURS
    gigabyte_seconds = swept * (figure("worker_seconds") + figure("cold_seconds")) * figure("sweep_mebibytes") / 1024
    return [
        line("SQS", "empty polls of standard queues", "queue-request", polls * figure("polled_queues"), standing=True),
        line(
            "SQS",
            "empty polls of the FIFO queue",
            "ordered-queue-request",
            polls * figure("polled_ordered_queues"),
            standing=True,
        ),
        line("Lambda", "sweep, once a day", "lambda-gigabyte-second", gigabyte_seconds, standing=True),
        line("KMS", "key", "key-month", figure("keys"), standing=True),
        line("Secrets Manager", "secrets", "secret-month", figure("secrets"), standing=True),
        line("CloudWatch", "alarms", "alarm-month", figure("alarm_metrics"), standing=True),
        line("CloudWatch", "dashboard", "dashboard-month", figure("dashboards"), standing=True),
        line(
            "CloudWatch",
            "own metrics, in the hours of the daily sweep",
            "metric-month",
            figure("own_metrics") * awake_share,
            standing=True,
        ),
        line("ECR", "the embedder's image", "image-month", figure("image_gigabytes"), standing=True),
        line("S3", "packaged code", "object-month", figure("code_gigabytes"), standing=True),
    ]


def choices() -> dict[str, list[Line]]:
    """Return what choices in lorebase.toml add to a month, by their names there."""
    return {
        "domain": [line("Route 53", "hosted zone", "zone-month", 1)],
        "firewall": [
            line("WAF", "web ACL", "firewall-month", 1),
            line("WAF", "rules", "firewall-rule-month", figure("firewall_rules")),
            line("WAF", "each million requests", "firewall-request", 1_000_000),
        ],
        "database.least_units = 0.5": [line("Aurora", "half an ACU around the clock", "database-unit-hour", HOURS / 2)],
        "database.proxy": [
            line("RDS Proxy", "8 ACU, its least", "proxy-unit-hour", 8 * HOURS),
            line("Aurora", "the cluster that it keeps awake, half an ACU", "database-unit-hour", HOURS / 2),
        ],
    }
