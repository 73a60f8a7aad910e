"""Who may do what to which resource, and why: the one table that roles are made from and docs/aws-permissions.md shows.

What functions have besides (own log, network, queue's messages, database) is granted by the constructs that make it so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aws_cdk import aws_iam as iam
from constructs import Construct

from infra.configuration import Deployment
from infra.originals import Originals
from infra.own_secrets import OWN_SECRETS, secret_arn
from infra.queues import Queues
from infra.suppressions import suppress_wildcard

if TYPE_CHECKING:
    from infra.embedder import Embedder
    from infra.issuer_documents import IssuerDocuments


@dataclass(frozen=True, slots=True)
class Permission:
    """One line of the table; `resources` are names that `Arns` knows."""

    actions: Sequence[str]
    resources: Sequence[str]
    why: str


_OWN_LOG = Permission(
    ("logs:CreateLogStream", "logs:PutLogEvents"), ("log group of the function",), "writes its log, and no other"
)
_OWN_SECRETS = Permission(
    ("secretsmanager:GetSecretValue",),
    ("secret api-key-pepper", "secret cursor-key"),
    "hashes API keys and signs cursors with them",
)
_SWEEP = Permission(("sqs:SendMessage",), ("queue sweep",), "announces that work is promised")
# S3 answers 403 instead of 404 about an absent object to who may not list the bucket
# (docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html), and 404 is what "not received" is told by.
_ABSENCE = Permission(("s3:ListBucket",), ("bucket",), "is told apart: absent, or out of reach")
_BUCKET_KEY_READ = Permission(("kms:Decrypt",), ("bucket key",), "reads objects that S3 keeps encrypted")
_BUCKET_KEY_WRITE = Permission(
    ("kms:Decrypt", "kms:GenerateDataKey"), ("bucket key",), "reads and writes objects that S3 keeps encrypted"
)
_KEY = Permission(
    ("kms:Decrypt", "kms:GenerateDataKey"), ("key",), "reads its secrets, and sends and receives encrypted messages"
)

PERMISSIONS: Mapping[str, Sequence[Permission]] = {
    "api": (
        Permission(("s3:PutObject",), ("objects staging/",), "presigns uploads, and keeps those sent to it directly"),
        Permission(
            ("s3:GetObject",),
            ("objects staging/", "objects drop/", "objects originals/"),
            "presigns downloads, and looks whether an upload has arrived",
        ),
        Permission(("s3:DeleteObject",), ("objects staging/", "objects originals/"), "deletes uploads"),
        _ABSENCE,
        _BUCKET_KEY_WRITE,
        Permission(("sqs:SendMessage",), ("queue intake", "queue index"), "rings for what it promised"),
        _SWEEP,
        Permission(("lambda:InvokeFunction",), ("embedder",), "embeds questions"),
        Permission(("lambda:InvokeFunction",), ("issuers",), "has the documents of issuers fetched"),
        _OWN_SECRETS,
        _KEY,
    ),
    "originals": (
        Permission(
            ("s3:DeleteObject",), ("objects staging/",), "removes bytes that were sent after their upload ended"
        ),
        Permission(("s3:GetObject",), ("objects staging/",), "looks how much of an upload has arrived"),
        _ABSENCE,
        _BUCKET_KEY_READ,
        Permission(("sqs:SendMessage",), ("queue intake",), "rings for the extraction of what arrived"),
        _SWEEP,
        _OWN_SECRETS,
        _KEY,
    ),
    "intake": (
        Permission(
            ("s3:GetObject",),
            ("objects staging/", "objects drop/", "objects originals/"),
            "reads what arrived, and what it kept of it for a retry",
        ),
        Permission(
            ("s3:PutObject", "s3:AbortMultipartUpload"), ("objects originals/",), "keeps one copy of each original"
        ),
        Permission(("s3:DeleteObject",), ("objects staging/",), "clears away what it has taken in"),
        _ABSENCE,
        _BUCKET_KEY_WRITE,
        Permission(
            ("sqs:SendMessage",), ("queue intake", "queue index"), "rings for the next extraction and for indexing"
        ),
        _SWEEP,
        _OWN_SECRETS,
        _KEY,
    ),
    "index": (
        Permission(("sqs:SendMessage",), ("queue index",), "rings for the next revision of an item, and for retries"),
        _SWEEP,
        Permission(("lambda:InvokeFunction",), ("embedder",), "embeds chunks"),
        _OWN_SECRETS,
        _KEY,
    ),
    "sweep": (
        Permission(("sqs:SendMessage",), ("queue intake", "queue index"), "rings again for what waits"),
        Permission(("sqs:SendMessage",), ("queue sweep",), "asks for the next round while a job is open"),
        Permission(("s3:DeleteObject",), ("objects staging/", "objects originals/"), "removes what has expired"),
        _BUCKET_KEY_READ,
        _OWN_SECRETS,
        _KEY,
    ),
}

MIGRATIONS: Sequence[Permission] = (
    Permission(
        ("secretsmanager:GetSecretValue",),
        ("secret of the master",),
        "logs in as the owner of the database, and is the only one to do so",
    ),
    Permission(
        ("secretsmanager:GetSecretValue",), ("secret api-key-pepper",), "hashes the first owner's API key with it"
    ),
    Permission(("secretsmanager:PutSecretValue",), ("secret owner-key",), "keeps that key for the operator"),
    _KEY,
)
"""The function of a deployment's step; it is no user of the database but its master."""

