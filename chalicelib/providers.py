"""Models by the names that settings give them, wired to their providers: `provider:model`, for embedders `@dimensions`.

`bedrock` is Amazon Bedrock; any other provider is an endpoint that speaks OpenAI's protocol. Each model has a breaker.
"""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from chalicelib.platform.breaker import Breaker
from chalicelib.platform.errors import ModelNameRefused
from chalicelib.platform.ports import Embedder, LanguageModel, Reranker, Secrets
from chalicelib.settings import Settings

if TYPE_CHECKING:
    from chalicelib.platform.aws.bedrock_api import BedrockApi
    from chalicelib.platform.aws.clients import Clients
    from chalicelib.platform.openai_compatible.api import OpenAiApi

BEDROCK = "bedrock"
_FOLDER = "folder:"
_PARTS = re.compile(r"(?P<provider>[a-z][a-z0-9-]*):(?P<model>\S+?)(?:@(?P<dimensions>\d+))?")
_PAIR = re.compile(r"[a-z][a-z0-9-]*=\S+")
_ENDPOINTS: Mapping[str, str] = {"openai": "https://api.openai.com/v1"}
# Most first: these can be asked for fewer (platform.openai.com/docs/guides/embeddings).
_MOST_DIMENSIONS = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072, "text-embedding-ada-002": 1536}
# Above it no vector of PostgreSQL has an index (github.com/pgvector/pgvector, halfvec).
_MOST_INDEXED = 4000


def embedder_named(spec: str, settings: Settings, clients: "Clients | None", secrets: Secrets) -> Embedder:
    """Return the embedder of `provider:model@dimensions`; its space is `provider/model/dimensions`.

    Nothing is asked for yet. Raises ModelNameRefused.
    """
    from chalicelib.platform.embedding_batches import BatchingEmbedder, Deadlines  # noqa: PLC0415 - numpy
    from chalicelib.platform.guarded_models import GuardedEmbedder  # noqa: PLC0415 - as above

    provider, model, given = _parts(spec)
    if provider == BEDROCK:
        from chalicelib.platform.aws.bedrock_embedder import MODELS, bedrock_call, family_of  # noqa: PLC0415 - botocore

        family = family_of(model)
        if family is None:
            raise ModelNameRefused(f"Of Bedrock, {', '.join(MODELS)} embed here, and not {model}.", model=spec)
        dimensions = family.dimensions[0] if given is None else given
        if dimensions not in family.dimensions:
            raise ModelNameRefused(
                f"{model} has {_listed(family.dimensions)} dimensions, not {dimensions}.", model=spec
            )
        call = bedrock_call(_bedrock(settings, clients), model, dimensions=dimensions)
        limits, languages = family.limits, family.languages
    else:
        from chalicelib.platform.embedding_prompts import prompts_of  # noqa: PLC0415 - as above
        from chalicelib.platform.openai_compatible.embedder import LIMITS, OpenAiEmbeddings  # noqa: PLC0415 - as above

        dimensions = _open_dimensions(spec, model, given)
        api = _openai(provider, settings, secrets)
        call = OpenAiEmbeddings(api, model, dimensions=dimensions, prompts=prompts_of(model))
        limits, languages = LIMITS, None
    space = f"{provider}/{model}/{dimensions}"
    # A job renews its lease between batches of passages.
    deadlines = Deadlines(passages=0.75 * settings.job_lease_seconds, query=settings.lane_seconds)
    embedder = BatchingEmbedder(
        call, limits, space=space, dimensions=dimensions, languages=languages, deadlines=deadlines
    )
    return GuardedEmbedder(embedder, Breaker(), deadlines=deadlines)


def language_model_named(
    spec: str, settings: Settings, clients: "Clients | None", secrets: Secrets
) -> LanguageModel | None:
    """Return the language model of `provider:model`, None for `none`. Raises ModelNameRefused."""
    if spec == "none":
        return None
    from chalicelib.platform.guarded_models import GuardedLanguageModel  # noqa: PLC0415 - for who has one alone

    provider, model = _without_dimensions(spec)
    if provider == BEDROCK:
        from chalicelib.platform.aws.bedrock_language_model import BedrockLanguageModel  # noqa: PLC0415 - botocore

        asked: LanguageModel = BedrockLanguageModel(_bedrock(settings, clients), model, name=f"{provider}/{model}")
    else:
        from chalicelib.platform.openai_compatible.language_model import OpenAiLanguageModel  # noqa: PLC0415 - as above

        asked = OpenAiLanguageModel(_openai(provider, settings, secrets), model, name=f"{provider}/{model}")
    return GuardedLanguageModel(asked, Breaker())


