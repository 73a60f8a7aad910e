"""Signing in over HTTP: a token does what a key does, and whoever is refused hears the same words as with a bad key."""

import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from chalicelib.bootstrap import install_application
from chalicelib.identity.oidc.issuers import Issuers
from chalicelib.platform.local.issuer_documents import DirectIssuerDocuments
from tests.fixtures.api import Answered, Api
from tests.fixtures.issuers import CLIENT, JWKS, METADATA, Answer, Issuer, first_key, forged, issuer
from tests.fixtures.lorebases import Lorebase

__all__ = ["first_key", "issuer"]

ROOT = Path(__file__).resolve().parents[2]


class SigningIn:
    """An API whose organization is about to trust an issuer."""

    def __init__(self, api: Api, lorebase: Lorebase, issuer: Issuer) -> None:
        self.api, self.lorebase, self.issuer = api, lorebase, issuer
        self.owner = lorebase.foundation.token
        organization = f"/v1/organizations/{lorebase.foundation.organization.id}"
        self.members = f"{organization}/members"
        self.providers = f"{organization}/identity-providers"

    def trust(self, **changes: Any) -> Answered:
        body = {"issuer": self.issuer.url, "name": "Directory", "audiences": [CLIENT], "admits": True, **changes}
        return self.api.call("POST", self.providers, key=self.owner, json_body=body)

    def token(self, **changes: Any) -> str:
        return self.issuer.token(self.lorebase.clock.now(), **changes)

    def me(self, token: str) -> Answered:
        return self.api.call("GET", "/v1/me", key=token)


@pytest.fixture
def signing_in(whole_api: Api, lorebase: Lorebase, issuer: Issuer) -> SigningIn:
    issuers = Issuers(DirectIssuerDocuments(takes_loopback=True), fresh_for=timedelta(minutes=10))
    lorebase.wired = replace(lorebase.wired, issuers=issuers)
    install_application(lorebase.wired)
    whole_api.application = lorebase.wired
    return SigningIn(whole_api, lorebase, issuer)


def test_a_token_does_what_a_key_does_as_far_as_roles_reach(signing_in: SigningIn) -> None:
    signing_in.lorebase.add_item("a.md", "Some text.")
    assert signing_in.trust().status == 201
    token = signing_in.token(name="Zoë", email="zoe@example.com", email_verified=True)
    me = signing_in.me(token).json
    assert (me["principal"]["name"], me["principal"]["kind"], me["workspaces"]) == ("Zoë", "user", [])
    workspace = f"/v1/workspaces/{signing_in.lorebase.workspace_id}"
    assert signing_in.api.call("GET", f"{workspace}/items", key=token).status == 404

    role = f"{workspace}/members/{me['principal']['id']}"
    signing_in.api.call("PUT", role, key=signing_in.owner, json_body={"role": "editor"})
    assert len(signing_in.api.call("GET", f"{workspace}/items", key=token).json["items"]) == 1
    body = {"path": "b.md", "body": "More."}
    assert signing_in.api.call("POST", f"{workspace}/items", key=token, json_body=body).status == 201
    key = signing_in.api.call(
        "POST", signing_in.members.replace("members", "api-keys"), key=token, json_body={"name": "k"}
    )
    assert key.status == 201


def test_whoever_is_refused_hears_what_a_bad_key_hears(signing_in: SigningIn, logged: StringIO) -> None:
    signing_in.trust(admits=False)
    bad_key = signing_in.me("lb_AAAAAAAAAA_" + "a" * 43)
    moment = signing_in.lorebase.clock.now()
    claims = signing_in.issuer.claims(moment)
    for token in (
        signing_in.token(),
        signing_in.token(exp=1),
        signing_in.token(aud="x"),
        signing_in.token(headers={"kid": "other"}),
        signing_in.token(iss="https://issuer.invalid"),
        forged({"alg": "none"}, claims),
        forged({"alg": "HS256", "kid": "key-1"}, claims, b"x"),
        "a.b.c",
        "a." * 20_000,
        "..",
    ):
        answered = signing_in.me(token)
        assert answered.status == 401
        same = {**bad_key.json, "instance": answered.json["instance"]}
        assert (answered.json, answered.headers["www-authenticate"]) == (same, bad_key.headers["www-authenticate"])
    reasons = [line for line in logged.getvalue().splitlines() if "a token was refused" in line]
    assert any("admits nobody new" in line for line in reasons)
    assert any("expired" in line for line in reasons)


