"""A model is wired by its name, to the provider that the name says, with the key that belongs there."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from pydantic import ValidationError

from chalicelib.bootstrap import _embedders_of
from chalicelib.errors import Unavailable
from chalicelib.platform.aws.clients import Clients
from chalicelib.platform.errors import ModelNameRefused, RerankerUnavailable
from chalicelib.platform.local.secrets import LocalSecrets
from chalicelib.platform.ports import Secrets
from chalicelib.providers import embedder_named, language_model_named, needs_aws, reranker_named
from chalicelib.settings import Settings
from tests.fixtures.model_answers import Reply
from tests.fixtures.model_server import KEY, ModelServer


@pytest.fixture
def secrets(tmp_path: Path) -> Secrets:
    return LocalSecrets(tmp_path / "secrets")


@pytest.fixture
def clients(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clients]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-central-1")
    made = Clients()
    yield made
    made.close()


def settings_for(models: ModelServer, **more: object) -> Settings:
    endpoints = f"openai={models.openai_url}, tei={models.openai_url}"
    return Settings.model_validate({"model_endpoints": endpoints, "aws_endpoint_url": models.url, **more})


@pytest.mark.parametrize(
    ("spec", "space", "languages"),
    [
        ("openai:text-embedding-3-small", "openai/text-embedding-3-small/1536", None),
        ("openai:text-embedding-3-large@3072", "openai/text-embedding-3-large/3072", None),
        ("openai:text-embedding-3-large@384", "openai/text-embedding-3-large/384", None),
        ("tei:intfloat/multilingual-e5-small@384", "tei/intfloat/multilingual-e5-small/384", None),
        ("bedrock:amazon.titan-embed-text-v2:0", "bedrock/amazon.titan-embed-text-v2:0/1024", None),
        ("bedrock:amazon.titan-embed-text-v2:0@256", "bedrock/amazon.titan-embed-text-v2:0/256", None),
        ("bedrock:cohere.embed-english-v3", "bedrock/cohere.embed-english-v3/1024", frozenset({"en"})),
        ("bedrock:eu.cohere.embed-v4:0@1536", "bedrock/eu.cohere.embed-v4:0/1536", None),
    ],
)
def test_an_embedder_has_the_space_of_its_name_and_works(
    *,
    models: ModelServer,
    secrets: Secrets,
    clients: Clients,
    spec: str,
    space: str,
    languages: frozenset[str] | None,
) -> None:
    embedder = embedder_named(spec, settings_for(models), clients, secrets)
    assert (embedder.space, embedder.languages) == (space, languages)
    assert models.asked == []
    rows = embedder.embed_passages(["tax", "cat"]).vectors
    assert rows.shape == (2, int(space.rpartition("/")[2]))
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1])


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("openai:some-model", "Name them: openai:some-model@1024"),
        ("openai:text-embedding-3-small@3072", "at most 1536 dimensions"),
        ("openai:some-model@0", "at most 4000 dimensions"),
        ("openai:some-model@5000", "at most 4000 dimensions"),
        ("bedrock:amazon.titan-embed-text-v2:0@384", "1024, 512, 256 dimensions, not 384"),
        ("bedrock:cohere.embed-english-v3@512", "1024 dimensions, not 512"),
        ("bedrock:amazon.titan-embed-text-v1", "and not amazon.titan-embed-text-v1"),
        ("nobody:model@384", "nobody is no provider: there are bedrock, openai, tei"),
        ("model", "no provider:model"),
    ],
)
def test_a_name_that_cannot_be_is_refused(
    models: ModelServer, secrets: Secrets, clients: Clients, spec: str, said: str
) -> None:
    with pytest.raises(ModelNameRefused, match=said):
        embedder_named(spec, settings_for(models), clients, secrets)


def test_an_endpoint_that_cannot_be_is_refused(models: ModelServer, secrets: Secrets) -> None:
    with pytest.raises(ModelNameRefused, match="an endpoint is an http or https URL"):
        embedder_named("odd:model@384", settings_for(models, model_endpoints="odd=ftp://host"), None, secrets)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"model_endpoints": "http://127.0.0.1:1/v1"}, "LOREBASE_MODEL_ENDPOINTS holds name=URL"),
        ({"model_endpoints": "tei=http://127.0.0.1:1, Jina=http://127.0.0.1:2"}, "part 2 of it"),
        ({"model_keys": "canary-key"}, "LOREBASE_MODEL_KEYS holds name=key"),
        ({"model_keys": "openai="}, "LOREBASE_MODEL_KEYS holds name=key"),
    ],
)
def test_pairs_that_are_none_are_refused_and_not_repeated(
    models: ModelServer, secrets: Secrets, given: dict[str, str], said: str
) -> None:
    with pytest.raises(ModelNameRefused, match=said) as refused:
        embedder_named("openai:some-model@384", settings_for(models, **given), None, secrets)
    assert "canary" not in str(refused.value)


@pytest.mark.parametrize("spec", ["openai:gpt-4.1-mini", "bedrock:eu.amazon.nova-lite-v1:0"])
def test_a_language_model_is_named_and_works(
    models: ModelServer, secrets: Secrets, clients: Clients, spec: str
) -> None:
    model = language_model_named(spec, settings_for(models), clients, secrets)
    assert model is not None
    assert model.name == spec.replace(":", "/", 1)
    schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    assert model.complete(instructions="Do.", prompt="x", schema=schema, output_tokens=9, seconds=5).value == {"a": "a"}


@pytest.mark.parametrize("spec", ["openai:rerank-v3.5", "bedrock:cohere.rerank-v3-5:0"])
def test_a_reranker_is_named_and_works(models: ModelServer, secrets: Secrets, clients: Clients, spec: str) -> None:
    reranker = reranker_named(spec, settings_for(models), clients, secrets)
    assert reranker is not None
    assert reranker.name == spec.replace(":", "/", 1)
    assert reranker.rank("tax", ["tax", "sun"], seconds=5).scores == [1.0, 0.0]


def test_a_folder_with_a_cross_encoder_is_a_reranker(models: ModelServer, secrets: Secrets, tmp_path: Path) -> None:
    folder = tmp_path / "my reranker"
    with pytest.raises(ModelNameRefused, match="no folder"):
        reranker_named(f"folder:{folder}", settings_for(models), None, secrets)
    folder.mkdir()
    reranker = reranker_named(f"folder:{folder}", settings_for(models), None, secrets)
    assert reranker is not None
    assert reranker.name == "local/my reranker"
    with pytest.raises(RerankerUnavailable):
        reranker.rank("tax", ["tax"], seconds=5)


def test_none_is_none_and_only_embedders_have_dimensions(models: ModelServer, secrets: Secrets) -> None:
    settings = settings_for(models)
    assert language_model_named("none", settings, None, secrets) is None
    assert reranker_named("none", settings, None, secrets) is None
    for named in (language_model_named, reranker_named):
        with pytest.raises(ModelNameRefused, match="only embedders"):
            named("openai:gpt-4.1-mini@384", settings, None, secrets)


def test_a_key_is_the_setting_or_the_secret_of_its_provider(models: ModelServer, secrets: Secrets) -> None:
    settings = settings_for(models, model_keys=f"openai={KEY}=,other=x")
    secrets.write("model-key-tei", "canary-key-of-tei")
    for provider in ("openai", "tei"):
        embedder_named(f"{provider}:some-model@384", settings, None, secrets).embed_query("tax")
    sent = [asked.headers["authorization"] for asked in models.asked]
    assert sent == [f"Bearer {KEY}=", "Bearer canary-key-of-tei"]
    assert KEY not in repr(settings)


def test_open_models_get_the_prompts_that_they_were_trained_with(models: ModelServer, secrets: Secrets) -> None:
    embedder = embedder_named("tei:intfloat/multilingual-e5-small@384", settings_for(models), None, secrets)
    embedder.embed_passages(["tax"])
    embedder.embed_query("tax")
    assert models.texts_asked() == [["passage: tax"], ["query: tax"]]


def test_bedrock_is_asked_in_the_region_that_was_named(models: ModelServer, secrets: Secrets, clients: Clients) -> None:
    settings = settings_for(models, bedrock_region="us-west-2")
    embedder_named("bedrock:amazon.titan-embed-text-v2:0", settings, clients, secrets).embed_query("tax")
    assert "/us-west-2/bedrock/aws4_request" in models.asked[0].headers["authorization"]


@pytest.mark.parametrize(
    ("given", "answer"),
    [
        ({}, False),
        ({"embedders": ["openai:m@384"]}, False),
        ({"embedders": ["openai:m@384", "bedrock:amazon.titan-embed-text-v2:0"]}, True),
        ({"reranker": "bedrock:cohere.rerank-v3-5:0"}, True),
    ],
)
def test_credentials_of_aws_are_needed_for_bedrock_alone(given: dict[str, object], answer: bool) -> None:  # noqa: FBT001
    assert needs_aws(Settings.model_validate(given)) is answer


@pytest.mark.parametrize("given", [{"embedders": ["model"]}, {"language_model": "gpt"}, {"reranker": "Open AI:m"}])
def test_what_names_no_model_is_refused_at_the_start(given: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="provider:model"):
        Settings.model_validate(given)


def test_embedders_of_providers_are_offered_after_the_own_one(models: ModelServer, secrets: Secrets) -> None:
    remote = ["openai:text-embedding-3-small@512", "tei:some-model@384"]
    spaces = [f"{spec.replace(':', '/').replace('@', '/')}" for spec in remote]
    alone = _embedders_of(settings_for(models, embedder="none", embedders=remote), None, secrets)
    assert [embedder.space for embedder in alone] == spaces
    beside = _embedders_of(settings_for(models, embedder="local", embedders=remote), None, secrets)
    assert [embedder.space for embedder in beside][-2:] == spaces
    assert len(beside) > 2


@pytest.mark.parametrize("provider", ["openai", "bedrock"])
@pytest.mark.parametrize("kind", ["passages", "question", "language model", "reranker"])
def test_who_asks_after_a_model_that_named_a_wait_is_told_so_without_a_call(
    *, models: ModelServer, secrets: Secrets, clients: Clients, provider: str, kind: str
) -> None:
    models.change = lambda _: Reply({}, 429, {"Retry-After": "90", "x-amzn-ErrorType": "ThrottlingException"})
    call = _call_of(kind, provider, settings_for(models), clients, secrets)
    with pytest.raises(Unavailable) as first:
        call("tax")
    asked = len(models.asked)
    with pytest.raises(type(first.value)) as second:
        call("cat")
    assert first.value.waits_until is None
    assert second.value.waits_until is not None
    assert second.value.detail == first.value.detail
    assert 80 < float(str(second.value.members["retry_after"])) <= 90
    assert asked == len(models.asked) == 1


def _call_of(
    kind: str, provider: str, settings: Settings, clients: Clients, secrets: Secrets
) -> Callable[[str], object]:
    if kind == "language model":
        model = language_model_named(f"{provider}:amazon.nova-lite-v1:0", settings, clients, secrets)
        assert model is not None
        return lambda text: model.complete(instructions="", prompt=text, schema={}, output_tokens=9, seconds=9)
    if kind == "reranker":
        reranker = reranker_named(f"{provider}:cohere.rerank-v3-5:0", settings, clients, secrets)
        assert reranker is not None
        return lambda text: reranker.rank(text, [text], seconds=9)
    embedder = embedder_named(f"{provider}:amazon.titan-embed-text-v2:0@256", settings, clients, secrets)
    return embedder.embed_query if kind == "question" else lambda text: embedder.embed_passages([text])