def reranker_named(spec: str, settings: Settings, clients: "Clients | None", secrets: Secrets) -> Reranker | None:
    """Return the reranker of `provider:model`, or of `folder:PATH` with a cross-encoder in it; None for `none`.

    Raises ModelNameRefused.
    """
    if spec == "none":
        return None
    if spec.startswith(_FOLDER):
        from chalicelib.platform.local.reranker import LocalReranker  # noqa: PLC0415 - for who has one alone

        folder = Path(spec.removeprefix(_FOLDER)).expanduser()
        if not folder.is_dir():
            raise ModelNameRefused(f"There is no folder {folder} for the reranker.", model=spec)
        return LocalReranker(folder)
    from chalicelib.platform.guarded_models import GuardedReranker  # noqa: PLC0415 - for who has one alone

    provider, model = _without_dimensions(spec)
    if provider == BEDROCK:
        from chalicelib.platform.aws.bedrock_reranker import BedrockReranker  # noqa: PLC0415 - botocore

        asked: Reranker = BedrockReranker(_bedrock(settings, clients), model, name=f"{provider}/{model}")
    else:
        from chalicelib.platform.openai_compatible.reranker import OpenAiReranker  # noqa: PLC0415 - as above

        asked = OpenAiReranker(_openai(provider, settings, secrets), model, name=f"{provider}/{model}")
    return GuardedReranker(asked, Breaker())


def needs_aws(settings: Settings) -> bool:
    """Tell whether a model is Bedrock's, so that credentials of AWS are needed."""
    named = (*settings.embedders, settings.language_model, settings.reranker)
    return any(spec.startswith(f"{BEDROCK}:") for spec in named)


def _parts(spec: str) -> tuple[str, str, int | None]:
    found = _PARTS.fullmatch(spec)
    if found is None:
        raise ModelNameRefused(f"{spec} is no provider:model or provider:model@dimensions.", model=spec)
    given = found["dimensions"]
    return found["provider"], found["model"], None if given is None else int(given)


def _without_dimensions(spec: str) -> tuple[str, str]:
    provider, model, dimensions = _parts(spec)
    if dimensions is not None:
        raise ModelNameRefused(f"{spec} has no dimensions; only embedders have.", model=spec)
    return provider, model


def _open_dimensions(spec: str, model: str, given: int | None) -> int:
    most = _MOST_DIMENSIONS.get(model)
    dimensions = most if given is None else given
    if dimensions is None:
        raise ModelNameRefused(f"How many dimensions has {model}? Name them: {spec}@1024.", model=spec)
    if not 1 <= dimensions <= (most or _MOST_INDEXED):
        raise ModelNameRefused(f"{model} has at most {most or _MOST_INDEXED} dimensions, not {dimensions}.", model=spec)
    return dimensions


def _bedrock(settings: Settings, clients: "Clients | None") -> "BedrockApi":
    from chalicelib.platform.aws.bedrock_api import BedrockApi  # noqa: PLC0415 - botocore
    from chalicelib.platform.aws.clients import Clients  # noqa: PLC0415 - boto3

    known = clients or Clients(endpoint_url=settings.aws_endpoint_url)
    region = settings.bedrock_region or known.region
    if not region:
        raise ModelNameRefused("Which region's Bedrock? Set LOREBASE_BEDROCK_REGION.")
    return BedrockApi(
        known.credentials, region=region, url=settings.aws_endpoint_url, is_dual_stack=known.uses_dual_stack
    )


def _openai(provider: str, settings: Settings, secrets: Secrets) -> "OpenAiApi":
    from chalicelib.platform.json_endpoint import JsonEndpoint  # noqa: PLC0415 - for who has one alone
    from chalicelib.platform.openai_compatible.api import OpenAiApi  # noqa: PLC0415 - as above

    urls = {**_ENDPOINTS, **_pairs(settings.model_endpoints, "LOREBASE_MODEL_ENDPOINTS", "URL")}
    if provider not in urls:
        known = _listed([BEDROCK, *urls])
        raise ModelNameRefused(f"{provider} is no provider: there are {known}. Set LOREBASE_MODEL_ENDPOINTS for more.")
    try:
        endpoint = JsonEndpoint(urls[provider])
    except ValueError as error:
        raise ModelNameRefused(f"The endpoint {provider} cannot be used: {error}.") from error
    return OpenAiApi(endpoint, _key_of(provider, settings, secrets))


def _key_of(provider: str, settings: Settings, secrets: Secrets) -> Callable[[], str | None]:
    given = _pairs(settings.model_keys, "LOREBASE_MODEL_KEYS", "key").get(provider)
    return (lambda: given) if given else (lambda: secrets.read(f"model-key-{provider}"))


def _pairs(text: str, setting: str, value: str) -> Mapping[str, str]:
    """Read `name=value` pairs between commas or blanks. Raises ModelNameRefused, without the text: it may be a key."""
    pairs = [pair for pair in re.split(r"[,\s]+", text) if pair]
    for place, pair in enumerate(pairs, start=1):
        if not _PAIR.fullmatch(pair):
            raise ModelNameRefused(f"{setting} holds name={value}, with commas between; part {place} of it is none.")
    return dict(pair.split("=", 1) for pair in pairs)


def _listed(things: object) -> str:
    return ", ".join(map(str, things)) if isinstance(things, list | tuple) else str(things)
