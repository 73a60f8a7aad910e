"""The audience that is worked out from what was said lets in the very people whom the model allows.

Pure: no database, so thousands of ways a second; and every rule turned off, one by one, is found out.
"""

from collections.abc import Sequence
from contextlib import suppress
from importlib import util
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import UUID

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from chalicelib.access import audience as program
from chalicelib.access.model import AccessSettings, AudienceKind, Place
from chalicelib.access.tokens import organization_token, owner_token, principal_token, team_token, workspace_token
from chalicelib.identity.model import OrganizationId, PrincipalKind, TeamId, WorkspaceId
from tests.access.model import Person, Said, Team, Workspace, readers

W = WorkspaceId(UUID(int=1))
ORGANIZATION = OrganizationId(UUID(int=2))
FOLK = {
    "admin": Person("admin", is_admin=True),
    "owner": Person("owner"),
    "ann": Person("ann"),
    "bob": Person("bob"),
    "guest": Person("guest"),
    "agent": Person("agent", is_agent=True),
    "prod": Person("prod", is_agent=True, environment="prod"),
}
TEAMS = [Team({FOLK["ann"], FOLK["guest"]}), Team({FOLK["bob"]})]
ROOM = Workspace(
    set(FOLK.values()),
    {
        FOLK["owner"]: "owner",
        FOLK["ann"]: "editor",
        FOLK["bob"]: "viewer",
        FOLK["agent"]: "viewer",
        FOLK["prod"]: "viewer",
    },
)
NAMED = [*TEAMS, *FOLK.values()]
CASES = 500


def token_of(one: Person | Team) -> str:
    number = UUID(int=10 + NAMED.index(one))
    if isinstance(one, Team):
        return team_token(TeamId(number))
    return principal_token(PrincipalKind.AGENT if one.is_agent else PrincipalKind.USER, number)


def tokens_of(person: Person) -> set[str]:
    held = {token_of(person), organization_token(ORGANIZATION), *(token_of(t) for t in TEAMS if person in t.people)}
    role = "owner" if person.is_admin else ROOM.roles.get(person)
    return held | ({workspace_token(W)} if role else set()) | ({owner_token(W)} if role == "owner" else set())


def place_of(said: Said) -> Place:
    whole = {"workspace": {workspace_token(W)}, "organization": {organization_token(ORGANIZATION)}}
    named = whole.get(said.kind or "", {token_of(one) for one in said.named})
    return Place(
        path="x",
        creator=token_of(said.creator) if said.creator else None,
        settings=AccessSettings(
            audience_kind=AudienceKind(said.kind) if said.kind else None,
            audience=frozenset(named) if said.kind else None,
            inherits=said.inherits,
            is_restricted=said.is_restricted,
            environment=said.environment,
        ),
        readers=frozenset(map(token_of, said.given)),
    )


def admitted(module: Any, way: Sequence[Said]) -> set[str]:
    audience = module.audience_of(W, [place_of(said) for said in way])
    return {
        name
        for name, one in FOLK.items()
        if module.is_in(audience, tokens_of(one), environment=one.environment, is_agent=one.is_agent)
    }


def foretold(way: Sequence[Said]) -> set[str]:
    return {one.name for one in readers(ROOM, way)}


def _said(kind: str | None, **more: Any) -> st.SearchStrategy[Said]:
    folk = st.sampled_from(list(FOLK.values()))
    named: dict[str | None, st.SearchStrategy[Any]] = {
        "teams": st.frozensets(st.sampled_from(TEAMS), min_size=1),
        "named": st.frozensets(folk, min_size=1, max_size=3),
        "only_me": st.frozensets(folk, min_size=1, max_size=1),
    }
    return st.builds(
        Said,
        st.just(kind),
        named.get(kind, st.just(frozenset())),
        inherits=st.sampled_from([True, True, True, False]),
        is_restricted=st.sampled_from([False, False, True]),
        environment=st.sampled_from([None, None, "prod", "default"]),
        given=st.dictionaries(st.sampled_from(NAMED), st.just("read"), max_size=2),
        **more,
    )


_KINDS = (None, None, "workspace", "organization", "teams", "named", "only_me")
_creators = st.none() | st.sampled_from(list(FOLK.values()))
ways = st.builds(
    lambda folders, item: [*folders, *item],
    st.lists(st.sampled_from(_KINDS).flatmap(_said), max_size=4),
    st.lists(st.sampled_from(_KINDS).flatmap(lambda kind: _said(kind, creator=_creators)), max_size=1),
)


@given(way=ways)
@settings(deadline=None, derandomize=True, max_examples=CASES, database=None)
def test_the_program_and_the_model_admit_the_same_people(way: list[Said]) -> None:
    assert admitted(program, way) == foretold(way)


