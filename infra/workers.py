"""One function a queue, each with a role of its own and no more at once than the database can bear."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aws_cdk import Duration
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_event_sources as sources
from constructs import Construct

from infra.arrivals import Arrivals
from infra.code_function import CodeFunction
from infra.connections import SINGLE_POOL, WORKER_POOL, shares_of
from infra.environment import environment_of
from infra.foundation import Foundation
from infra.originals import Originals
from infra.permissions import Arns
from infra.queues import Queues, WorkQueue
from infra.suppressions import suppress
from infra.surroundings import surroundings_of

if TYPE_CHECKING:
    from infra.embedder import Embedder

_MEBIBYTE = 1024 * 1024
PARSE_SECONDS = 120
PARSE_MEMORY_MIB = 2048
INTAKE_MEMORY_MIB = 3008
"""What every account may use (a new one has no more), and what the parser and its parent fit in.

https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html.
"""
INTAKE_STORAGE_MIB = 1024
"""Room in /tmp for an upload of 200 MB and what libraries put there beside it."""


@dataclass(frozen=True, slots=True)
class Trade:
    """What a worker's function is made of. 1,769 MB are one processor."""

    handler: str
    memory_mib: int
    pool: int
    description: str
    ephemeral_mib: int = 512
    settings: Mapping[str, object] | None = None


_JOBS = "chalicelib.triggers.functions.handle_jobs"
TRADES = {
    "originals": Trade(
        "chalicelib.triggers.functions.handle_originals", 512, SINGLE_POOL, "Notes what arrived in the bucket"
    ),
    "intake": Trade(
        _JOBS,
        INTAKE_MEMORY_MIB,
        WORKER_POOL,
        "Reads originals and makes them items",
        INTAKE_STORAGE_MIB,
        {"parse_seconds": PARSE_SECONDS, "parse_memory_bytes": PARSE_MEMORY_MIB * _MEBIBYTE},
    ),
    "index": Trade(_JOBS, 1769, WORKER_POOL, "Cuts items into chunks, has them embedded and swaps them in"),
    "sweep": Trade("chalicelib.triggers.functions.handle_sweep", 512, SINGLE_POOL, "Sees to forgotten jobs"),
}


class Workers(Construct):
    """The functions by name, and the ways by which messages reach them."""

    def __init__(
        self,
        scope: Construct,
        identifier: str,
        foundation: Foundation,
        *,
        originals: Originals,
        queues: Queues,
        embedder: "Embedder",
    ) -> None:
        super().__init__(scope, identifier)
        deployment = foundation.deployment
        arns = Arns(
            self,
            deployment,
            key_arn=foundation.key.key_arn,
            originals=originals,
            queues=queues,
            embedder=embedder,
        )
        shares = shares_of(deployment.database)
        environment = surroundings_of(originals=originals, queues=queues, embedder=embedder)
        # The event source of a queue takes two at least; the daily schedule is the sweep's third.
        at_once = {"originals": shares.originals, "intake": shares.intake, "index": shares.index, "sweep": 2}
        self.functions: Mapping[str, lambda_.Function] = {
            name: self._function(name, foundation, trade, queues.by_name[name], environment)
            for name, trade in TRADES.items()
        }
        for name, function in self.functions.items():
            _deliver(queues.by_name[name], function, at_once=at_once[name])
            arns.grant(name, _role_of(function))
        self.roles: Mapping[str, iam.Role] = {name: _role_of(each) for name, each in self.functions.items()}
        self.arrivals = Arrivals(
            self, "Arrivals", deployment=deployment, key=foundation.key, originals=originals, queue=queues.originals
        )

    def _function(
        self,
        name: str,
        foundation: Foundation,
        trade: Trade,
        queue: WorkQueue,
        environment: Mapping[str, str],
    ) -> CodeFunction:
        own = environment_of(database_pool_size=trade.pool, workers=1, **(trade.settings or {}))
        return CodeFunction(
            self,
            name.capitalize(),
            foundation,
            handler=trade.handler,
            timeout=queue.function_timeout,
            memory_mib=trade.memory_mib,
            environment={**environment, **own},
            description=trade.description,
            ephemeral_mib=trade.ephemeral_mib,
        )


def _deliver(queue: WorkQueue, function: lambda_.Function, *, at_once: int) -> None:
    delivery = queue.delivery
    suppress(
        function,
        "Serverless-LambdaEventSourceMappingDestination",
        reason="Lambda takes destinations for streams alone; the queue has its dead letters.",
    )
    function.add_event_source(
        sources.SqsEventSource(
            queue.queue,
            batch_size=delivery.batch,
            # A queue in order takes no window at all, not even one of 0
            # (docs.aws.amazon.com/lambda/latest/dg/services-sqs-parameters.html).
            max_batching_window=None if delivery.is_fifo else Duration.seconds(delivery.window_seconds),
            max_concurrency=at_once,
            report_batch_item_failures=True,
        )
    )


def _role_of(function: lambda_.Function) -> iam.Role:
    role = function.role
    if not isinstance(role, iam.Role):
        raise TypeError(f"the function {function.node.id} has no role of its own")
    return role
