"""The OpenAPI document says what the app does, and docs/http-api.md names it all."""

import importlib
import pkgutil
import re
from pathlib import Path

from openapi_spec_validator import OpenAPIV31SpecValidator

import chalicelib
from app import app
from chalicelib.errors import LorebaseError
from chalicelib.http.blueprints import all_routes
from chalicelib.http.gateway import GATEWAY_PROBLEMS
from chalicelib.http.openapi_document import build_document, problems_of
from chalicelib.http.problems import type_of
from chalicelib.platform.errors import OriginalNotFound, OriginalSizeMismatch, PresignedUrlRefused
from tests.fixtures.api import Api

DOCS = Path(__file__).resolve().parents[2] / "docs" / "http-api.md"


def test_the_served_document_is_valid_openapi_3_1(api: Api) -> None:
    served = api.call("GET", "/v1/openapi.json").json
    OpenAPIV31SpecValidator(served).validate()
    assert served["openapi"].startswith("3.1")


def test_every_route_of_the_app_is_in_the_document_and_the_other_way_round() -> None:
    served = {
        (path, method)
        for path, entries in app.routes.items()
        for method in entries
        if method not in {"HEAD", "OPTIONS"}
    }
    document = build_document(all_routes(), version="0")
    documented = {(path, method.upper()) for path, methods in document["paths"].items() for method in methods}
    assert served == documented


def test_every_path_answers_pre_flights_and_every_get_a_head() -> None:
    for path, entries in app.routes.items():
        assert "OPTIONS" in entries, path
        assert ("GET" in entries) == ("HEAD" in entries), path


def test_operations_have_names_of_their_own() -> None:
    names = [route.name for route in all_routes()]
    assert sorted(set(names)) == sorted(names)


def test_the_guide_names_every_route_and_no_other() -> None:
    named = set(re.findall(r"`(GET|POST|PUT|PATCH|DELETE) (/v1/[^`]*)`", DOCS.read_text(encoding="utf-8")))
    assert named == {(route.method, route.path) for route in all_routes()}


def test_the_guide_names_every_problem_that_a_route_or_the_gateway_answers() -> None:
    answered = {problem for route in all_routes() for problem in problems_of(route)}
    answered |= {leaf for leaf, _ in GATEWAY_PROBLEMS.values()} | unavailable()
    named = set(re.findall(r"`(urn:lorebase:problem:[a-z-]+)`", DOCS.read_text(encoding="utf-8")))
    assert {type_of(problem) for problem in answered} - named == set()
    assert named - {type_of(problem) for problem in every_leaf()} == set()


def unavailable() -> set[type[LorebaseError]]:
    """The problems of status 503 that any route may answer, and those of presigned URLs."""
    elsewhere = ("chalicelib.cli", "chalicelib.platform.local.postgres", "chalicelib.errors")
    leaves = {leaf for leaf in every_leaf() if not leaf.__module__.startswith(elsewhere)}
    of_presigned_urls = {PresignedUrlRefused, OriginalNotFound, OriginalSizeMismatch}
    return {leaf for leaf in leaves if leaf.status == 503} | of_presigned_urls


def every_leaf() -> set[type[LorebaseError]]:
    for module in pkgutil.walk_packages(chalicelib.__path__, "chalicelib."):
        if module.name.endswith(("errors", "job_handlers")) or ".http" in module.name or ".triggers" in module.name:
            importlib.import_module(module.name)
    found: set[type[LorebaseError]] = set()
    pending = [LorebaseError]
    while pending:
        leaf = pending.pop()
        if leaf.__module__.startswith("chalicelib"):
            found.add(leaf)
        pending += leaf.__subclasses__()
    return found
