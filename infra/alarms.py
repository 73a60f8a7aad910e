"""The alarms of a stage. Each says what it means and what to do; docs/aws-operations.md says more.

AWS charges for each metric that an alarm reads, so that an alarm is there only where somebody has to act. Nothing sends
metrics while a stage is idle: a metric that is missing is no sign of trouble, and breaches nothing.
"""

from collections.abc import Mapping, Sequence

from aws_cdk import Duration
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_sns as sns
from constructs import Construct

from chalicelib.telemetry.metric_names import Metric
from infra.configuration import Deployment
from infra.signals import PERIOD, Signals

_OLD_MESSAGE = Duration.minutes(30)
_OLD_JOB = Duration.hours(1)
_IDLE_HOURS = 6


class Alarms(Construct):
    """Alarms named lorebase-<stage>-<what is wrong>, which write to a topic when they go off and when all is well."""

    def __init__(
        self, scope: Construct, identifier: str, *, deployment: Deployment, signals: Signals, topic: sns.ITopic
    ) -> None:
        super().__init__(scope, identifier)
        self._prefix, self._signals, self._topic = deployment.name, signals, topic
        self._watch_work()
        self._watch_functions()
        self._watch_database(pauses=deployment.database.least_units == 0)

    def _watch_work(self) -> None:
        signals = self._signals
        self._add(
            "dead-letters",
            _summed({name: signals.of_dead_letters(name) for name in signals.dead_letters}),
            above=0,
            says="A message could not be taken by its function, or a schedule's round was not taken at all.",
            remedy="Read why in the function's log, mend it, then redrive the queue of dead letters.",
        )
        self._add(
            "dead-jobs",
            signals.own(Metric.JOBS_DEAD),
            above=0,
            says="A job used up its attempts. What it was about is not searchable.",
            remedy="lorebase jobs --state dead shows why; mend it, then lorebase retry.",
        )
        ages = {
            name: signals.of_queue(name, "ApproximateAgeOfOldestMessage", statistic="Maximum")
            for name in signals.queues
        }
        self._add(
            "old-messages",
            _math(f"MAX([{', '.join(ages)}])", ages),
            above=_OLD_MESSAGE.to_seconds(),
            for_periods=2,
            says="A message has waited for half an hour: functions fail, or cannot keep up.",
            remedy="Look at errors and at the database; if the load is real, raise database.most_units.",
        )
        self._add(
            "old-job",
            signals.own(Metric.OLDEST_JOB_AGE, statistic="Maximum"),
            above=_OLD_JOB.to_seconds(),
            for_periods=2,
            says="A job has been due for an hour and is still open.",
            remedy="Look for its kind and reason in the job log; if the embedder is away, see its alarm.",
        )

    def _watch_functions(self) -> None:
        signals = self._signals
        # The API's own errors reach clients as 5xx, and so its alarm.
        workers = [name for name in signals.functions if name != "api"]
        self._add(
            "function-errors",
            _summed({name: signals.of_function(name, "Errors") for name in workers}),
            above=4,
            for_periods=2,
            says="Functions that do work fail as a whole: they cannot start, run out of time or memory.",
            remedy="The saved query 'defects' says where; messages wait, and come again by themselves.",
        )
        answering = ["api", *(["embedder"] if signals.embedder else [])]
        self._add(
            "throttles",
            _summed({name: signals.of_function(name, "Throttles") for name in answering}),
            above=10,
            for_periods=2,
            says="Lambda refused calls of the API or the embedder: too many at once for the account.",
            remedy="Raise the account's quota of concurrent executions, or lower requests_per_second.",
        )
        self._add(
            "api-errors",
            signals.of_api("5XXError", statistic="Average"),
            above=0.05,
            for_periods=3,
            says="More than one request in twenty is answered 5xx.",
            remedy="The saved query 'failed requests' shows them; 503 is the database or the bucket, 500 is ours.",
        )
        if signals.embedder:
            self._add(
                "embedder-errors",
                signals.of_function("embedder", "Errors"),
                above=4,
                for_periods=2,
                says="The embedder fails: searches go by words alone, and new items wait for their vectors.",
                remedy="Read its log; deploy again if its image is damaged. Indexing catches up by itself.",
            )

    def _watch_database(self, *, pauses: bool) -> None:
        signals = self._signals
        # Utilization is told against the most units that the cluster may take, and so is that of its processors
        # (docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/aurora-serverless-v2.setting-capacity.html).
        self._add(
            "database-full",
            signals.of_database("ACUUtilization", statistic="Average"),
            above=95,
            for_periods=3,
            says="The database has worked at its largest size for a quarter of an hour.",
            remedy="Raise database.most_units, or find the query in Database Insights.",
        )
        if pauses:
            hour = Duration.hours(1)
            self._add(
                "awake-database",
                _math(
                    "IF(FILL(requests, 0) + FILL(work, 0) == 0, FILL(units, 0), 0)",
                    {
                        "units": signals.of_database("ServerlessDatabaseCapacity", statistic="Minimum", period=hour),
                        "requests": signals.of_api("Count", statistic="Sum", period=hour),
                        "work": signals.of_queue("sweep", "NumberOfMessagesReceived", statistic="Sum", period=hour),
                    },
                    period=hour,
                ),
                above=0,
                for_periods=_IDLE_HOURS,
                says="The database has been awake for six hours in which nobody asked and nothing was done.",
                remedy="Something stays connected: end sessions of psql, see DatabaseConnections and its log.",
            )

    def _add(
        self,
        name: str,
        metric: cloudwatch.IMetric,
        *,
        above: float,
        says: str,
        remedy: str,
        for_periods: int = 1,
    ) -> None:
        alarm = cloudwatch.Alarm(
            self,
            name,
            alarm_name=f"{self._prefix}-{name}",
            alarm_description=f"{says} What to do: {remedy} More in docs/aws-operations.md.",
            metric=metric,
            threshold=above,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_THRESHOLD,
            evaluation_periods=for_periods,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        alarm.add_alarm_action(actions.SnsAction(self._topic))
        alarm.add_ok_action(actions.SnsAction(self._topic))


def _summed(metrics: Mapping[str, cloudwatch.IMetric]) -> cloudwatch.MathExpression:
    return _math(_sum_of(list(metrics)), metrics)


def _sum_of(names: Sequence[str]) -> str:
    return " + ".join(f"FILL({name}, 0)" for name in names)


def _math(
    expression: str, metrics: Mapping[str, cloudwatch.IMetric], *, period: Duration = PERIOD
) -> cloudwatch.MathExpression:
    return cloudwatch.MathExpression(expression=expression, using_metrics=dict(metrics), period=period, label="watched")
