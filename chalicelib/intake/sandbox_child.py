"""The inside of the sandbox: take a request, lower the limits, extract, answer, wait for the next."""

import contextlib
import json
import os
import resource
import sys
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

from chalicelib.errors import LorebaseError
from chalicelib.intake.errors import MemoryExceeded, ParserDied
from chalicelib.intake.extract.formats import extract, taken_media_types
from chalicelib.intake.extract.model import ExtractLimits
from chalicelib.intake.sniff import MediaType

_MESSAGE_BYTES = 1 << 20


def main() -> None:
    """Serve requests from stdin until it closes, which is also how a dead parent looks."""
    requests = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb")
    # Whatever a library prints must not end up between the answers.
    os.dup2(2, 1)
    taken_media_types()
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, 0)
    _answer(answers, {"ready": True})
    while head := requests.read(8):
        length = int.from_bytes(head, "big")
        if length > _MESSAGE_BYTES:
            return
        _answer(answers, _handle(json.loads(requests.read(length))))


def _handle(request: dict[str, object]) -> dict[str, object]:
    """Extract, and turn whatever happens into an answer; `spent` asks for this child to be replaced."""
    filename = str(request["filename"])
    given = request["limits"]
    limits = ExtractLimits(**given) if isinstance(given, dict) else ExtractLimits()
    _limit(limits)
    try:
        found = extract(
            Path(str(request["path"])), MediaType(str(request["media_type"])), filename=filename, limits=limits
        )
        return {"extract": asdict(found)}
    except LorebaseError as error:
        return {"error": type(error).__name__, "detail": error.detail, "members": error.members}
    except MemoryError:
        detail = f"{filename} took too much memory to read; split or simplify it."
        return {"error": MemoryExceeded.__name__, "detail": detail, "spent": True}
    except Exception as error:  # noqa: BLE001 - the edge of the child: a parser's defect harms its document alone
        detail = f"{filename} made its parser fail; export it again or convert it."
        return {
            "error": ParserDied.__name__,
            "detail": detail,
            "members": {"cause": type(error).__name__},
            "spent": True,
        }


def _limit(limits: ExtractLimits) -> None:
    """Allow this request its memory, and its seconds of CPU on top of what the child has used so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    _lower(resource.RLIMIT_AS, limits.memory_bytes)
    _lower(resource.RLIMIT_CPU, int(used.ru_utime + used.ru_stime + limits.seconds) + 1)


def _lower(which: int, amount: int) -> None:
    """Set the soft limit; macOS refuses some, and the parent's clock still holds there."""
    _, hard = resource.getrlimit(which)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(which, (amount if hard == resource.RLIM_INFINITY else min(amount, hard), hard))


def _answer(answers: BinaryIO, message: dict[str, object]) -> None:
    data = json.dumps(message).encode()
    answers.write(len(data).to_bytes(8, "big") + data)
    answers.flush()


if __name__ == "__main__":
    main()
