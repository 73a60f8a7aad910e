"""Trusting an issuer and becoming known through it are recorded; asking again is not."""

from functools import partial
from typing import Any

from chalicelib.identity.oidc.manage_providers import delete_provider
from tests.fixtures.activity import recorded_by
from tests.unit.identity.oidc.conftest import Trust
from tests.unit.identity.oidc.test_find_user import add_user


def told(entries: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [tuple(entry[name] for name in ("action", "actor_id", "subject_id", "after")) for entry in entries]


def test_becoming_known_is_recorded_once(trusting: Trust) -> None:
    database = trusting.lorebase.database
    provider, [created] = recorded_by(database, lambda: trusting.trust(admits=True, links_by_email=True))
    assert (created["action"], created["subject_id"]) == ("identity_provider.created", provider.id)
    assert created["after"]["issuer"] == provider.issuer
    ann = add_user(trusting, "ann@example.com")
    for subject, email, action, known_by in (
        ("a", "ann@example.com", "identity.known", "email"),
        ("b", "bob@example.com", "member.created", "admission"),
    ):
        token = trusting.token(sub=subject, email=email, email_verified=True)
        user, entries = recorded_by(database, partial(trusting.authenticate, token))
        assert (user.id == ann.id) is (known_by == "email")
        after = {"provider_id": str(provider.id), "known_by": known_by}
        assert told(entries) == [(action, user.id, user.id, after)]
        assert recorded_by(database, partial(trusting.authenticate, token))[1] == []

    def distrust() -> None:
        owner = trusting.lorebase.owner
        with database.transaction() as tx:
            delete_provider(tx, principal=owner, organization_id=owner.organization_id, provider_id=provider.id)

    _, entries = recorded_by(database, distrust)
    assert told(entries) == [("identity_provider.deleted", trusting.lorebase.owner.id, provider.id, None)]
