"""A function on AWS has one set of clients, and closes it."""

import pytest

from chalicelib.bootstrap import wire_aws
from chalicelib.identity.oidc.issuers import Issuers
from chalicelib.platform.aws import clients
from chalicelib.platform.aws.issuer_documents import LambdaIssuerDocuments
from chalicelib.settings import load_settings
from tests.fixtures.prepared import Stage


def test_the_embedder_shares_the_clients_that_are_closed(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[clients.Clients] = []
    closed: list[clients.Clients] = []

    class Counted(clients.Clients):
        def __init__(self, *, endpoint_url: str = "") -> None:
            super().__init__(endpoint_url=endpoint_url)
            made.append(self)

        def close(self) -> None:
            super().close()
            closed.append(self)

    monkeypatch.setattr(clients, "Clients", Counted)
    monkeypatch.setenv("LOREBASE_EMBEDDER", "lambda")
    monkeypatch.setenv("LOREBASE_EMBED_FUNCTION", "embed")
    wired = wire_aws(stage.settings)
    assert wired.embedder is not None
    assert len(made) == 1
    assert closed == []
    wired.close()
    assert closed == made
    load_settings.cache_clear()


def test_issuers_are_asked_by_the_function_that_is_named_and_by_nobody_where_none_is(stage: Stage) -> None:
    for name in ("issuers", ""):
        wired = wire_aws(stage.settings.model_copy(update={"issuer_function": name}))
        assert isinstance(wired.issuers, Issuers) is bool(name)
        if wired.issuers is not None:
            assert isinstance(wired.issuers.documents, LambdaIssuerDocuments)
        wired.close()
