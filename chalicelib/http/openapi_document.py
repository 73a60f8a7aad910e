"""Generates the OpenAPI 3.1 document from the declared routes (https://spec.openapis.org/oas/v3.1.0)."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from chalicelib.database.errors import TextRefused
from chalicelib.errors import LorebaseError
from chalicelib.http.errors import (
    AnswerNotKept,
    AnswerTooLarge,
    IdempotencyKeyReused,
    InternalError,
    InvalidBody,
    InvalidHeader,
    InvalidQuery,
    MalformedJson,
    RequestInProgress,
    RequestTooLarge,
    UnsupportedContentType,
)
from chalicelib.http.problems import CONTENT_TYPE, Problem, type_of
from chalicelib.http.routing import JSON_LINES, NoBody, NoQuery, Route
from chalicelib.identity.errors import ActingRefused, Unauthenticated

Document = dict[str, Any]
References = Mapping[Any, Document]

_PATH_NAME = re.compile(r"{(\w+)}")
_HEADERS: Mapping[str, str] = {
    "If-Match": "The ETag of the revision that the change is meant for; another one answers 412.",
    "If-None-Match": "The ETag that the client has; if it is still right, the answer is 304.",
    "Idempotency-Key": "Any text of the client's own. The same request under the same key is done once in 24 hours.",
    "X-On-Behalf-Of": "The id of a member, for agents and services: the request does and sees no more than both may.",
    "X-Simulate-As": "The id of a member, for admins: answer what both may see. Nothing is changed this way.",
    "X-Request-Id": "An id for this request, which comes back and stands in the logs.",
}

_UNAVAILABLE: Document = {
    "description": "Something needed is out of reach for the moment; try again after Retry-After seconds.",
    "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


def build_document(routes: Sequence[Route], *, version: str) -> Document:
    """Return the document of these routes."""
    schemas, references = _schemas(routes)
    paths: dict[str, Document] = defaultdict(dict)
    for route in routes:
        paths[route.path][route.method.lower()] = _operation(route, schemas, references)
    queries = {route.query.__name__ for route in routes}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Lorebase",
            "version": version,
            "description": "The knowledge base that a team's people and AI agents share.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "security": [{"api_key": []}],
        "paths": dict(paths),
        "components": {
            "securitySchemes": {"api_key": {"type": "http", "scheme": "bearer", "bearerFormat": "lb_… or JWT"}},
            "schemas": {name: schema for name, schema in schemas.items() if name not in queries},
        },
    }


def problems_of(route: Route) -> Sequence[type[LorebaseError]]:
    """Return every kind of problem that a route may answer, its own and those of its form."""
    problems: list[type[LorebaseError]] = [*route.problems, InvalidQuery, AnswerTooLarge, InternalError]
    if route.anonymous_handler is None:
        problems += [Unauthenticated, ActingRefused]
    if route.anonymous_handler is None or not route.is_safe:
        problems.append(TextRefused)
    if route.conditional:
        problems.append(InvalidHeader)
    if route.takes_bytes or route.method != "GET":
        problems += [RequestTooLarge, UnsupportedContentType]
    if route.method != "GET" and not route.takes_bytes:
        problems += [MalformedJson, InvalidBody]
    if route.is_idempotent_by_key:
        problems += [RequestInProgress, IdempotencyKeyReused, InvalidHeader]
        if route.show_again is None:
            problems.append(AnswerNotKept)
    return list(dict.fromkeys(problems))


def _schemas(routes: Sequence[Route]) -> tuple[Document, References]:
    wanted: dict[tuple[type[BaseModel], JsonSchemaMode], None] = {(Problem, "serialization"): None}
    for route in routes:
        wanted[route.query, "validation"] = None
        if route.body is not NoBody:
            wanted[route.body, "validation"] = None
        for model in route.answers.values():
            if model is not None:
                wanted[model, "serialization"] = None
    references, definitions = models_json_schema(list(wanted), ref_template="#/components/schemas/{model}")
    schemas: Document = definitions["$defs"]
    return schemas, references


def _operation(route: Route, schemas: Document, references: References) -> Document:
    operation: Document = {
        "operationId": route.name,
        "summary": route.summary,
        "parameters": _parameters(route, schemas, references),
        "responses": {
            **{str(status): _answer(route, status, model, references) for status, model in route.answers.items()},
            **_problem_answers(route),
        },
    }
    if route.anonymous_handler is not None:
        operation["security"] = []
    if route.takes_bytes:
        operation["requestBody"] = {"required": True, "content": {"application/octet-stream": {"schema": {}}}}
    elif route.body is not NoBody:
        schema = references[route.body, "validation"]
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    return operation


def _parameters(route: Route, schemas: Document, references: References) -> list[Document]:
    parameters: list[Document] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "format": "uuid"}}
        for name in _PATH_NAME.findall(route.path)
    ]
    if route.query is not NoQuery:
        name = references[route.query, "validation"]["$ref"].rsplit("/", 1)[1]
        required = schemas[name].get("required", [])
        for parameter, schema in schemas[name].get("properties", {}).items():
            described = {key: value for key, value in schema.items() if key != "description"}
            entry: Document = {"name": parameter, "in": "query", "required": parameter in required, "schema": described}
            if "description" in schema:
                entry["description"] = schema["description"]
            parameters.append(entry)
    parameters.extend(
        {"name": header, "in": "header", "description": _HEADERS[header], "schema": {"type": "string"}}
        for header in _headers(route)
    )
    return parameters


def _headers(route: Route) -> Sequence[str]:
    headers = [*route.conditional, *(["Idempotency-Key"] if route.is_idempotent_by_key else []), "X-Request-Id"]
    if route.anonymous_handler is None:
        headers += ["X-On-Behalf-Of", *(["X-Simulate-As"] if route.is_safe else [])]
    return headers


def _answer(
    route: Route,
    status: int,
    model: type[BaseModel] | None,
    references: References,
) -> Document:
    answer: Document = {"description": (model.__doc__ or "").strip() if model else HTTPStatus(status).phrase}
    if model is not None:
        answer["content"] = {route.media_type: {"schema": references[model, "serialization"]}}
    names = ["X-Request-Id", *(["ETag"] if route.conditional else []), *(["Location"] if status in {201, 303} else [])]
    if route.media_type == JSON_LINES:
        names.append("Link")
    answer["headers"] = {name: {"schema": {"type": "string"}} for name in names}
    return answer


def _problem_answers(route: Route) -> Document:
    by_status: dict[int, list[type[LorebaseError]]] = defaultdict(list)
    for problem in problems_of(route):
        by_status[problem.status].append(problem)
    answers: Document = {
        str(status): {
            "description": " ".join(f"{problem.title()} (`{type_of(problem)}`)." for problem in problems),
            "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status, problems in by_status.items()
        if status not in route.answers
    }
    if 503 not in route.answers:
        answers["503"] = _UNAVAILABLE
    return answers
