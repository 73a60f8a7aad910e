"""The sweep on AWS: asked for by work, gone once there is none."""

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg

from chalicelib.intake.model import UploadRequest
from chalicelib.intake.start_upload import StartedUpload, start_upload
from chalicelib.triggers.functions import handle_originals, handle_sweep
from tests.fixtures.aws import sqs_event
from tests.fixtures.journey import DONE, Journey
from tests.fixtures.reception import object_created


def _rounds(journey: Journey) -> list[dict[str, Any]]:
    return journey.aws.take_messages(journey.aws.sweep_queue_url)


def _die_before_ringing(journey: Journey, event: object) -> int:
    said = f"{journey.wired.settings.model_dump_json()}\n{json.dumps(event)}\n"
    command = [sys.executable, "-m", "tests.fixtures.mortal_reception"]
    done = subprocess.run(
        command, input=said, text=True, check=False, timeout=60, cwd=Path(__file__).parents[2], capture_output=True
    )
    assert done.stderr == ""
    return done.returncode


def test_what_was_committed_by_a_process_that_died_before_it_rang_is_swept_up(journey: Journey) -> None:
    journey.put("drop/acme/travel.md", "Employees are reimbursed for railway tickets.")
    assert _die_before_ringing(journey, sqs_event(object_created("drop/acme/travel.md"))) == 9
    assert journey.take_jobs() == []
    asked = _rounds(journey)
    assert len(asked) == 1
    assert handle_sweep({"Records": asked}) == DONE
    journey.drain()
    assert journey.found("railway") == [("travel.md", 1)]


def test_a_round_forgets_uploads_that_expired_with_what_they_left_in_the_bucket(
    journey: Journey, conninfo: str
) -> None:
    with journey.wired.database.transaction() as tx:
        started = start_upload(
            tx,
            principal=journey.foundation.owner,
            workspace_id=journey.foundation.workspace.id,
            request=UploadRequest(path="travel.md", filename="travel.md", attributes={}, bytes=4),
            rules=journey.wired.intake_rules,
            now=journey.wired.clock.now() - timedelta(days=2),
        )
    assert isinstance(started, StartedUpload)
    journey.put(started.upload.source_key, "half")
    assert handle_sweep({"source": "lorebase.schedule"}) == DONE
    with psycopg.connect(conninfo) as connection:
        assert connection.execute("select count(*) from uploads").fetchone() == (0,)
    assert list(journey.wired.originals.walk("")) == []


def test_rounds_go_on_while_a_job_is_open_and_end_with_the_last(journey: Journey) -> None:
    journey.put("drop/acme/travel.md", "Employees are reimbursed for railway tickets.")
    assert handle_originals(sqs_event(object_created("drop/acme/travel.md"))) == DONE
    assert len(_rounds(journey)) == 1
    journey.next_period()
    assert handle_sweep({"source": "lorebase.schedule"}) == DONE
    assert len(_rounds(journey)) == 1
    journey.drain()
    _rounds(journey)
    journey.next_period()
    assert handle_sweep(sqs_event({"period": 1})) == DONE
    assert _rounds(journey) == []
