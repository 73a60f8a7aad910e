"""The queues of a stage, and the one table of how each is delivered to its function."""

from dataclasses import dataclass

from aws_cdk import ArnFormat, Duration, RemovalPolicy, Stack
from aws_cdk import aws_kms as kms
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from infra.configuration import Deployment
from infra.suppressions import suppress

KEPT = Duration.days(4)
DEAD_LETTERS_KEPT = Duration.days(14)
_VISIBILITY_FACTOR = 6


@dataclass(frozen=True, slots=True)
class Delivery:
    """How a queue's messages come to its function.

    `receives` is how often a message may fail. It decides no retry: a queue of jobs reports a record as failed only
    where nothing could be tried (the database is away; the message names no job) or where the table holds the job
    to be dead, and what is tried again is rung for anew. So a job that lives does not end among the dead letters for
    what its handler did. Five is the least that AWS advises, since throttled receives count as well.
    """

    timeout_seconds: int
    batch: int = 10
    window_seconds: int = 0
    receives: int = 5
    is_fifo: bool = False
    delay_seconds: int = 0

    @property
    def visibility(self) -> Duration:
        """How long a received message is hidden: what Lambda needs to repeat a throttled batch by itself.

        https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html.
        """
        return Duration.seconds(_VISIBILITY_FACTOR * self.timeout_seconds + self.window_seconds)


DELIVERIES = {
    # An event of the bucket is nowhere but in its message: it outlasts two hours without a database.
    "originals": Delivery(timeout_seconds=60, receives=20),
    # Jobs come one by one: in a batch, the last would be cut off for the length of the first.
    "intake": Delivery(timeout_seconds=300, batch=1),
    "index": Delivery(timeout_seconds=300, batch=1),
    # Any number of messages ask for one round.
    "sweep": Delivery(timeout_seconds=60, is_fifo=True, delay_seconds=60),
}


class WorkQueue(Construct):
    """A queue under the stage's key, and the one where messages come to lie that no function could take."""

    def __init__(
        self, scope: Construct, identifier: str, *, deployment: Deployment, key: kms.IKey, delivery: Delivery
    ) -> None:
        super().__init__(scope, identifier)
        self.delivery = delivery
        self._key = key
        name = f"{deployment.name}-{identifier.lower()}"
        # By name, since each of the two names the other.
        source = Stack.of(self).format_arn(
            service="sqs", resource=self._name(name), arn_format=ArnFormat.NO_RESOURCE_NAME
        )
        self.dead_letters = self._add(
            "DeadLetters",
            name=f"{name}-dead",
            kept=DEAD_LETTERS_KEPT,
            visibility=Duration.seconds(30),
            redrive=sqs.RedriveAllowPolicy(source_queues=[sqs.Queue.from_queue_arn(self, "Source", source)]),
        )
        suppress(self.dead_letters, "Serverless-SQSRedrivePolicy", reason="Dead letters wait here for a person.")
        self.queue = self._add(
            "Queue",
            name=name,
            kept=KEPT,
            visibility=delivery.visibility,
            redrive=sqs.RedriveAllowPolicy(redrive_permission=sqs.RedrivePermission.DENY_ALL),
            dead_letters=sqs.DeadLetterQueue(queue=self.dead_letters, max_receive_count=delivery.receives),
        )

    @property
    def function_timeout(self) -> Duration:
        """How long the queue's function may take."""
        return Duration.seconds(self.delivery.timeout_seconds)

    def _name(self, name: str) -> str:
        return f"{name}.fifo" if self.delivery.is_fifo else name

    def _add(
        self,
        identifier: str,
        *,
        name: str,
        kept: Duration,
        visibility: Duration,
        redrive: sqs.RedriveAllowPolicy,
        dead_letters: sqs.DeadLetterQueue | None = None,
    ) -> sqs.Queue:
        return sqs.Queue(
            self,
            identifier,
            queue_name=self._name(name),
            fifo=self.delivery.is_fifo or None,
            encryption=sqs.QueueEncryption.KMS,
            encryption_master_key=self._key,
            # An hour, so that a queue that is seldom used costs next to no requests to the key.
            data_key_reuse=Duration.hours(1),
            enforce_ssl=True,
            retention_period=kept,
            visibility_timeout=visibility,
            delivery_delay=Duration.seconds(self.delivery.delay_seconds) if dead_letters else None,
            redrive_allow_policy=redrive,
            dead_letter_queue=dead_letters,
            removal_policy=RemovalPolicy.DESTROY,
        )


class Queues(Construct):
    """One queue for the bucket's events, one for each kind of job, and one that asks for rounds of the sweep."""

    def __init__(self, scope: Construct, identifier: str, *, deployment: Deployment, key: kms.IKey) -> None:
        super().__init__(scope, identifier)
        queues = {
            name: WorkQueue(self, name.capitalize(), deployment=deployment, key=key, delivery=delivery)
            for name, delivery in DELIVERIES.items()
        }
        self.originals = queues["originals"]
        self.intake = queues["intake"]
        self.index = queues["index"]
        self.sweep = queues["sweep"]
        self.by_name = queues
