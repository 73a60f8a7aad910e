"""The models that can be deployed are those that are known, under the same names everywhere."""

import re
from typing import get_args

import pytest

from chalicelib.platform.embedding_models import MODELS_BY_NAME, PAIR, EmbeddingModel
from chalicelib.platform.local.embedder import DEFAULT_MODEL, PAIRED, ModelName
from chalicelib.platform.local.model.catalogue import FETCHED_BY_NAME
from chalicelib.settings import Settings
from infra.configuration import Deployment


def test_settings_deployments_and_models_have_the_same_names() -> None:
    names = set(MODELS_BY_NAME)
    assert set(get_args(Settings.model_fields["embed_model"].annotation)) == names
    assert set(get_args(Deployment.model_fields["model"].annotation)) == names
    engines = get_args(Settings.model_fields["embed_engine"].annotation)
    assert get_args(Deployment.model_fields["engine"].annotation) == engines


@pytest.mark.parametrize("model", MODELS_BY_NAME.values(), ids=lambda model: model.name)
def test_every_model_is_pinned_by_revision_and_hashes(model: EmbeddingModel) -> None:
    assert re.fullmatch(r"[0-9a-f]{40}", model.revision)
    assert set(model.sha256_by_file) == {"model.safetensors", "tokenizer.json"}
    assert all(re.fullmatch(r"[0-9a-f]{64}", sha256) for sha256 in model.sha256_by_file.values())
    assert model.space == f"{model.name}/{model.dimensions}"
    assert model.repository.endswith(f"/{model.name}")


def test_settings_and_deployments_have_the_same_defaults() -> None:
    assert Settings.model_fields["local_model"].default == DEFAULT_MODEL == PAIR
    assert Settings.model_fields["embed_model"].default == Deployment.model_fields["model"].default


def test_every_model_that_a_laptop_fetches_can_be_named_by_its_setting() -> None:
    assert get_args(Settings.model_fields["local_model"].annotation) == (PAIR, *FETCHED_BY_NAME)
    assert get_args(ModelName) == (PAIR, *FETCHED_BY_NAME)
    assert set(PAIRED) == set(FETCHED_BY_NAME)
    assert all(model.published == MODELS_BY_NAME[name] for name, model in FETCHED_BY_NAME.items())
