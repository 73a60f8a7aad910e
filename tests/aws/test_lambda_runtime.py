"""The tests' own Lambda does what Lambda documents: starts, answers, errors, limits, timeouts."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.fixtures.lambda_runtime import LambdaFunction, RequestTooLarge

pytest.importorskip("awslambdaric", reason="needs Lambda's runtime client")

HANDLER = """
import json, logging, os, subprocess, sys, time

STARTED = time.time()
if os.environ.get("FAIL"):
    raise RuntimeError("no such luck")
if os.environ.get("SLOW"):
    time.sleep(60)

def handle(event, context):
    match event["do"]:
        case "tell":
            logging.getLogger("told").info("said %s", event["word"])
            print("printed", file=sys.stderr)
            return {
                "environment": dict(os.environ), "path": sys.path, "cwd": os.getcwd(), "pid": os.getpid(),
                "request": context.aws_request_id, "arn": context.invoked_function_arn,
                "left": context.get_remaining_time_in_millis(), "memory": context.memory_limit_in_mb,
                "trace": os.environ["_X_AMZN_TRACE_ID"],
            }
        case "echo":
            return event["it"]
        case "fill":
            return "x" * event["bytes"]
        case "raise":
            raise KeyError("the key")
        case "hang":
            child = subprocess.Popen(["sleep", "600"])
            print(json.dumps({"child": child.pid}), flush=True)
            time.sleep(600)
        case "exit":
            os._exit(3)
        case "unfit":
            return object()