OUTSIDE: Sequence[Permission] = (
    _OWN_LOG,
    Permission(("kms:Decrypt",), ("key",), "reads its own variables, and nothing else that the key keeps"),
)
"""All that the embedder may do, and what fetches issuers' documents: outside the network, no users of the database."""

EVERY_FUNCTION: Sequence[Permission] = (
    _OWN_LOG,
    Permission(
        (
            "ec2:AssignPrivateIpAddresses",
            "ec2:CreateNetworkInterface",
            "ec2:DeleteNetworkInterface",
            "ec2:DescribeNetworkInterfaces",
            "ec2:DescribeSubnets",
            "ec2:UnassignPrivateIpAddresses",
        ),
        ("*",),
        "enters the network; AWS lets none of these name a resource",
    ),
    Permission(
        ("rds-db:connect",),
        ("database user lorebase_app",),
        "logs in as the user that cannot alter the schema; `migrations` cannot, being the database's master",
    ),
)
EVERY_WORKER: Sequence[Permission] = (
    Permission(
        (
            "sqs:ChangeMessageVisibility",
            "sqs:DeleteMessage",
            "sqs:GetQueueAttributes",
            "sqs:GetQueueUrl",
            "sqs:ReceiveMessage",
        ),
        ("queue of the function",),
        "is given its queue's messages; Lambda takes them in its name",
    ),
)


class Arns:
    """What the table's names stand for in one stage."""

    def __init__(
        self,
        scope: Construct,
        deployment: Deployment,
        *,
        key_arn: str,
        originals: Originals,
        queues: Queues,
        embedder: "Embedder",
        issuers: "IssuerDocuments | None" = None,
    ) -> None:
        bucket = originals.bucket.bucket_arn
        self._arns: dict[str, str | None] = {
            "bucket": bucket,
            "bucket key": originals.key.key_arn if originals.key else None,
            "key": key_arn,
            "embedder": embedder.function.function_arn if embedder.function else None,
            "issuers": issuers.function.function_arn if issuers else None,
        }
        self._arns |= {f"objects {prefix}": f"{bucket}/{prefix}*" for prefix in ("staging/", "drop/", "originals/")}
        self._arns |= {f"queue {name}": queue.queue.queue_arn for name, queue in queues.by_name.items()}
        self._arns |= {f"secret {name}": secret_arn(scope, deployment, name) for name in OWN_SECRETS}

    def statements_for(self, principal: str) -> Sequence[iam.PolicyStatement]:
        """Return a principal's lines as statements; what the stage has not (no embedder, no key) is left out."""
        return [
            iam.PolicyStatement(actions=list(permission.actions), resources=arns)
            for permission in PERMISSIONS[principal]
            if (arns := [arn for name in permission.resources if (arn := self._arns[name]) is not None])
        ]

    def grant(self, principal: str, role: iam.Role) -> None:
        """Give a role its principal's lines of the table."""
        for statement in self.statements_for(principal):
            role.add_to_policy(statement)
            for resource in statement.resources:
                if resource.endswith("*"):
                    suppress_wildcard(role, resource, reason="The objects below one prefix, and none beside them.")
