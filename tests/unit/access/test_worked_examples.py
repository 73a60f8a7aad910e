"""Each row of the table in docs/access.md is worked out, for everybody that the page speaks of."""

import re
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

from chalicelib.access.audience import audience_of
from chalicelib.access.model import AudienceKind, Place
from chalicelib.access.tokens import organization_token, principal_token, team_token, workspace_token
from chalicelib.access.writing import can_read
from chalicelib.identity.model import (
    OrganizationId,
    OrganizationRole,
    Principal,
    PrincipalId,
    PrincipalKind,
    TeamId,
    WorkspaceId,
    WorkspaceRole,
)

PAGE = Path(__file__).resolve().parents[3] / "docs" / "access.md"
WORKSPACE, ORGANIZATION, LEGAL = WorkspaceId(UUID(int=1)), OrganizationId(UUID(int=2)), TeamId(UUID(int=3))


def member(
    number: int,
    role: WorkspaceRole | None,
    *,
    kind: PrincipalKind = PrincipalKind.USER,
    teams: frozenset[TeamId] = frozenset(),
    environment: str | None = None,
) -> Principal:
    return Principal(
        PrincipalId(UUID(int=number)),
        ORGANIZATION,
        kind,
        str(number),
        OrganizationRole.MEMBER,
        {WORKSPACE: role or WorkspaceRole.GUEST},
        frozenset(),
        team_ids=teams,
        environment=environment,
    )


PEOPLE = {
    "olga": member(10, WorkspaceRole.OWNER),
    "otto": member(17, WorkspaceRole.OWNER),
    "vera": member(11, WorkspaceRole.VIEWER),
    "ed": member(12, WorkspaceRole.EDITOR),
    "lea": member(13, None, teams=frozenset({LEGAL})),
    "gus": member(14, None),
    "bot": member(15, WorkspaceRole.VIEWER, kind=PrincipalKind.AGENT),
    "lab": member(16, WorkspaceRole.VIEWER, kind=PrincipalKind.AGENT, environment="lab"),
}


def rows() -> list[tuple[str, str, str]]:
    found = re.findall(r"^\| (\d\. [^|]*) \| ([^|]*) \| ([^|]*) \|$", PAGE.read_text("utf-8"), re.MULTILINE)
    return [(rule.strip(), said.strip(), readers.strip()) for rule, said, readers in found]


def token_of(name: str) -> str:
    return principal_token(PEOPLE[name].kind, PEOPLE[name].id)


def place_of(said: str) -> Place:
    where, _, words = said.partition(" ")
    is_item = where == "item"
    assert is_item or where in {"`legal/`", "`legal/deals/`"}
    place = Place(path=where, creator=token_of("ed") if is_item else None)
    for word in words.split(", "):
        place = with_word(place, word)
    return place


def with_word(place: Place, word: str) -> Place:  # noqa: PLR0911  one for each word
    match word.split():
        case ["team", "Legal"]:
            return with_audience(place, AudienceKind.TEAMS, team_token(LEGAL))
        case ["organization"]:
            return with_audience(place, AudienceKind.ORGANIZATION, organization_token(ORGANIZATION))
        case ["workspace"]:
            return with_audience(place, AudienceKind.WORKSPACE, workspace_token(WORKSPACE))
        case ["named", name]:
            return with_audience(place, AudienceKind.NAMED, token_of(name))
        case ["only", "me", name]:
            return with_audience(place, AudienceKind.ONLY_ME, token_of(name))
        case ["restricted"]:
            return replace(place, settings=replace(place.settings, is_restricted=True))
        case ["no", "inheritance"]:
            return replace(place, settings=replace(place.settings, inherits=False))
        case ["environment", name]:
            return replace(place, settings=replace(place.settings, environment=name))
        case ["grant", name]:
            return replace(place, readers=place.readers | {token_of(name)})
    raise AssertionError(word)


def with_audience(place: Place, kind: AudienceKind, token: str) -> Place:
    return replace(place, settings=replace(place.settings, audience_kind=kind, audience=frozenset({token})))


@pytest.mark.parametrize(("rule", "said", "readers"), rows(), ids=lambda text: text[:40])
def test_who_reads_is_who_the_page_says(rule: str, said: str, readers: str) -> None:
    places = [] if said == "nothing" else [place_of(part) for part in said.split("; ")]
    audience = audience_of(WORKSPACE, places)
    reading = [name for name, who in PEOPLE.items() if can_read(who, WORKSPACE, audience)]
    assert sorted(reading) == sorted(readers.split(", ")), rule


def test_every_rule_has_an_example() -> None:
    assert {rule[0] for rule, _, _ in rows()} == set("1234567")
