"""What is cited counts against the workspace's quotas, and owners withdraw what an answer says."""

import threading
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from chalicelib.citations.errors import AnswerNotFound
from chalicelib.citations.model import Answer
from chalicelib.citations.withdraw_answer import withdraw_answer
from chalicelib.database.ids import new_id
from chalicelib.identity.errors import WorkspaceNotFound
from chalicelib.identity.model import KeyScope, Principal, PrincipalId, WorkspaceRole
from chalicelib.identity.rights import ActionForbidden
from chalicelib.intake.purge_items import purge_item
from chalicelib.items.errors import QuotaExceeded
from chalicelib.items.model import Item
from chalicelib.items.quotas import read_usage
from tests.fixtures.citing import RUN, TEXT, answered, cited, listed, read
from tests.fixtures.crowd import ONLY_ME, RESTRICTED, Crowd

TITLE = "Größe"


def used(crowd: Crowd) -> tuple[int, int]:
    """Return how many citations and how many bytes of bodies count."""
    with crowd.lorebase.database.transaction() as tx:
        usage = read_usage(tx, crowd.workspace_id, crowd.lorebase.wired.item_rules.quotas)
    return usage["citations"].used, usage["body_bytes"].used


def purge(crowd: Crowd, item: Item) -> None:
    crowd.delete(item)
    crowd.do(purge_item, crowd.owner, item_id=item.id, rules=crowd.lorebase.wired.intake_rules)


def withdraw(crowd: Crowd, who: PrincipalId | Principal, answer: Answer) -> None:
    crowd.do(withdraw_answer, who, answer_id=answer.id)


def recorded(crowd: Crowd, answer: Answer) -> list[tuple[str, Any]]:
    with psycopg.connect(crowd.lorebase.database.conninfo) as session:
        found = session.execute(
            "select action, actor_id from activity where subject_id = %s and action = 'citation.withdrawn'",
            (answer.id,),
        )
        return found.fetchall()


def test_citations_and_what_is_said_count_until_what_they_cite_is_gone_for_good(crowd: Crowd) -> None:
    item, other = crowd.add("a.md"), crowd.add("b.md")
    _, before = used(crowd)
    answered(crowd, cited(item), cited(item, span=(0, 3)), cited(other), title=TITLE)
    answered(crowd, cited(other), title=None, text=None)
    said = len(TEXT.encode()) + len(TITLE.encode())
    assert used(crowd) == (4, before + said)
    purge(crowd, item)
    assert used(crowd) == (2, before - len("the plan of a.md"))
    purge(crowd, other)
    assert used(crowd)[0] == 0


def test_nothing_is_kept_beyond_the_quotas(crowd: Crowd) -> None:
    item = crowd.add("a.md")
    crowd.lorebase.configure(quota_citations=2)
    answered(crowd, cited(item))
    before = used(crowd)
    with pytest.raises(QuotaExceeded) as raised:
        answered(crowd, cited(item), cited(item, span=(0, 3)))
    assert raised.value.members == {"quota": "citations", "limit": 2, "used": 1}
    crowd.lorebase.configure(quota_citations=99, quota_body_bytes=before[1] + 10)
    with pytest.raises(QuotaExceeded) as raised:
        answered(crowd, cited(item), title=None, text="x" * 11)
    assert raised.value.members["quota"] == "body_bytes"
    assert used(crowd) == before
    answered(crowd, cited(item), title=None, text="x" * 10)


def test_those_who_cite_at_once_do_not_pass_the_quota_together(crowd: Crowd) -> None:
    item = crowd.add("a.md")
    crowd.lorebase.configure(quota_citations=3)
    refused: list[QuotaExceeded] = []

    def cite() -> None:
        try:
            answered(crowd, cited(item), who=crowd.viewer)
        except QuotaExceeded as error:
            refused.append(error)

    threads = [threading.Thread(target=cite) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(refused), used(crowd)[0], listed(crowd, crowd.owner, item_id=item.id)[1]) == (3, 3, 3)


def test_a_guest_reads_what_is_cited_and_cites_nothing(crowd: Crowd) -> None:
    item = crowd.add("a.md")
    with pytest.raises(WorkspaceNotFound):
        answered(crowd, cited(item), who=crowd.stranger)
    crowd.grant(item, member_id=crowd.stranger)
    answer = answered(crowd, cited(item), who=crowd.viewer)
    assert read(crowd, crowd.stranger, answer).text == TEXT
    with pytest.raises(ActionForbidden):
        answered(crowd, cited(item), who=crowd.stranger)
    assert used(crowd)[0] == 1