# What is changed in the source of chalicelib/access/audience.py, rule by rule as its docstring numbers them.
MUTANTS = {
    "1 nothing said lets in nobody but owners": (
        "[TracedClause(ClauseReason.WORKSPACE, frozenset({everybody}))]",
        "[TracedClause(ClauseReason.WORKSPACE, frozenset({owner}))]",
    ),
    "2 the first audience is one more": ("clauses[1:] if is_default else clauses", "clauses"),
    "2 every audience takes the place of those before": ("clauses[1:] if is_default else clauses", "clauses[1:]"),
    "2 a deeper audience takes the place of the first": (
        "            is_default = False\n        elif",
        "        elif",
    ),
    "2 audiences are ignored": ("settings.audience | {owner}, place)", "frozenset({everybody}), place)"),
    "2 only-me is ignored": ("[*clauses, TracedClause(ClauseReason.ONLY_ME, settings.audience, place)]", "clauses"),
    "2 only-me takes the place of the workspace": (
        "[*clauses, TracedClause(ClauseReason.ONLY_ME",
        "[*clauses[1:], TracedClause(ClauseReason.ONLY_ME",
    ),
    "3 restrictions are ignored": ("if settings.is_restricted:", "if False:"),
    "3 a restriction keeps its creator out": ("*([place.creator] if place.creator else [])", ""),
    "3 a restriction takes the place of the workspace": (
        "[*clauses, TracedClause(ClauseReason.RESTRICTION",
        "[*clauses[1:], TracedClause(ClauseReason.RESTRICTION",
    ),
    "3 a restriction keeps owners out": ("frozenset({owner, *([", "frozenset({*(["),
    "4 grants are ignored": ("if place.readers:", "if False:"),
    "4 a grant passes its own place alone": (
        "for clause in clauses]\n        environment_at",
        "if clause.place is place else clause for clause in clauses]\n        environment_at",
    ),
    "4 a grant passes what is said below it": (
        "enumerate(places):\n        settings = place.settings\n",
        "enumerate(places):\n        settings = place.settings\n        place = replace(place, readers=place.readers.union(*(one.readers for one in places[:number])))\n",  # noqa: E501  a line of source
    ),
    "5 a break is ignored": ("if not settings.inherits:", "if False:"),
    "5 a silent break lets the workspace in": (
        "is_default = settings.audience is not None or settings.is_restricted",
        "is_default = True",
    ),
    "5 a break lets owners alone in, whatever is said": (
        "is_default = settings.audience is not None or settings.is_restricted",
        "is_default = False",
    ),
    "6 owners do not pass audiences": ("settings.audience | {owner}, place)", "settings.audience, place)"),
    "6 owners pass only-me": (
        "TracedClause(ClauseReason.ONLY_ME, settings.audience, place)",
        "TracedClause(ClauseReason.ONLY_ME, settings.audience | {owner}, place)",
    ),
    "7 environments are ignored": ("return None if environment == DEFAULT_ENVIRONMENT else environment", "return None"),
    "7 the outermost environment holds": (
        "place if settings.environment else environment_at",
        "environment_at or (place if settings.environment else None)",
    ),
    "7 the default one cannot be said again": (
        "return None if environment == DEFAULT_ENVIRONMENT else environment",
        "return environment",
    ),
    "7 users are bound to environments": ("not is_agent or environment", "environment"),
    "one limit of several is enough": ("all(clause & held", "any(clause & held"),
    "what looks implied is left out too eagerly": ("return other <= widened", "return bool(other & widened)"),
}


def mutated(old: str, new: str) -> ModuleType:
    """The calculus with one place in its source changed."""
    source = Path(program.__file__).read_text("utf-8")
    assert source.count(old) == 1, f"the calculus reads differently by now; say anew how to break it: {old}"
    specification = util.spec_from_loader("mutated_audience", loader=None)
    assert specification is not None
    module = util.module_from_spec(specification)
    exec(compile(source.replace(old, new), "mutated_audience", "exec"), module.__dict__)
    return module


def differs(module: ModuleType, *, cases: int = CASES) -> bool:
    """Tell whether the property above fails for this calculus, with the same cases."""
    found = []

    @given(way=ways)
    @settings(deadline=None, derandomize=True, max_examples=cases, database=None, phases=[Phase.generate])
    def try_it(way: list[Said]) -> None:
        if admitted(module, way) != foretold(way):
            found.append(way)
            raise AssertionError

    with suppress(AssertionError):
        try_it()
    return bool(found)


@pytest.mark.parametrize("name", list(MUTANTS))
def test_every_rule_that_is_turned_off_is_found_out(name: str) -> None:
    assert differs(mutated(*MUTANTS[name]))


def test_the_rules_themselves_are_not() -> None:
    assert not differs(mutated("return other <= widened", "return widened >= other"), cases=50)
