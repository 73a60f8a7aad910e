"""What is drawn and watched: the metrics of a stage, by the names of what sends them."""

from collections.abc import Mapping
from dataclasses import dataclass

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch

from chalicelib.telemetry.metric_names import KIND, NAMESPACE, STAGE, Metric

PERIOD = Duration.minutes(5)


@dataclass(frozen=True, slots=True)
class Signals:
    """Names of a stage's API, functions, queues and database; `embedder` is None where there is none."""

    stage: str
    api: str
    api_stage: str
    functions: Mapping[str, str]
    embedder: str | None
    queues: Mapping[str, str]
    dead_letters: Mapping[str, str]
    cluster: str

    def own(self, metric: Metric, *, statistic: str = "Sum", period: Duration = PERIOD) -> cloudwatch.Metric:
        """Return a metric of ours over the whole stage. Raises LookupError for one that is counted by kind alone."""
        if (STAGE,) not in metric.value.dimension_sets:
            raise LookupError(f"{metric.value.name} is not counted over the whole stage")
        return cloudwatch.Metric(
            namespace=NAMESPACE,
            metric_name=metric.value.name,
            dimensions_map={STAGE: self.stage},
            statistic=statistic,
            period=period,
            label=f"{metric.value.name} {statistic}",
        )

    def own_by_kind(self, metric: Metric) -> cloudwatch.MathExpression:
        """Return a metric of ours, a line for each kind of job that there is."""
        schema = f"{NAMESPACE},{KIND},{STAGE}"
        search = f'{{{schema}}} MetricName="{metric.value.name}" {STAGE}="{self.stage}"'
        return cloudwatch.MathExpression(
            expression=f"SEARCH('{search}', 'Sum', {PERIOD.to_seconds():g})",
            using_metrics={},
            label=metric.value.name,
            period=PERIOD,
        )

    def of_api(self, name: str, *, statistic: str, period: Duration = PERIOD) -> cloudwatch.Metric:
        """Return a metric of API Gateway."""
        dimensions = {"ApiName": self.api, "Stage": self.api_stage}
        return _aws("ApiGateway", name, dimensions, statistic, label=f"{name} {statistic}", period=period)

    def of_function(self, function: str, name: str, *, statistic: str = "Sum") -> cloudwatch.Metric:
        """Return a metric of Lambda about one of the functions, or the `embedder`."""
        known = {**self.functions, **({"embedder": self.embedder} if self.embedder else {})}
        return _aws("Lambda", name, {"FunctionName": known[function]}, statistic, label=function)

    def of_queue(self, queue: str, name: str, *, statistic: str, period: Duration = PERIOD) -> cloudwatch.Metric:
        """Return a metric of SQS about a queue of work."""
        return _aws("SQS", name, {"QueueName": self.queues[queue]}, statistic, label=queue, period=period)

    def of_dead_letters(self, queue: str) -> cloudwatch.Metric:
        """Return how many dead letters lie in the queue of those of `queue`."""
        dimensions = {"QueueName": self.dead_letters[queue]}
        return _aws("SQS", "ApproximateNumberOfMessagesVisible", dimensions, "Maximum", label=queue)

    def of_database(self, name: str, *, statistic: str, period: Duration = PERIOD) -> cloudwatch.Metric:
        """Return a metric of the cluster."""
        return _aws("RDS", name, {"DBClusterIdentifier": self.cluster}, statistic, label=name, period=period)


def _aws(
    service: str,
    name: str,
    dimensions: Mapping[str, str],
    statistic: str,
    *,
    label: str,
    period: Duration = PERIOD,
) -> cloudwatch.Metric:
    return cloudwatch.Metric(
        namespace=f"AWS/{service}",
        metric_name=name,
        dimensions_map=dict(dimensions),
        statistic=statistic,
        period=period,
        label=label,
    )
