"""Serves the OpenAPI document."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import ConfigDict

from chalicelib.http.health import lorebase_version
from chalicelib.http.openapi_document import build_document
from chalicelib.http.routing import AnonymousCall, Answer, NoBody, Resource, Route, Routes


class OpenApiDocument(Resource):
    """An OpenAPI 3.1 document."""

    model_config = ConfigDict(extra="allow")


def openapi_routes(all_routes: Callable[[], Sequence[Route]]) -> Routes:
    """Return the route of the document, which describes `all_routes` including itself."""
    routes = Routes("openapi")

    @cache
    def document() -> str:
        return json.dumps(build_document(all_routes(), version=lorebase_version()), ensure_ascii=False)

    @routes.for_anyone("GET", "/v1/openapi.json", body=NoBody, answers={200: OpenApiDocument})
    def show_openapi(call: AnonymousCall[NoBody]) -> Answer:
        """Describe the API as OpenAPI 3.1."""
        parsed: Mapping[str, Any] = json.loads(document())
        return Answer(body={**parsed, "servers": [{"url": call.base_path or "/"}]})

    return routes