def test_a_provider_is_made_once_under_an_idempotency_key(signing_in: SigningIn) -> None:
    body = {"issuer": signing_in.issuer.url, "name": "Directory", "audiences": [CLIENT]}
    headers = {"Idempotency-Key": "k1"}
    made = [
        signing_in.api.call("POST", signing_in.providers, key=signing_in.owner, json_body=body, headers=headers)
        for _ in range(2)
    ]
    assert [answered.status for answered in made] == [201, 201]
    assert made[0].json == made[1].json
    assert signing_in.issuer.asked == [METADATA, JWKS]
    again = signing_in.api.call("POST", signing_in.providers, key=signing_in.owner, json_body=body)
    assert (again.status, again.problem) == (409, "issuer-taken")
    location = made[0].headers["location"]
    assert signing_in.api.call("GET", location, key=signing_in.owner).json == made[0].json


def test_what_is_wrong_with_an_issuer_is_told_to_the_admin(signing_in: SigningIn) -> None:
    signing_in.issuer.answers[METADATA] = Answer(b'{"issuer": "https://other.invalid"}')
    answered = signing_in.trust()
    assert (answered.status, answered.problem) == (422, "issuer-refused")
    signing_in.issuer.be_away()
    answered = signing_in.trust()
    assert (answered.status, answered.problem) == (503, "issuer-unavailable")
    answered = signing_in.trust(issuer="https://169.254.169.254")
    assert (answered.status, answered.problem) == (422, "issuer-document-refused")
    assert signing_in.trust(algorithms=["HS256"]).problem == "invalid-identity-provider"
    assert signing_in.trust(issuer=signing_in.issuer.url + "\x00").problem == "issuer-refused"


def test_terms_change_in_part_and_work_at_once(signing_in: SigningIn) -> None:
    made = signing_in.trust(email_domains=["example.com"]).json
    url = f"{signing_in.providers}/{made['id']}"
    assert signing_in.me(signing_in.token()).status == 401
    changed = signing_in.api.call("PATCH", url, key=signing_in.owner, json_body={"email_domains": None})
    assert changed.json == {**made, "email_domains": None}
    assert signing_in.me(signing_in.token()).status == 200
    signing_in.api.call("PATCH", url, key=signing_in.owner, json_body={"disabled": True})
    assert signing_in.me(signing_in.token()).status == 401
    signing_in.api.call("PATCH", url, key=signing_in.owner, json_body={"disabled": False, "scopes": ["read"]})
    assert signing_in.me(signing_in.token()).json["principal"]["scopes"] == ["read"]
    assert signing_in.api.call("DELETE", url, key=signing_in.owner).status == 204
    assert signing_in.me(signing_in.token()).status == 401
    assert signing_in.api.call("GET", url, key=signing_in.owner).problem == "identity-provider-not-found"


def test_an_admin_tries_a_token_and_sees_who_signed_in(signing_in: SigningIn) -> None:
    url = f"{signing_in.providers}/{signing_in.trust().json['id']}"
    token = signing_in.token()

    def verdict(text: str) -> Any:
        return signing_in.api.call("POST", f"{url}/token-test", key=signing_in.owner, json_body={"token": text}).json

    assert (verdict(token)["accepted"], verdict(token)["known_by"]) == (True, "admission")
    assert verdict(signing_in.token(exp=1)) == {
        "accepted": False,
        "reason": "The token has expired.",
        **dict.fromkeys(("subject", "verified_email", "member_id", "known_by")),
    }
    assert signing_in.api.call("GET", f"{url}/members", key=signing_in.owner).json["members"] == []
    member_id = signing_in.me(token).json["principal"]["id"]
    (seen,) = signing_in.api.call("GET", f"{url}/members", key=signing_in.owner).json["members"]
    assert (seen["member_id"], seen["subject"], seen["known_by"]) == (member_id, "subject-1", "admission")
    assert signing_in.api.call("DELETE", f"{url}/members/{member_id}", key=signing_in.owner).status == 204
    assert signing_in.api.call("DELETE", f"{url}/members/{member_id}", key=signing_in.owner).status == 404


def test_a_key_is_looked_up_without_what_tokens_need() -> None:
    code = (
        "import sys, app;"
        "from chalicelib.identity.oidc.tokens import may_be_token;"
        "assert not may_be_token('lb_AAAAAAAAAA_' + 'a' * 43);"
        "print([name for name in ('jwt', 'cryptography') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "[]\n"
