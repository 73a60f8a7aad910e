"""The workspace that a collection is evaluated in: made or found again, filled, and emptied."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Self

from chalicelib.cli.client import Client, Json
from chalicelib.cli.errors import ServerProblem, ends_all, status_of
from chalicelib.cli.evaluate_corpus import FOLDER, Corpus
from chalicelib.cli.evaluate_errors import (
    CorpusRefused,
    EvaluationDisturbed,
    EvaluationForAdmins,
    IndexUnfinished,
    WorkspaceInUse,
)
from chalicelib.cli.parallel import each_in_parallel
from chalicelib.cli.printing import Stages
from chalicelib.cli.session import Session
from chalicelib.cli.text import count_of
from chalicelib.cli.waiting import Patience
from chalicelib.errors import LorebaseError
from chalicelib.evaluation.collection import CorpusEntry

_SLUG = "evaluation-"
_OWN_NAME = re.compile(r"Evaluation of [a-z0-9-]+ \([0-9a-f]{12}\)")
"""What no person calls a workspace: everything in one that is called so is deleted for good."""

_LULLS = 3
_BATCH = 500
_PAUSE = 0.5
_REFUSED = frozenset({400, 413, 422})


@dataclass
class EvaluationWorkspace:
    """A workspace that holds a corpus and nothing else. `refused` are the ids of documents that it does not take."""

    client: Client
    url: str
    corpus: Corpus
    refused: list[str] = field(default_factory=list)
    _lull: int = 0

    @classmethod
    @contextmanager
    def opened(cls, session: Session, corpus: Corpus, *, keep: bool) -> Iterator[Self]:
        """Yield the workspace, empty or with what an earlier run left of the same corpus; empty it at the end.

        It stays itself, empty, for the next run. Raises EvaluationForAdmins, WorkspaceInUse, ServerProblem.
        """
        slug = _slug_of(corpus)
        name = f"Evaluation of {slug.removeprefix(_SLUG)} ({corpus.fingerprint[:12]})"
        found = _find_or_make(session, slug, name)
        workspace = cls(session.client, f"/v1/workspaces/{found['id']}", corpus)
        session.printer.remark(f"Workspace: {slug}")
        try:
            if found["name"] != name:
                workspace.clear()
                workspace.client.patch(workspace.url, {"name": name})
            workspace.make_room()
            yield workspace
        finally:
            if not keep:
                session.printer.remark(f"Emptying {slug}.")
                workspace.clear()

    def make_room(self) -> None:
        """Raise the quotas that the corpus would exceed; for admins. Raises ServerProblem."""
        usage = self.client.get(f"{self.url}/status")["usage"]
        more = {name: needed for name, needed in self.corpus.sizes.items() if needed > usage[name]["limit"]}
        if more:
            self.client.patch(self.url, {"quotas": {**self.client.get(self.url)["quotas"], **more}})

    def fill(self, stages: Stages, *, jobs: int) -> None:
        """Send the documents that are not there yet. Raises CorpusRefused, and what makes the rest pointless."""
        present = {item["path"] for page in self.client.pages(f"{self.url}/items", "items") for item in page}
        done, entries = 0, self.corpus.entries()
        while batch := list(islice(entries, _BATCH)):
            missing = [(path, entry) for path, entry in batch if path not in present]
            done += len(batch) - len(missing)
            for (_, entry), answer in each_in_parallel(self._send, missing, jobs=jobs):
                done += 1
                stages.show("sending", done=done, total=len(self.corpus.ids))
                if isinstance(answer, OSError):
                    raise answer
                if isinstance(answer, LorebaseError):
                    self._note_refused(entry, answer)

    def await_index(self, stages: Stages, *, patience: Patience) -> None:
        """Wait until all is in search that will be. Raises IndexUnfinished."""
        total = len(self.corpus.ids) - len(self.refused)
        while left := self._unfinished():
            stages.show("indexing", done=max(total - left, 0), total=total)
            if not patience.wait(_PAUSE):
                raise IndexUnfinished(
                    f"{count_of(left, 'document')} of {total} are not in search yet; say --keep to go on from here."
                )

    def unindexed(self) -> dict[str, list[str]]:
        """Return the ids of documents that are not in search as they should be, by what is wrong."""
        states = {"failed": "documents that could not be indexed", "no_text": "documents without text"}
        pages = self.client.pages(f"{self.url}/items", "items", index_state=list(states))
        found: dict[str, list[str]] = {}
        for page in pages:
            for item in page:
                found.setdefault(states[item["index"]["state"]], []).append(self.corpus.id_of(item))
        return found

    def items_by_state(self) -> Json:
        """Count the items by the state of their index."""
        counts: Json = self.client.get(f"{self.url}/status")["items"]
        return {state: count for state, count in counts.items() if count}

    def check(self, before: Json) -> None:
        """Raise EvaluationDisturbed where what is in search is not what it was before."""
        if self.items_by_state() != before:
            raise EvaluationDisturbed(
                "The documents changed while questions were asked: does another run evaluate the same collection?"
            )

    def clear(self) -> None:
        """Delete everything for good. Raises ServerProblem."""
        with _missing_allowed():
            self.client.delete(f"{self.url}/tree", folder=FOLDER)
        while self.client.delete(f"{self.url}/trash")["has_more"]:
            pass

    def _send(self, sent: tuple[str, CorpusEntry]) -> Json:
        path, entry = sent
        body = {"path": path, "title": entry.item_title, "body": entry.item_body}
        return self.client.post(f"{self.url}/items", body)

    def _note_refused(self, entry: CorpusEntry, error: LorebaseError) -> None:
        if isinstance(error, ServerProblem) and error.name == "path-taken":
            return  # another run sent it meanwhile
        if ends_all(error) or status_of(error) not in _REFUSED:
            raise error
        self.refused.append(entry.id)
        if len(self.refused) == len(self.corpus.ids):
            raise CorpusRefused(f"The server took none of the documents; of the last it says: {error.detail}")

    def _unfinished(self) -> int:
        """Count what is on its way into search; nothing where no job is left that would bring it there."""
        status = self.client.get(f"{self.url}/status")
        counts: dict[str, int] = status["items"]
        # Where there is an embedder, what is found by its words alone still waits for its vectors.
        states = ("pending", "indexing", *(("text_ready",) if status["embedding_space"] else ()))
        jobs = status["jobs"]  # empty for who may not operate them
        is_idle = bool(jobs) and not any(jobs.get(state) for state in ("waiting", "running"))
        # Items and jobs are counted one after the other, so that one look may miss the last job.
        self._lull = self._lull + 1 if is_idle else 0
        return 0 if self._lull > _LULLS else sum(counts.get(state, 0) for state in states)


def _slug_of(corpus: Corpus) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", corpus.name.lower()).strip("-") or corpus.fingerprint[:12]
    return f"{_SLUG}{plain}"[:63].rstrip("-")


def _find_or_make(session: Session, slug: str, name: str) -> Json:
    listed: Sequence[Json] = session.client.get(f"{session.organization_url}/workspaces")["workspaces"]
    for workspace in listed:
        if workspace["slug"] == slug:
            if not _OWN_NAME.fullmatch(str(workspace["name"])):
                raise WorkspaceInUse(
                    f"There is a workspace {slug} that was not made for evaluations; rename it, or the collection's"
                    " folder: what is evaluated there would be deleted."
                )
            return workspace
    if not session.is_admin:
        raise EvaluationForAdmins(
            "A collection is evaluated in a workspace of its own, and only admins of the organization can make one:"
            " use an admin's key with the scope admin, or evaluate what is in a workspace already by --queries and"
            " --judgements."
        )
    return session.client.post(f"{session.organization_url}/workspaces", {"slug": slug, "name": name})


@contextmanager
def _missing_allowed() -> Iterator[None]:
    try:
        yield
    except ServerProblem as error:
        if error.answered_status != 404:
            raise
