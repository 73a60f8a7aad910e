"""Takes found files in: fingerprints them, moves what was renamed, sends what is new, and waits for the outcome."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from chalicelib.cli.client import Client, Json
from chalicelib.cli.errors import INCOMPLETE, ServerProblem, ends_all, exit_code_of_all, problem_name_of, status_of
from chalicelib.cli.fingerprints import FingerprintedFile, fingerprint
from chalicelib.cli.local_files import Found, LocalFile, local_places
from chalicelib.cli.moves import find_moves
from chalicelib.cli.parallel import each_in_parallel
from chalicelib.cli.printing import Stages
from chalicelib.cli.send_file import send_file
from chalicelib.cli.upload_endings import note_ending
from chalicelib.cli.upload_report import Outcome, UploadReport
from chalicelib.cli.waiting import Patience, await_items, await_uploads
from chalicelib.errors import LorebaseError
from chalicelib.items.paths import checked_path

_REFUSING_STATUSES = frozenset({400, 402, 409, 413, 415, 422})


@dataclass
class UploadRun:
    """One upload of many files. `patience` None does not wait for extraction and indexing."""

    client: Client
    workspace_url: str
    attributes: Mapping[str, Any]
    jobs: int
    patience: Patience | None
    stages: Stages
    report: UploadReport = field(default_factory=UploadReport)
    end: LorebaseError | None = None
    """What made the rest pointless: no right to write, no workspace, or no server any more."""
    _errors: list[LorebaseError] = field(default_factory=list)
    _pending: dict[str, str] = field(default_factory=dict)
    _awaited_items: dict[str, str] = field(default_factory=dict)

    def take_in(self, found: Found) -> None:
        """Upload everything; `report` then has an outcome for each file."""
        self.report.left_out = [{"path": str(path), "reason": str(reason)} for path, reason in found.left_out]
        for file, detail in found.unreadable:
            self._note_unreadable(file, detail)
        local_paths = frozenset(file.path for file in chain(found.files, (file for file, _ in found.unreadable)))
        files = self._fingerprint(found.files)
        items_by_path = self._list_items(found, files)
        moves = find_moves(files, items_by_path, roots=found.roots, local_paths=local_paths)
        left = [file for file in files if file.file.path not in moves or not self._move(file, moves[file.file.path])]
        self._send(left, items_by_path)
        self._see_to_its_end(items_by_path)

    @property
    def exit_code(self) -> int:
        """What the command ends with, where nothing made the rest pointless."""
        done = self.report.counts[Outcome.ADDED] + self.report.counts[Outcome.UPDATED]
        is_any_done = bool(done + self.report.counts[Outcome.UNCHANGED])
        return exit_code_of_all(self._errors, is_any_done=is_any_done) or (0 if self.report.is_complete else INCOMPLETE)

    def _fingerprint(self, files: Sequence[LocalFile]) -> Sequence[FingerprintedFile]:
        read: dict[str, FingerprintedFile] = {}
        for done, (file, result) in enumerate(each_in_parallel(_checked_fingerprint, files, jobs=self.jobs), start=1):
            self.stages.show("reading", done=done, total=len(files))
            if isinstance(result, OSError):
                self._note_unreadable(file, result.strerror or str(result))
            elif isinstance(result, LorebaseError):
                self._note_problem(file.path, result)
            elif read.setdefault(file.path, result).sha256 != result.sha256:
                self.report.note(
                    Outcome.REFUSED,
                    file.path,
                    reason="path-given-twice",
                    detail=f"{file.local} has the same path as {read[file.path].file.local}; rename one of them.",
                )
        return [read[path] for path in sorted(read)]

    def _list_items(self, found: Found, files: Sequence[FingerprintedFile]) -> Mapping[str, Json]:
        """Return what lies on the server where the files go, by path."""
        url = f"{self.workspace_url}/items"
        items: dict[str, Json] = {}
        for prefix in sorted({root.prefix for root in found.roots}):
            for page in self.client.pages(url, "items", folder=prefix):
                items.update({item["path"]: item for item in page})
        loose = [file.file.path for file in files if not any(True for _ in local_places(found.roots, file.file.path))]
        for _, answer in each_in_parallel(lambda path: self.client.get(url, path=path), loose, jobs=self.jobs):
            if isinstance(answer, LorebaseError | OSError):
                raise answer
            items.update({item["path"]: item for item in answer["items"]})
        return items

    def _move(self, file: FingerprintedFile, item: Json) -> bool:
        """Move an item to where its file is now; return False where it is changed meanwhile, or only owners move it."""
        changes = {"path": file.file.path, **self.attributes}
        try:
            moved = self.client.patch(
                f"{self.workspace_url}/items/{item['id']}", changes, revision=int(item["revision"])
            )
        except ServerProblem as error:
            if error.name == "action-forbidden":
                # Whether it may write at all shows when the file is sent.
                self.report.stayed[file.file.path] = str(item["path"])
            if error.answered_status in {404, 409, 412} or error.name == "action-forbidden":
                return False
            raise
        self.report.note(
            Outcome.UPDATED,
            file.file.path,
            moved_from=item["path"],
            item_id=moved["id"],
            revision=moved["revision"],
        )
        self._awaited_items[moved["id"]] = file.file.path
        return True

    def _send(self, files: Sequence[FingerprintedFile], items_by_path: Mapping[str, Json]) -> None:
        def send(file: FingerprintedFile) -> Json:
            if self.end is not None:
                raise self.end
            item = items_by_path.get(file.file.path)
            is_known = item is not None and (item["original"] or {}).get("sha256") == file.sha256
            try:
                return send_file(self.client, self.workspace_url, file, attributes=self.attributes, is_known=is_known)
            except LorebaseError as error:
                if ends_all(error) or status_of(error) == 404:
                    self.end = error
                raise

        for done, (file, answer) in enumerate(each_in_parallel(send, files, jobs=self.jobs), start=1):
            self.stages.show("sending", done=done, total=len(files))
            path = file.file.path
            if isinstance(answer, OSError):
                self._note_unreadable(file.file, answer.strerror or str(answer))
            elif isinstance(answer, LorebaseError):
                self._note_problem(path, answer)
            elif answer["upload"] is None:
                self.report.note(Outcome.UNCHANGED, path, item_id=answer["item_id"], revision=answer["revision"])
                self._awaited_items[answer["item_id"]] = path
            else:
                self._pending[answer["upload"]["id"]] = path

    def _see_to_its_end(self, items_by_path: Mapping[str, Json]) -> None:
        if self.patience is None:
            for upload_id, path in self._pending.items():
                outcome = Outcome.UPDATED if path in items_by_path else Outcome.ADDED
                self.report.note(outcome, path, upload_id=upload_id, state="pending")
            return
        uploads: Mapping[str, Json] = {}
        items: Mapping[str, Json] = {}
        try:
            if self.end is None:
                uploads, items = self._await(self.patience)
        except LorebaseError as error:
            self.end = error
        for upload_id, path in self._pending.items():
            note_ending(self.report, path, upload_id, upload=uploads.get(upload_id), items_by_id=items, end=self.end)

    def _await(self, patience: Patience) -> tuple[Mapping[str, Json], Mapping[str, Json]]:
        uploads = await_uploads(self.client, self.workspace_url, self._pending, patience=patience, stages=self.stages)
        changed = {str(upload["item_id"]) for upload in uploads.values() if upload["item_id"]}
        items = await_items(
            self.client,
            self.workspace_url,
            changed | self._awaited_items.keys(),
            changed=changed,
            patience=patience,
            stages=self.stages,
        )
        return uploads, items

    def _note_problem(self, path: str, error: LorebaseError) -> None:
        self._errors.append(error)
        outcome = Outcome.REFUSED if status_of(error) in _REFUSING_STATUSES else Outcome.FAILED
        self.report.note(outcome, path, reason=problem_name_of(error), detail=error.detail)

    def _note_unreadable(self, file: LocalFile, detail: str) -> None:
        self.report.note(
            Outcome.FAILED, file.path, reason="local-file-unreadable", detail=f"{file.local} cannot be read: {detail}."
        )


def _checked_fingerprint(file: LocalFile) -> FingerprintedFile:
    checked_path(file.path)
    return fingerprint(file)
