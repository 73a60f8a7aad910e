"""Findings of cdk-nag that are as they should be, each with its reason beside what it is about.

A suppression that nothing finds any more fails a test, so that none outlives its reason.
"""

from aws_cdk import Acknowledgment, Stack, Validations
from constructs import IConstruct

WILDCARD = "AwsSolutions-IAM5"


def suppress(construct: IConstruct, rule: str, *, reason: str) -> None:
    """Let a rule be, for a construct and what it is made of. cdk-nag matches whole ids of findings alone."""
    Validations.of(construct).acknowledge(Acknowledgment(id=rule, reason=reason))


def suppress_wildcard(construct: IConstruct, resource: str, *, reason: str) -> None:
    """Let a resource be that has a wildcard in it, given as it stands in the statement."""
    suppress(construct, f"{WILDCARD}[Resource::{_flat(Stack.of(construct).resolve(resource))}]", reason=reason)


def _flat(resolved: object) -> str:
    """Return a resolved value as cdk-nag writes it: <LogicalId.Attribute> for what CloudFormation fills in."""
    match resolved:
        case str():
            return resolved
        case {"Ref": str(name)}:
            return f"<{name}>"
        case {"Fn::GetAtt": [str(name), str(attribute)]}:
            return f"<{name}.{attribute}>"
        case {"Fn::Join": [str(separator), list(parts)]}:
            return separator.join(_flat(part) for part in parts)
    raise TypeError(f"no resource is named by {resolved!r}")
