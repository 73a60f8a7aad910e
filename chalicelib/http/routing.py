"""Declares routes: what a route takes and answers is said once, and both the edge and the OpenAPI document read it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from chalicelib.bootstrap import Application
from chalicelib.database.transaction import Transaction
from chalicelib.errors import LorebaseError
from chalicelib.identity.model import OrganizationId, Principal, WorkspaceId
from chalicelib.telemetry.metric_names import Metric

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]

JSON = "application/json"
JSON_LINES = "application/x-ndjson"

NIL = UUID(int=0)
"""Stands for an id that cannot be one. No row has it, so what is malformed answers like what is absent."""


class Query(BaseModel):
    """Query parameters; unknown ones are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Body(BaseModel):
    """A JSON body; unknown fields are refused, and values are not converted from other types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)


class Resource(BaseModel):
    """What a route answers, made from the attributes of the domain's own objects."""

    model_config = ConfigDict(from_attributes=True, extra="forbid", defer_build=True)


class NoQuery(Query):
    """No query parameters."""


class NoBody(Body):
    """No body, or an empty object."""


QueryT = TypeVar("QueryT", bound=Query)
BodyT = TypeVar("BodyT", bound=Body)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a handler answers. `headers` are added to those of every answer, `measured` to the metrics once committed.

    `lines` are answered instead of a body, one JSON document a line, by a route whose media type is JSON_LINES.
    `about` is the id of the thing that a route with `show_again` made or changed, None where it did nothing.
    """

    status: int = 200
    body: BaseModel | Mapping[str, Any] | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    about: UUID | None = None
    measured: Mapping[Metric, float] = field(default_factory=dict)
    lines: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class Call(Generic[QueryT, BodyT]):
    """One request, authenticated and validated, in most routes inside its transaction."""

    application: Application
    route: "Route"
    principal: Principal
    transaction: Transaction | None
    ids: Mapping[str, UUID]
    query: QueryT
    body: BodyT
    raw: bytes
    headers: Mapping[str, str]
    request_id: str

    @property
    def tx(self) -> Transaction:
        """The transaction of the request. Routes outside of one have none."""
        if self.transaction is None:
            raise LookupError(f"{self.route.name} runs outside of a transaction")
        return self.transaction

    @property
    def organization_id(self) -> OrganizationId:
        """The organization that the path names."""
        return OrganizationId(self.ids["organization_id"])

    @property
    def workspace_id(self) -> WorkspaceId:
        """The workspace that the path names."""
        return WorkspaceId(self.ids["workspace_id"])


@dataclass(frozen=True, slots=True)
class AnonymousCall(Generic[BodyT]):
    """A request to a route that asks nobody who they are; those that change something are in a transaction."""

    application: Application
    request_id: str
    body: BodyT
    base_path: str = ""
    transaction: Transaction | None = None

    @property
    def tx(self) -> Transaction:
        """The transaction of the request. Routes outside of one have none."""
        if self.transaction is None:
            raise LookupError("the route runs outside of a transaction")
        return self.transaction


Handler = Callable[[Call[QueryT, BodyT]], Answer]
AnonymousHandler = Callable[[AnonymousCall[BodyT]], Answer]
ShowAgain = Callable[[Call[Any, Any], UUID], Answer]
"""Shows the thing of this id as the caller may see it now, in the form of the route's own answer."""


@dataclass(frozen=True, slots=True)
class Route:
    """Everything that is known of one method on one path.

    `answers` maps statuses below 400 to the model of the body, None for an empty one. `conditional` names
    the headers If-Match or If-None-Match where the route heeds them. `show_again` answers a repeated
    request; None where the answer holds a secret, which is stored nowhere and so cannot be shown again.
    `is_transaction` is False where the use case opens transactions of its own, and must not hold a
    connection while it waits for others. `media_type` is that of its answers below 400; of JSON_LINES, the model in
    `answers` is that of one line.
    """

    method: Method
    path: str
    handler: Callable[[Call[Any, Any]], Answer] | None
    anonymous_handler: Callable[[AnonymousCall[Any]], Answer] | None
    query: type[Query]
    body: type[Body]
    takes_bytes: bool
    answers: Mapping[int, type[BaseModel] | None]
    problems: Sequence[type[LorebaseError]]
    conditional: Sequence[str]
    show_again: ShowAgain | None
    is_safe: bool
    is_transaction: bool
    media_type: str = JSON

    @property
    def name(self) -> str:
        """The operation's name, unique in the API."""
        handler = self.handler or self.anonymous_handler
        return getattr(handler, "__name__", "")

    @property
    def summary(self) -> str:
        """The first line of the handler's docstring."""
        handler = self.handler or self.anonymous_handler
        return (getattr(handler, "__doc__", None) or self.name).strip().splitlines()[0].rstrip(".")

    @property
    def is_idempotent_by_key(self) -> bool:
        """Whether the route heeds Idempotency-Key: each POST that changes something for somebody who is known."""
        return self.method == "POST" and not self.is_safe and self.anonymous_handler is None


class Routes:
    """The routes of one resource, in the order of their declaration."""

    def __init__(self, resource: str) -> None:
        self.resource = resource
        self.routes: list[Route] = []

    def on(
        self,
        method: Method,
        path: str,
        *,
        query: type[QueryT],
        body: type[BodyT],
        answers: Mapping[int, type[BaseModel] | None],
        problems: Sequence[type[LorebaseError]] = (),
        conditional: Sequence[str] = (),
        takes_bytes: bool = False,
        show_again: ShowAgain | None = None,
        is_safe: bool = False,
        is_transaction: bool = True,
        media_type: str = JSON,
    ) -> Callable[[Handler[QueryT, BodyT]], Handler[QueryT, BodyT]]:
        """Declare the decorated function as the handler of a route that asks who calls."""

        def declare(handler: Handler[QueryT, BodyT]) -> Handler[QueryT, BodyT]:
            self.routes.append(
                Route(
                    method=method,
                    path=path,
                    handler=handler,
                    anonymous_handler=None,
                    query=query,
                    body=body,
                    takes_bytes=takes_bytes,
                    answers=answers,
                    problems=problems,
                    conditional=conditional,
                    show_again=show_again,
                    is_safe=is_safe or method == "GET",
                    is_transaction=is_transaction,
                    media_type=media_type,
                )
            )
            return handler

        return declare

    def for_anyone(
        self,
        method: Method,
        path: str,
        *,
        body: type[BodyT],
        answers: Mapping[int, type[BaseModel] | None],
        problems: Sequence[type[LorebaseError]] = (),
    ) -> Callable[[AnonymousHandler[BodyT]], AnonymousHandler[BodyT]]:
        """Declare the decorated function as the handler of a route that needs no credential."""

        def declare(handler: AnonymousHandler[BodyT]) -> AnonymousHandler[BodyT]:
            self.routes.append(
                Route(
                    method=method,
                    path=path,
                    handler=None,
                    anonymous_handler=handler,
                    query=NoQuery,
                    body=body,
                    takes_bytes=False,
                    answers=answers,
                    problems=problems,
                    conditional=(),
                    show_again=None,
                    is_safe=method == "GET",
                    is_transaction=method != "GET",
                )
            )
            return handler

        return declare
