"""The inside of the sandbox: take a request, lower the limits, extract, answer, wait for the next."""

import contextlib
import json
import os
import resource
import select
import threading
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

from chalicelib.errors import LorebaseError
from chalicelib.intake.errors import MemoryExceeded, ParserDied
from chalicelib.intake.extract.formats import extract, taken_media_types
from chalicelib.intake.extract.model import ExtractLimits
from chalicelib.intake.sniff import MediaType

_MESSAGE_BYTES = 1 << 20
_STACK_BYTES = 256 * 1024


def main() -> None:
    """Serve requests from stdin until it closes, which is also how a dead parent looks."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    # Whatever a library prints must not end up between the answers, nor may it read the requests.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    _offer_to_the_memory_killer()
    taken_media_types()
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, 0)
    threading.stack_size(_STACK_BYTES)
    threading.Thread(target=_leave_with_the_parent, args=(requests.fileno(),), daemon=True).start()
    _answer(answers, _encode({"ready": True}))
    while head := requests.read(8):
        length = int.from_bytes(head, "big")
        if length > _MESSAGE_BYTES:
            return
        _answer(answers, _handle(json.loads(requests.read(length))))


def _leave_with_the_parent(requests: int) -> None:
    """End this process, in the middle of a parse too, once nobody is left who could write a request."""
    poll = select.poll()
    poll.register(requests, 0)
    poll.poll()
    os._exit(0)


def _offer_to_the_memory_killer() -> None:
    """Ask Linux to kill this process first when the machine runs out of memory."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _handle(request: dict[str, object]) -> bytes:
    """Extract, and turn whatever happens into an answer; `spent` asks for this child to be replaced."""
    filename = str(request["filename"])
    given = request["limits"]
    limits = ExtractLimits(**given) if isinstance(given, dict) else ExtractLimits()
    _limit(limits)
    try:
        found = extract(
            Path(str(request["path"])), MediaType(str(request["media_type"])), filename=filename, limits=limits
        )
        return _encode({"extract": asdict(found)})
    except LorebaseError as error:
        return _encode({"error": type(error).__name__, "detail": error.detail, "members": error.members})
    except MemoryError:
        detail = f"{filename} took too much memory to read; split or simplify it."
        return _encode({"error": MemoryExceeded.__name__, "detail": detail, "spent": True})
    except Exception as error:  # noqa: BLE001 - the edge of the child: a parser's defect harms its document alone
        detail = f"{filename} made its parser fail; export it again or convert it."
        members = {"cause": type(error).__name__}
        return _encode({"error": ParserDied.__name__, "detail": detail, "members": members, "spent": True})


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


def _encode(message: dict[str, object]) -> bytes:
    """Write JSON in UTF-8, where no character takes more than its escape; file names may hold surrogates."""
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _answer(answers: BinaryIO, data: bytes) -> None:
    answers.write(len(data).to_bytes(8, "big") + data)
    answers.flush()


if __name__ == "__main__":
    main()
