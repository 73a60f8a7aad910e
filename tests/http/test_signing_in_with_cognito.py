"""Tokens of Amazon Cognito, as moto's server gives them out, signed by its keys and fetched from its own addresses."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import boto3
import pytest

from chalicelib.bootstrap import install_application
from chalicelib.identity.oidc.issuers import Issuers
from chalicelib.platform.public_documents import fetch_document
from tests.fixtures.api import Api
from tests.fixtures.aws import REGION

_PASSWORD = "Passw0rd-of-the-tests"
_HOST = f"https://cognito-idp.{REGION}.amazonaws.com"


class MotoDocuments:
    """Fetches what would be at Cognito's address from moto's, which claims to be the same issuer."""

    takes_loopback = True

    def __init__(self, moto_url: str) -> None:
        self._moto_url = moto_url

    def fetch(self, url: str) -> Mapping[str, object]:
        return fetch_document(url.replace(_HOST, self._moto_url), takes_loopback=True)


class Pool:
    """A pool of users with a client and one user."""

    def __init__(self, moto_url: str) -> None:
        self._client: Any = boto3.client("cognito-idp", endpoint_url=moto_url, region_name=REGION)
        self.id = self._client.create_user_pool(PoolName="pool")["UserPool"]["Id"]
        made = self._client.create_user_pool_client(
            UserPoolId=self.id, ClientName="lorebase", ExplicitAuthFlows=["ADMIN_NO_SRP_AUTH"]
        )
        self.client_id = made["UserPoolClient"]["ClientId"]
        self.issuer = f"{_HOST}/{self.id}"
        self._client.admin_create_user(
            UserPoolId=self.id,
            Username="ann",
            UserAttributes=[{"Name": "email", "Value": "ann@example.com"}, {"Name": "email_verified", "Value": "true"}],
        )
        self._client.admin_set_user_password(UserPoolId=self.id, Username="ann", Password=_PASSWORD, Permanent=True)

    def sign_in(self) -> Mapping[str, str]:
        answer = self._client.admin_initiate_auth(
            UserPoolId=self.id,
            ClientId=self.client_id,
            AuthFlow="ADMIN_NO_SRP_AUTH",
            AuthParameters={"USERNAME": "ann", "PASSWORD": _PASSWORD},
        )
        tokens: Mapping[str, str] = answer["AuthenticationResult"]
        return tokens

    def close(self) -> None:
        self._client.close()


@pytest.mark.usefixtures("aws_credentials")
def test_both_tokens_of_a_cognito_user_are_the_same_user(api: Api, moto_url: str) -> None:
    pool = Pool(moto_url)
    issuers = Issuers(MotoDocuments(moto_url), fresh_for=timedelta(minutes=10))
    install_application(replace(api.application, issuers=issuers))
    acme = api.found()
    url = f"/v1/organizations/{acme.organization.id}/identity-providers"
    body = {"issuer": pool.issuer, "name": "Cognito", "audiences": [pool.client_id], "admits": True}
    made = api.call("POST", url, key=acme.token, json_body=body)
    assert made.status == 201, made.text
    tokens = pool.sign_in()
    found = [api.call("GET", "/v1/me", key=tokens[name]) for name in ("AccessToken", "IdToken")]
    assert [answered.status for answered in found] == [200, 200]
    assert found[0].json["principal"] == found[1].json["principal"]
    assert api.call("GET", "/v1/me", key=tokens["RefreshToken"]).status == 401

    api.call("PATCH", f"{url}/{made.json['id']}", key=acme.token, json_body={"audiences": ["another client"]})
    assert api.call("GET", "/v1/me", key=tokens["AccessToken"]).status == 401
    pool.close()
