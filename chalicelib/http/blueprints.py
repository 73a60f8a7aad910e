"""Puts the declared routes on Chalice blueprints, one a resource."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import Any

from chalice.app import Blueprint, Request, Response

from chalicelib.http import (
    activity,
    api_keys,
    citations,
    contexts,
    embedding,
    environments,
    explain,
    folder_moves,
    folders,
    health,
    identity_providers,
    invitations,
    item_access,
    item_history,
    item_listing,
    items,
    jobs,
    knowledge_base_access,
    knowledge_bases,
    me,
    members,
    organizations,
    reindexing,
    search,
    status,
    teams,
    trash,
    tree,
    uploads,
    usage,
    user_identities,
    workspaces,
)
from chalicelib.http.edge import Reply, reply_to, reply_to_preflight
from chalicelib.http.gateway import refuse_request
from chalicelib.http.openapi import openapi_routes
from chalicelib.http.requests import RawRequest
from chalicelib.http.routing import Route, Routes


def all_routes() -> Sequence[Route]:
    """Return every declared route."""
    return [route for resource in RESOURCES for route in resource.routes]


RESOURCES: Sequence[Routes] = (
    health.routes,
    openapi_routes(all_routes),
    me.routes,
    organizations.routes,
    members.routes,
    teams.routes,
    environments.routes,
    embedding.routes,
    invitations.routes,
    api_keys.routes,
    identity_providers.routes,
    user_identities.routes,
    workspaces.routes,
    items.routes,
    item_listing.routes,
    item_history.routes,
    trash.routes,
    item_access.routes,
    folders.routes,
    explain.routes,
    folder_moves.routes,
    uploads.routes,
    tree.routes,
    usage.routes,
    knowledge_bases.routes,
    knowledge_base_access.routes,
    search.routes,
    contexts.routes,
    citations.routes,
    jobs.routes,
    reindexing.routes,
    activity.routes,
    status.routes,
)

# Chalice keeps the current request on the app, where threads of the local server overwrite each other's;
# its middleware is given the right one.
_current_request: ContextVar[Request] = ContextVar("current_request")


def blueprints() -> Sequence[Blueprint]:
    """Return what app.py registers."""
    return [_edge_blueprint(), *(_blueprint(resource) for resource in RESOURCES)]


def _edge_blueprint() -> Blueprint:
    blueprint = Blueprint("chalicelib.http.blueprints")
    methods_by_path: dict[str, list[str]] = defaultdict(list)
    for route in all_routes():
        methods_by_path[route.path].extend(_methods(route))

    def receive(request: Request, get_response: Callable[[Request], Response]) -> Response:
        methods = [*methods_by_path.get(request.path, ()), "OPTIONS"]
        if request.method not in methods:
            return _response(refuse_request(405, dict(request.headers), allow=methods))
        _current_request.set(request)
        return get_response(request)

    blueprint.register_middleware(receive, event_type="http")
    for path, methods in methods_by_path.items():
        blueprint.route(path, methods=["OPTIONS"], name=f"preflight_{path}", content_types=["*/*"], cors=None)(
            _preflight_view([*methods, "OPTIONS"])
        )
    return blueprint


def _blueprint(resource: Routes) -> Blueprint:
    blueprint = Blueprint(f"chalicelib.http.{resource.resource}")
    for route in resource.routes:
        blueprint.route(route.path, methods=list(_methods(route)), name=route.name, content_types=["*/*"], cors=None)(
            _view(route)
        )
    return blueprint


def _methods(route: Route) -> Sequence[str]:
    # API Gateway knows only the methods that it is told; RFC 9110 wants HEAD wherever there is GET.
    return ("GET", "HEAD") if route.method == "GET" else (route.method,)


def _view(route: Route) -> Callable[..., Response]:
    def view(**path_values: str) -> Response:
        request = _current_request.get()
        body = request.raw_body
        raw = RawRequest(
            method=route.method,
            pattern=route.path,
            path_values=path_values,
            query_values=_query_values(request),
            headers=_headers(request),
            body=body.encode() if isinstance(body, str) else body,
            base_path=_base_path(request),
        )
        return _response(reply_to(route, raw))

    view.__name__ = route.name
    return view


def _preflight_view(methods: Sequence[str]) -> Callable[..., Response]:
    def preflight(**_path_values: str) -> Response:
        return _response(reply_to_preflight(methods, dict(_current_request.get().headers)))

    return preflight


def _headers(request: Request) -> dict[str, str]:
    # Where the client names its request in no way, it goes by the name that API Gateway logs it under.
    named = request.context.get("requestId")
    return {**({"x-request-id": named} if named else {}), **request.headers}


def _base_path(request: Request) -> str:
    """Return what API Gateway has before the route: its stage, or nothing under a domain of one's own."""
    path = str(request.context.get("path", ""))
    before = path.count("/") - request.path.count("/")
    return "/".join(path.split("/")[: before + 1]) if before > 0 else ""


def _query_values(request: Request) -> dict[str, Sequence[str]]:
    # Indexing Chalice's mapping gives the last value alone.
    parameters: Any = request.query_params
    return {} if parameters is None else {name: parameters.getlist(name) for name in parameters}


def _response(reply: Reply) -> Response:
    return Response(body=reply.body, headers=dict(reply.headers), status_code=reply.status)
