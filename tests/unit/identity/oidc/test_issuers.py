"""Keys come and go: new ones are found and old ones end in time, and an issuer is neither hammered nor waited for."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Event

import pytest

from chalicelib.identity.errors import Unauthenticated
from chalicelib.identity.oidc.issuers import PAUSE, STALE_FOR, Issuers
from chalicelib.platform.local.issuer_documents import DirectIssuerDocuments
from tests.fixtures.issuers import JWKS, METADATA, Answer, SigningKey, signing_key
from tests.unit.identity.oidc.conftest import FRESH_FOR, Trust


@pytest.fixture
def known(trusting: Trust) -> Trust:
    """The issuer is trusted, and was asked when it was."""
    trusting.trust(admits=True)
    assert trusting.issuer.asked == [METADATA, JWKS]
    trusting.issuer.asked.clear()
    return trusting


def another_process(trusting: Trust) -> Trust:
    documents = DirectIssuerDocuments(takes_loopback=True)
    return Trust(trusting.lorebase, trusting.issuer, Issuers(documents, fresh_for=FRESH_FOR))


def move(trusting: Trust, span: timedelta) -> None:
    trusting.lorebase.clock.move(seconds=span.total_seconds())


def test_keys_that_are_known_are_not_asked_for_by_any_process(known: Trust) -> None:
    token = known.token()
    for _ in range(3):
        known.authenticate(token)
    another_process(known).authenticate(token)
    assert known.issuer.asked == []


def test_a_new_key_is_found_by_its_first_token(known: Trust, second_key: SigningKey) -> None:
    move(known, PAUSE)
    known.issuer.rotate(second_key)
    known.authenticate(known.token())
    assert known.issuer.asked == [JWKS]
    another_process(known).authenticate(known.token())
    assert known.issuer.asked == [JWKS]


def test_made_up_keys_make_us_ask_once_in_a_while_and_no_more(known: Trust) -> None:
    move(known, PAUSE)
    for number in range(20):
        with pytest.raises(Unauthenticated):
            known.authenticate(known.token(headers={"kid": f"made-up-{number}"}))
    assert known.issuer.asked == [JWKS]
    move(known, PAUSE - timedelta(seconds=1))
    with pytest.raises(Unauthenticated):
        known.authenticate(known.token(headers={"kid": "made-up"}))
    assert known.issuer.asked == [JWKS]


def test_many_at_once_ask_once(known: Trust, second_key: SigningKey) -> None:
    move(known, PAUSE)
    known.issuer.rotate(second_key)
    token = known.token()
    with ThreadPoolExecutor(6) as threads:
        principals = list(threads.map(known.authenticate, [token] * 12))
    assert len({principal.id for principal in principals}) == 1
    assert known.issuer.asked == [JWKS]


def test_after_a_quiet_time_other_processes_wait_for_the_one_that_asks(
    known: Trust, monkeypatch: pytest.MonkeyPatch
) -> None:
    move(known, FRESH_FOR + STALE_FOR)
    token, other = known.token(), another_process(known)
    is_waiting = Event()
    known.issuer.answers[JWKS] = replace(known.issuer.answer_to(JWKS), waits_for=is_waiting)

    def look_again(_seconds: float) -> None:
        is_waiting.set()

    monkeypatch.setattr("chalicelib.identity.oidc.issuers.sleep", look_again)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(known.authenticate, token)
        while not known.issuer.asked:
            assert not first.done()
        second = threads.submit(other.authenticate, token)
        assert first.result().id == second.result().id
    assert is_waiting.is_set()
    assert known.issuer.asked == [JWKS]


def test_a_key_that_was_withdrawn_ends_within_the_time_of_the_cache(known: Trust, second_key: SigningKey) -> None:
    old = known.token()
    known.issuer.rotate(second_key)
    move(known, FRESH_FOR - timedelta(seconds=1))
    known.authenticate(old)
    move(known, timedelta(seconds=1))
    with pytest.raises(Unauthenticated):
        known.authenticate(old)
    with pytest.raises(Unauthenticated):
        another_process(known).authenticate(old)


def test_an_issuer_that_withdraws_all_its_keys_is_believed(known: Trust) -> None:
    known.issuer.keys = []
    move(known, FRESH_FOR)
    with pytest.raises(Unauthenticated):
        known.authenticate(known.token())


def test_while_the_issuer_is_away_its_last_keys_count_for_an_hour_more(known: Trust) -> None:
    known.issuer.be_away()
    move(known, FRESH_FOR)
    known.authenticate(known.token())
    known.authenticate(known.token())
    assert known.issuer.asked == [JWKS], "an issuer that is away is not asked at each request"
    move(known, STALE_FOR - timedelta(seconds=1))
    known.authenticate(known.token())
    move(known, timedelta(seconds=1))
    with pytest.raises(Unauthenticated):
        known.authenticate(known.token())
    known.issuer.answers.clear()
    move(known, PAUSE)
    known.authenticate(known.token())


@pytest.mark.parametrize(
    "nonsense",
    [b"{}", b'{"keys": 5}', b'{"keys": ["x"]}', b"<html>", b"", b'{"keys": [' + b"{}," * 1001 + b"{}]}"],
)
def test_nonsense_from_the_issuer_leaves_its_last_keys_in_place(known: Trust, nonsense: bytes) -> None:
    known.issuer.answers[JWKS] = Answer(nonsense)
    move(known, FRESH_FOR)
    known.authenticate(known.token())


def test_keys_that_have_moved_are_found_where_they_are_now(known: Trust, second_key: SigningKey) -> None:
    known.issuer.rotate(second_key)
    known.issuer.answers = {
        JWKS: Answer(b"{}", status=404),
        METADATA: Answer(f'{{"issuer": "{known.issuer.url}", "jwks_uri": "{known.issuer.url}/moved"}}'.encode()),
        "/moved": known.issuer.answer_to(JWKS),
    }
    move(known, PAUSE)
    known.authenticate(known.token())
    assert known.issuer.asked == [JWKS, METADATA, "/moved"]


def test_hundreds_of_keys_are_told_apart(trusting: Trust, first_key: SigningKey) -> None:
    curve = signing_key("x", "ES256").public
    trusting.issuer.keys = [{**curve, "kid": f"other-{number}"} for number in range(700)] + [first_key.public]
    trusting.trust(admits=True)
    assert trusting.authenticate(trusting.token())
