"""AWS WAF in front of the API, for who wants it: rules that AWS keeps, and a limit for each address."""

from collections.abc import Sequence

from aws_cdk import CfnResource, Fn, Stack
from aws_cdk import aws_wafv2 as waf
from constructs import Construct

from infra.configuration import Deployment
from infra.suppressions import suppress

# The window of a rate rule is five minutes where it says nothing else
# (docs.aws.amazon.com/waf/latest/developerguide/waf-rule-statement-type-rate-based-high-level-settings.html).
_WINDOW_SECONDS = 300
# The share of what the stage takes that one address may use up.
_SHARE = 0.5

# Rules that count and do not block. Bodies here are documents: longer than the 8 KB that a rule allows, and
# full of what looks like scripts and paths when the document is about scripts and paths
# (docs.aws.amazon.com/waf/latest/developerguide/aws-managed-rule-groups-baseline.html).
_COUNTED = (
    "SizeRestrictions_BODY",
    "CrossSiteScripting_BODY",
    "EC2MetaDataSSRF_BODY",
    "GenericLFI_BODY",
    "GenericRFI_BODY",
    # Questions are query parameters, about anything and longer than 2,048 bytes when they are not in Latin letters.
    "SizeRestrictions_QUERYSTRING",
    "CrossSiteScripting_QUERYARGUMENTS",
    "EC2MetaDataSSRF_QUERYARGUMENTS",
    "GenericLFI_QUERYARGUMENTS",
    "GenericRFI_QUERYARGUMENTS",
    # Items are asked for by their paths, and a path may end like a log or a configuration.
    "RestrictedExtensions_QUERYARGUMENTS",
    # Programs and agents send no User-Agent, or none that looks like a browser's.
    "NoUserAgent_HEADER",
    "UserAgent_BadBots_HEADER",
)


class Firewall(Construct):
    """A web ACL on the API's stage."""

    def __init__(self, scope: Construct, identifier: str, *, deployment: Deployment, api: CfnResource) -> None:
        super().__init__(scope, identifier)
        acl = waf.CfnWebACL(
            self,
            "Acl",
            name=f"{deployment.name}-api",
            scope="REGIONAL",
            default_action=waf.CfnWebACL.DefaultActionProperty(allow={}),
            visibility_config=_visibility(f"{deployment.name}-api"),
            rules=_rules(deployment),
        )
        stack = Stack.of(self)
        # SAM gives the stage a name of its own, and resolves this reference to it (docs.aws.amazon.com/
        # serverless-application-model/latest/developerguide/sam-specification-generated-resources-api.html).
        stage = Fn.ref(f"{stack.resolve(api.logical_id)}.Stage")
        association = waf.CfnWebACLAssociation(
            self,
            "Association",
            web_acl_arn=acl.attr_arn,
            resource_arn=f"arn:{stack.partition}:apigateway:{stack.region}::/restapis/{api.ref}/stages/{stage}",
        )
        suppress(
            association,
            "CloudFormation-Validate::F1020",
            reason="The CDK checks references before SAM has made the stage that this one means.",
        )


def _rules(deployment: Deployment) -> Sequence[waf.CfnWebACL.RuleProperty]:
    limit = max(100, int(deployment.requests_per_second * _WINDOW_SECONDS * _SHARE))
    return [
        waf.CfnWebACL.RuleProperty(
            name="rate",
            priority=0,
            action=waf.CfnWebACL.RuleActionProperty(block=waf.CfnWebACL.BlockActionProperty()),
            statement=waf.CfnWebACL.StatementProperty(
                rate_based_statement=waf.CfnWebACL.RateBasedStatementProperty(aggregate_key_type="IP", limit=limit)
            ),
            visibility_config=_visibility("rate"),
        ),
        waf.CfnWebACL.RuleProperty(
            name="common",
            priority=1,
            override_action=waf.CfnWebACL.OverrideActionProperty(none={}),
            statement=waf.CfnWebACL.StatementProperty(
                managed_rule_group_statement=waf.CfnWebACL.ManagedRuleGroupStatementProperty(
                    vendor_name="AWS",
                    name="AWSManagedRulesCommonRuleSet",
                    rule_action_overrides=[
                        waf.CfnWebACL.RuleActionOverrideProperty(
                            name=name,
                            action_to_use=waf.CfnWebACL.RuleActionProperty(count=waf.CfnWebACL.CountActionProperty()),
                        )
                        for name in _COUNTED
                    ],
                )
            ),
            visibility_config=_visibility("common"),
        ),
    ]


def _count() -> waf.CfnWebACL.RuleActionProperty:
    return waf.CfnWebACL.RuleActionProperty(count=waf.CfnWebACL.CountActionProperty())


def _visibility(name: str) -> waf.CfnWebACL.VisibilityConfigProperty:
    return waf.CfnWebACL.VisibilityConfigProperty(
        cloud_watch_metrics_enabled=True, metric_name=name, sampled_requests_enabled=False
    )
