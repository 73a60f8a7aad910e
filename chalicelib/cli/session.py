"""One run of the command: its client, its workspace and how it prints."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import TracebackType
from typing import Self
from uuid import UUID

import click
from pydantic import ValidationError
from pydantic_settings import SettingsError

from chalicelib.cli.client import Client, Json
from chalicelib.cli.errors import WorkspaceUnknown
from chalicelib.cli.printing import Printer
from chalicelib.cli.server_address import find_key, find_server
from chalicelib.settings import Settings, load_settings

_OWN_WORDS = "Value error, "
"""What pydantic puts before the words of a validator of ours."""


@dataclass
class Session:
    """What a subcommand works with."""

    client: Client
    printer: Printer
    settings: Settings
    workspace: str = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.client.close()

    @cached_property
    def me(self) -> Json:
        """Whoever asks, with its organization and workspaces."""
        return self.client.get("/v1/me")

    @cached_property
    def workspace_url(self) -> str:
        """The path of the workspace that the command works on. Raises WorkspaceUnknown."""
        return f"/v1/workspaces/{self._workspace_id()}"

    def say_workspace(self) -> None:
        """Tell people which workspace the command works on, be it named or the default."""
        self.printer.remark(f"Workspace: {self.workspace or self._first_workspace()['slug']}")

    @property
    def organization_url(self) -> str:
        """The path of the caller's organization."""
        return f"/v1/organizations/{self.me['organization']['id']}"

    @property
    def is_admin(self) -> bool:
        """Whether the caller may list the organization's members and teams: the server notes who tries in vain."""
        principal = self.me["principal"]
        return principal["organization_role"] == "admin" and "admin" in principal["scopes"]

    @property
    def may_grant(self) -> bool:
        """Whether the caller may say who reads what in the workspace."""
        workspace_id = self._workspace_id()
        roles = [workspace["role"] for workspace in self.me["workspaces"] if workspace["id"] == workspace_id]
        return roles == ["owner"] and "admin" in self.me["principal"]["scopes"]

    def find_workspace(self, named: str) -> Json:
        """Return the reachable workspace with this slug or id. Raises WorkspaceUnknown."""
        reachable: list[Json] = self.me["workspaces"]
        for workspace in reachable:
            if named in {workspace["slug"], workspace["id"]}:
                return workspace
        slugs = ", ".join(workspace["slug"] for workspace in reachable) or "none"
        raise WorkspaceUnknown(f"You can reach no workspace called {named}; those you can: {slugs}.", workspace=named)

    def name_of_workspace(self, workspace_id: str) -> str:
        """Return the slug of a workspace, or its id where the caller does not reach it."""
        reachable: list[Json] = self.me["workspaces"]
        slugs = {workspace["id"]: str(workspace["slug"]) for workspace in reachable}
        return slugs.get(workspace_id, workspace_id)

    def _workspace_id(self) -> str:
        if self.workspace:
            return (
                str(UUID(self.workspace)) if is_id(self.workspace) else str(self.find_workspace(self.workspace)["id"])
            )
        return str(self._first_workspace()["id"])

    def _first_workspace(self) -> Json:
        reachable: list[Json] = self.me["workspaces"]
        if not reachable:
            raise WorkspaceUnknown("You can reach no workspace; ask an owner of one to add you.")
        return reachable[0]


def open_session(
    *,
    endpoint: str | None,
    key: str | None,
    workspace: str | None,
    on_behalf_of: str | None = None,
    simulate_as: str | None = None,
    wants_json: bool,
) -> Session:
    """Find the server, and how to find the key. Raises click.UsageError for what makes no sense."""
    settings = read_settings()
    server = find_server(settings, endpoint=endpoint)
    acting = _acting_for(on_behalf_of=on_behalf_of, simulate_as=simulate_as)

    def session_of(headers: Mapping[str, str]) -> Session:
        return Session(
            client=Client(server.url, lambda: find_key(settings, server, key=key), headers=headers),
            printer=Printer(wants_json=wants_json),
            settings=settings,
            workspace=workspace or settings.workspace,
        )

    names = {header: member for header, member in acting.items() if not is_id(member)}
    if names:
        from chalicelib.cli.named import Named  # noqa: PLC0415  it names members by means of a session

        with session_of({}) as own:
            acting = {header: Named(own).member_id_of(name) for header, name in names.items()}
    return session_of(acting)


def _acting_for(**members: str | None) -> dict[str, str]:
    """Return the header that tells for whom one asks. One who did not arrive must not turn it into oneself."""
    given = {name: member for name, member in members.items() if member is not None}
    for name, member in given.items():
        if not member.strip():
            raise click.UsageError(f"--{name.replace('_', '-')} takes a member, by name, email address or id.")
    if len(given) > 1:
        raise click.UsageError("Give one of --on-behalf-of and --simulate-as, not both.")
    return {f"X-{name.replace('_', '-').title()}": member for name, member in given.items()}


def read_settings() -> Settings:
    """Read the settings. Raises click.UsageError for one that makes no sense."""
    try:
        return load_settings()
    except ValidationError as error:
        faults = "; ".join(
            ": ".join([*map(_variable_of, fault["loc"][:1]), fault["msg"].removeprefix(_OWN_WORDS)])
            for fault in error.errors()
        )
        raise click.UsageError(f"A setting is wrong: {faults}") from error
    except SettingsError as error:
        # A list that is no JSON; the message alone tells which field it is.
        named = re.search(r'field "(\w+)"', str(error))
        fault = f"{_variable_of(named[1])}: It must be JSON: {error.__cause__}" if named else str(error)
        raise click.UsageError(f"A setting is wrong: {fault}") from error


def _variable_of(field: int | str) -> str:
    return f"{Settings.model_config.get('env_prefix', '')}{field}".upper()


def is_id(text: str) -> bool:
    """Tell whether a text is the id of something."""
    try:
        UUID(text)
    except ValueError:
        return False
    return len(text) == 36
