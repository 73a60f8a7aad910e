"""Uploads of which nothing comes: the reason is where their people look, and a retry is theirs."""

from pathlib import Path

import pytest

from chalicelib.intake.change_upload import retry_upload
from chalicelib.intake.model import UploadState
from chalicelib.intake.read_coverage import read_coverage
from chalicelib.items.change_item import retry_indexing
from chalicelib.items.model import IndexState
from chalicelib.jobs import store as jobs
from tests.fixtures.lorebases import Lorebase


@pytest.mark.parametrize("name", ["scan.pdf", "empty.txt", "blank.md"])
def test_a_document_without_text_says_so_everywhere(lorebase: Lorebase, shared: Path, name: str) -> None:
    """D-EXT-6."""
    upload = lorebase.upload(name, (shared / "cases" / "inputs" / name).read_bytes())
    lorebase.drain()
    done = lorebase.look_up(upload)
    [item] = lorebase.items()
    assert (done.state, done.reason and done.reason["type"]) == (UploadState.SKIPPED, "no-text-found")
    assert (item.index.state, item.index.chunks) == (IndexState.NO_TEXT, 0)
    assert "OCR" in (item.index.reason or {})["detail"]
    with lorebase.database.transaction() as tx:
        coverage = read_coverage(
            tx,
            principal=lorebase.owner,
            workspace_id=lorebase.workspace_id,
            quotas=lorebase.wired.item_rules.quotas,
        )
    assert coverage.failures == []
    assert (coverage.without_text.count, coverage.without_text.examples) == (1, [(item.id, name)])


def test_a_password_is_a_reason_of_its_own_and_costs_one_attempt(lorebase: Lorebase, shared: Path) -> None:
    """D-EXT-5."""
    upload = lorebase.upload("a.pdf", (shared / "cases" / "inputs" / "needs_password.pdf").read_bytes())
    lorebase.drain()
    done = lorebase.look_up(upload)
    [item] = lorebase.items()
    assert (done.state, done.reason and done.reason["type"]) == (UploadState.FAILED, "password-required")
    assert (item.index.state, item.index.reason and item.index.reason["type"]) == (
        IndexState.FAILED,
        "password-required",
    )
    with lorebase.database.transaction() as tx:
        counts = jobs.count_jobs(tx, workspace_id=lorebase.workspace_id)
    assert sum(counts.values()) == 1


def test_a_broken_successor_leaves_the_last_good_revision(lorebase: Lorebase, shared: Path) -> None:
    lorebase.upload("a.pdf", (shared / "cases" / "inputs" / "owner_only.pdf").read_bytes())
    lorebase.drain()
    upload = lorebase.upload("a.pdf", (shared / "cases" / "inputs" / "needs_password.pdf").read_bytes())
    lorebase.drain()
    [item] = lorebase.items()
    assert (item.revision, item.index.state is IndexState.FAILED) == (1, False)
    assert lorebase.look_up(upload).state is UploadState.FAILED


def test_a_failed_upload_can_be_retried(lorebase: Lorebase, shared: Path) -> None:
    upload = lorebase.upload("a.pdf", (shared / "cases" / "inputs" / "needs_password.pdf").read_bytes())
    lorebase.drain()
    with lorebase.database.transaction() as tx:
        retried = retry_upload(
            tx,
            principal=lorebase.owner,
            workspace_id=lorebase.workspace_id,
            upload_id=upload.id,
            rules=lorebase.wired.intake_rules,
        )
    assert (retried.state, retried.reason) == (UploadState.PENDING, None)
    lorebase.drain()
    assert lorebase.look_up(upload).state is UploadState.FAILED


def test_indexing_an_item_anew_that_could_not_be_read_does_not_hide_why(lorebase: Lorebase, shared: Path) -> None:
    lorebase.upload("a.pdf", (shared / "cases" / "inputs" / "needs_password.pdf").read_bytes())
    lorebase.drain()
    [item] = lorebase.items()
    with lorebase.database.transaction() as tx:
        retry_indexing(
            tx,
            principal=lorebase.owner,
            workspace_id=lorebase.workspace_id,
            item_id=item.id,
            rules=lorebase.wired.item_rules,
        )
    lorebase.drain()
    assert lorebase.items() == [item]