"""

Make = Callable[..., LambdaFunction]


@pytest.fixture
def function(lambda_function: Make, task_root: Path) -> LambdaFunction:
    return lambda_function("main.handle", task_root=task_root, name="told", memory_mib=512)


@pytest.fixture
def task_root(tmp_path: Path) -> Path:
    folder = tmp_path / "task"
    folder.mkdir()
    (folder / "main.py").write_text(HANDLER, "utf-8")
    return folder


def test_a_function_is_told_where_it_is_and_how_long_it_has(function: LambdaFunction, task_root: Path) -> None:
    done = function.invoke({"do": "tell", "word": "hello"}, timeout=20)
    told = done.result
    assert not done.is_error
    assert told["request"] == done.request_id
    assert told["arn"].endswith(":function:told")
    assert 10_000 < told["left"] <= 20_000
    assert told["memory"] == "512"
    assert told["trace"].startswith("Root=1-")
    assert (told["cwd"], told["environment"]["LAMBDA_TASK_ROOT"]) == (str(task_root), str(task_root))
    assert told["environment"]["AWS_LAMBDA_FUNCTION_NAME"] == "told"
    assert "PYTEST_CURRENT_TEST" not in told["environment"]


def test_a_function_sees_its_task_root_alone(function: LambdaFunction, lambda_function: Make) -> None:
    assert not [entry for entry in function.invoke({"do": "tell", "word": ""}).result["path"] if "site-" in entry]
    with_packages = lambda_function("main.handle", task_root=function.task_root, site_packages=True)
    assert [entry for entry in with_packages.invoke({"do": "tell", "word": ""}).result["path"] if "site-" in entry]


def test_only_the_first_event_finds_a_cold_function(function: LambdaFunction) -> None:
    first, second = (function.invoke({"do": "echo", "it": n}) for n in (1, 2))
    assert (first.result, second.result, second.start) == (1, 2, None)
    assert first.start is not None
    assert 0 < first.start.cpu_seconds <= first.start.wall_seconds * (os.cpu_count() or 1)
    assert 5 < first.start.peak_mib <= function.peak_mib < 200


def test_log_lines_come_with_their_invocation(function: LambdaFunction) -> None:
    function.invoke({"do": "echo", "it": 1})
    done = function.invoke({"do": "tell", "word": "hello"})
    assert done.log.splitlines() == ["printed"]
    told = function.invoke({"do": "raise"}).log
    assert [json.loads(line)["errorType"] for line in told.splitlines()] == ["KeyError"]
    assert "printed" in function.log
    assert "KeyError" in function.log


def test_the_log_level_is_lambdas(lambda_function: Make, task_root: Path) -> None:
    function = lambda_function("main.handle", task_root=task_root, environment={"AWS_LAMBDA_LOG_LEVEL": "INFO"})
    line, printed = function.invoke({"do": "tell", "word": "hello"}).log.splitlines()
    assert (json.loads(line)["message"], json.loads(line)["logger"], printed) == ("said hello", "told", "printed")


def test_an_exception_is_answered_with_its_type_and_trace_and_the_process_lives(function: LambdaFunction) -> None:
    process = function.invoke({"do": "tell", "word": ""}).result["pid"]
    done = function.invoke({"do": "raise"})
    assert done.is_error
    assert (done.result["errorType"], done.result["errorMessage"]) == ("KeyError", "'the key'")
    assert "raise KeyError" in done.result["stackTrace"][-1]
    assert function.invoke({"do": "tell", "word": ""}).result["pid"] == process


def test_an_answer_that_is_no_json_is_an_error(function: LambdaFunction) -> None:
    assert function.invoke({"do": "unfit"}).result["errorType"] == "Runtime.MarshalError"


def test_an_event_that_is_no_json_is_an_error(function: LambdaFunction) -> None:
    assert function.invoke(b"{").result["errorType"] == "Runtime.UnmarshalError"


def test_a_failing_import_is_answered_and_tried_anew(lambda_function: Make, task_root: Path) -> None:
    function = lambda_function("main.handle", task_root=task_root, environment={"FAIL": "1"})
    done = function.invoke({"do": "echo", "it": 1})
    assert (done.is_error, done.start, function.process_id) == (True, None, None)
    assert (done.result["errorType"], done.result["errorMessage"]) == ("RuntimeError", "no such luck")
    assert done.log.count('"errorType": "RuntimeError"') == 2
    missing = lambda_function("absent.handle", task_root=task_root).invoke({})
    assert missing.result["errorType"] == "Runtime.ImportModuleError"


def test_a_slow_start_is_begun_again_within_the_time_of_the_invocation(lambda_function: Make, task_root: Path) -> None:
    slow = {"SLOW": "1"}
    function = lambda_function("main.handle", task_root=task_root, environment=slow, init_timeout=0.5)
    done = function.invoke({"do": "echo", "it": 1}, timeout=1)
    assert done.result["errorType"] == "Sandbox.Timedout"
    assert 1 <= done.seconds < 10


def test_a_function_that_takes_too_long_is_killed_with_its_children_and_started_anew(function: LambdaFunction) -> None:
    function.invoke({"do": "echo", "it": 1})
    done = function.invoke({"do": "hang"}, timeout=1)
    assert done.is_error
    assert done.result == {
        "errorType": "Sandbox.Timedout",
        "errorMessage": f"RequestId: {done.request_id} Error: Task timed out after 1.00 seconds",
    }
    assert not _is_running(json.loads(done.log)["child"])
    again = function.invoke({"do": "echo", "it": 2})
    assert again.result == 2
    assert again.start is not None


def test_a_process_that_ends_itself_is_an_error_and_the_next_event_finds_a_new_one(function: LambdaFunction) -> None:
    done = function.invoke({"do": "exit"})
    assert done.result["errorType"] == "Runtime.ExitError"
    assert done.result["errorMessage"].endswith("Runtime exited with error: exit status 3")
    assert function.invoke({"do": "echo", "it": 2}).start is not None


def test_payloads_of_six_megabytes_pass_both_ways(function: LambdaFunction) -> None:
    text = "x" * 6_291_000
    assert function.invoke({"do": "echo", "it": text}).result == text


def test_a_larger_event_never_reaches_the_function(function: LambdaFunction) -> None:
    with pytest.raises(RequestTooLarge):
        function.invoke({"do": "echo", "it": "x" * 6_291_557})
    assert function.process_id is None


def test_a_larger_answer_is_an_error_and_the_function_goes_on(function: LambdaFunction) -> None:
    done = function.invoke({"do": "fill", "bytes": 6_291_557})
    assert (done.is_error, done.result["errorType"]) == (True, "Function.ResponseSizeTooLarge")
    assert function.invoke({"do": "echo", "it": 1}).result == 1


def test_a_zip_is_unpacked_and_its_process_ends_with_the_function(task_root: Path, tmp_path: Path) -> None:
    with ZipFile(tmp_path / "code.zip", "w") as archive:
        archive.write(task_root / "main.py", "deep/main.py")
    with LambdaFunction("deep.main.handle", task_root=tmp_path / "code.zip") as function:
        assert function.invoke({"do": "echo", "it": "zip"}).result == "zip"
        process = function.process_id
        assert process is not None
        assert _is_running(process)
    assert not _is_running(process)
    assert not function.task_root.exists()


def _is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in {"Z", "X"}