def test_citations_are_found_by_who_kept_them(crowd: Crowd) -> None:
    item, hidden = crowd.add("a.md"), crowd.add("hidden.md")
    answered(crowd, cited(item), who=crowd.viewer)
    answered(crowd, cited(item), cited(hidden), who=crowd.editor)
    by_viewer, total = listed(crowd, crowd.owner, created_by=crowd.viewer)
    assert ([each.created_by for each in by_viewer], total) == ([crowd.viewer], 1)
    assert listed(crowd, crowd.owner, created_by=crowd.editor, item_id=item.id, consumer=RUN)[1] == 1
    assert listed(crowd, crowd.owner, created_by=PrincipalId(new_id())) == ([], 0)
    assert listed(crowd, crowd.owner)[1] == 3
    crowd.say(hidden, RESTRICTED)
    assert listed(crowd, crowd.viewer, created_by=crowd.editor)[1] == 1


def test_an_owner_withdraws_what_an_answer_says_and_nothing_else(crowd: Crowd) -> None:
    item = crowd.add("a.md")
    _, before = used(crowd)
    answer = answered(crowd, cited(item, quote="the plan"), who=crowd.viewer)
    other = answered(crowd, cited(item), text=None, title="Another")
    for _ in range(2):
        withdraw(crowd, crowd.owner, answer)
    found = read(crowd, crowd.viewer, answer)
    assert (found.text, found.title, found.is_withheld) == (None, None, True)
    assert (found.text_characters, found.text_sha256) == (answer.text_characters, answer.text_sha256)
    assert [(each.quote, each.title) for each in found.citations] == [("the plan", None)]
    assert read(crowd, crowd.viewer, other).title == "Another"
    assert recorded(crowd, answer) == [("citation.withdrawn", crowd.owner.id)]
    assert used(crowd) == (2, before + len("Another"))
    purge(crowd, item)
    assert used(crowd) == (0, 0)


def test_nobody_but_owners_with_their_whole_scope_withdraws(crowd: Crowd) -> None:
    item = crowd.add("a.md")
    answer = answered(crowd, cited(item), who=crowd.viewer)
    crowd.grant(item, member_id=crowd.stranger)
    writing = replace(crowd.now(crowd.owner), scopes=frozenset({KeyScope.READ, KeyScope.WRITE}))
    for who in (crowd.viewer, crowd.editor, crowd.agent, crowd.stranger, writing):
        with pytest.raises(ActionForbidden):
            withdraw(crowd, who, answer)
    beta = crowd.lorebase.found("Beta")
    with crowd.lorebase.database.transaction() as tx:
        with pytest.raises(WorkspaceNotFound):
            withdraw_answer(tx, principal=beta.owner, workspace_id=crowd.workspace_id, answer_id=answer.id)
        with pytest.raises(AnswerNotFound):
            withdraw_answer(tx, principal=beta.owner, workspace_id=beta.workspace.id, answer_id=answer.id)
    assert read(crowd, crowd.owner, answer).text == TEXT


def test_an_answer_about_what_is_kept_from_owners_is_not_theirs_to_find(crowd: Crowd) -> None:
    item = crowd.add("a.md")
    crowd.say(item, ONLY_ME)
    answer = answered(crowd, cited(item))
    with pytest.raises(AnswerNotFound):
        withdraw(crowd, crowd.member(WorkspaceRole.OWNER), answer)


def test_withdrawing_and_deleting_for_good_at_once_frees_once(crowd: Crowd) -> None:
    items = [crowd.add(f"{number}.md") for number in range(4)]
    answers = [answered(crowd, cited(item)) for item in items]
    for item in items:
        crowd.delete(item)
    rules = crowd.lorebase.wired.intake_rules
    gate = threading.Barrier(8)
    errors: list[Exception] = []

    def race(work: Any, who: Principal, **arguments: Any) -> None:
        gate.wait()
        try:
            crowd.do(work, who, **arguments)
        except AnswerNotFound:
            return
        except Exception as error:  # noqa: BLE001  whatever a thread dies of is the test's to tell
            errors.append(error)

    threads = [
        threading.Thread(target=race, args=(work, crowd.owner), kwargs=arguments)
        for item, answer in zip(items, answers, strict=True)
        for work, arguments in (
            (purge_item, {"item_id": item.id, "rules": rules}),
            (withdraw_answer, {"answer_id": answer.id}),
        )
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert used(crowd) == (0, 0)
