"""Runs everything in the foreground: embedded PostgreSQL, original store, workers, drop folder and HTTP API."""

import getpass
import logging
import signal
import threading
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from types import FrameType

from app import app
from chalicelib.bootstrap import Application, install_application, wire_local
from chalicelib.cli.server_address import is_loopback
from chalicelib.cli.text import harmless
from chalicelib.cli.warm_up import warm_up
from chalicelib.database.migrate import migrate
from chalicelib.embedding_spaces.find_in_use import find_in_use
from chalicelib.http.gateway import LocalGateway
from chalicelib.identity.found_first import found_first_organization
from chalicelib.identity.found_organization import Foundation
from chalicelib.intake.store import list_refused_drops
from chalicelib.platform.local.data_folder import DataFolder
from chalicelib.platform.local.doorbell import LocalDoorbell
from chalicelib.platform.local.drop_folder import DropFolder
from chalicelib.platform.local.drop_record import DropRecord
from chalicelib.platform.local.durable_files import make_private_folder, write_private_file
from chalicelib.platform.local.http_server import LocalServer
from chalicelib.platform.local.originals import LocalOriginals
from chalicelib.platform.local.postgres.launcher import start_postgres
from chalicelib.platform.local.postgres.watch import keep_running
from chalicelib.platform.local.presigned_requests import PresignedRequests
from chalicelib.settings import Settings
from chalicelib.telemetry.log_lines import ReadableLines, write_log_lines
from chalicelib.triggers.chores import chores_of
from chalicelib.triggers.local_jobs import local_dispatcher, local_worker_name
from chalicelib.triggers.originals import Reception, receive_or_raise

_DROP_SECONDS = 2.0
_DATABASE_SECONDS = 1.0
_WARM_UP_SECONDS = 10.0
_OF_NO_INTEREST = ("chalicelib.http.request_log", "chalicelib.jobs", "chalicelib.triggers")


def serve(settings: Settings) -> int:
    """Serve the data folder until a signal comes; return the exit code. Raises LorebaseError where it cannot start.

    Whatever was answered below 400 is in PostgreSQL or in the original store before it was answered, so a
    kill at any moment costs nothing but the work in hand, which the next start takes up again.
    """
    _log_to_terminal(settings)
    with ExitStack() as stack:
        _serve(settings, stack)
    _say("Lorebase has stopped; the next start goes on from here.")
    return 0


def _log_to_terminal(settings: Settings) -> None:
    """Log what a person at the terminal wants to see: requests and rounds only where they ask for detail."""
    write_log_lines(ReadableLines(), level=settings.log_level)
    if settings.log_level != "DEBUG":
        for name in _OF_NO_INTEREST:
            logging.getLogger(name).setLevel(logging.WARNING)


def _serve(settings: Settings, stack: ExitStack) -> None:
    folder = DataFolder(settings.data_folder)
    folder.create()
    occupied = stack.enter_context(folder.occupy(f"http://{settings.host}:{settings.port}"))
    server = stack.enter_context(_server(settings))
    url = settings.public_url or server.url
    occupied.announce(url)
    conninfo = settings.database_url or _start_postgres(folder, stack)
    migrate(conninfo)
    doorbell = LocalDoorbell()
    wired, presigner = wire_local(settings, conninfo=conninfo, address=lambda: url, doorbell=doorbell)
    stack.callback(wired.close)
    token = _found_first(wired, folder)
    reception = Reception(wired.database, wired.intake_rules, wired.clock)
    emit = partial(receive_or_raise, reception=reception)
    _local(wired).remove_drafts()
    server.presigned = PresignedRequests(_local(wired), presigner=presigner, clock=wired.clock, emit=emit)
    dispatcher = local_dispatcher(
        wired.worker(local_worker_name()),
        doorbell,
        workers=settings.workers,
        sweep_seconds=settings.sweep_seconds,
        chores={**chores_of(wired), "refused drops": _tell_refused_drops(wired)},
    )
    install_application(wired)
    stack.callback(install_application, None)
    dispatcher.start()
    stack.callback(dispatcher.stop)
    _watch_drops(wired, folder, emit, stack)
    _greet(url, folder, token, host=settings.host)
    # A process that ends while the model is being compiled is aborted by the compiler's own threads.
    with wired.database.transaction() as tx:
        in_use = find_in_use(tx, embedders=wired.embedders)
    stack.callback(warm_up(in_use, settings, say=_say).join, _WARM_UP_SECONDS)
    _serve_until_signal(server)


def _start_postgres(folder: DataFolder, stack: ExitStack) -> str:
    """Start the embedded server, and again whenever it ends before us; return how to connect to it."""
    postgres = stack.enter_context(start_postgres(folder.postgres))
    stop = threading.Event()
    watcher = threading.Thread(
        target=keep_running, args=(postgres, stop), kwargs={"every_seconds": _DATABASE_SECONDS}, daemon=True
    )
    watcher.start()
    stack.callback(watcher.join, 10.0)
    stack.callback(stop.set)
    return postgres.conninfo


def _server(settings: Settings) -> LocalServer:
    return LocalServer(
        app,
        host=settings.host,
        port=settings.port,
        gateway=LocalGateway(),
        request_bytes=settings.request_bytes,
    )


def _found_first(wired: Application, folder: DataFolder) -> str | None:
    def keep(foundation: Foundation) -> None:
        write_private_file(folder.owner_key, [foundation.token.encode()])
        make_private_folder(folder.root / "drop" / foundation.workspace.slug)

    with wired.database.transaction() as tx:
        foundation = found_first_organization(tx, owner_name=_user_name(), pepper=wired.pepper, keep=keep)
    return None if foundation is None else foundation.token


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # an account without a name, as in some containers
        return "owner"


def _local(wired: Application) -> LocalOriginals:
    if not isinstance(wired.originals, LocalOriginals):
        raise TypeError("a local process keeps its originals in a folder")
    return wired.originals


def _watch_drops(wired: Application, folder: DataFolder, emit: "partial[None]", stack: ExitStack) -> None:
    drops = DropFolder(
        folder.root / "drop",
        originals=wired.originals,
        record=DropRecord(folder.root / "drops.jsonl"),
        clock=wired.clock,
        emit=emit,
    )
    stop = threading.Event()
    watcher = threading.Thread(
        target=drops.watch, args=(stop,), kwargs={"every_seconds": _DROP_SECONDS}, name="drops", daemon=True
    )
    watcher.start()
    stack.callback(watcher.join, 10.0)
    stack.callback(stop.set)


def _tell_refused_drops(wired: Application) -> Callable[[], int]:
    """Return a chore that says of each dropped file that came to nothing since now what it was and why."""
    since = wired.clock.now()

    def tell() -> int:
        nonlocal since
        with wired.database.transaction() as tx:
            refused = list_refused_drops(tx, since=since)
        for drop in refused:
            since = drop["finished_at"]
            _say(harmless(f"Not taken from the drop folder: {drop['slug']}/{drop['path']}: {drop['reason']['detail']}"))
        return len(refused)

    return tell


def _say(text: str) -> None:
    """Tell the person at the terminal."""
    print(text, flush=True)


def _greet(url: str, folder: DataFolder, token: str | None, *, host: str) -> None:
    _say(f"Lorebase listens on {url}")
    if not is_loopback(f"http://[{host}]" if ":" in host else f"http://{host}"):
        _say(f"Others reach {host}, and keys travel there in the clear: see docs/operations.md, For a team.")
    _say(f"Data folder: {folder.root}")
    if token is not None:
        _say(f"Owner's API key, shown this once and kept in {folder.owner_key}:\n  {token}")
    _say('Try: lorebase upload FOLDER, then: lorebase search "a question". Stop with Ctrl-C.')


def _serve_until_signal(server: LocalServer) -> None:
    def stop(_number: int, _frame: FrameType | None) -> None:
        _say("Stopping …")
        # Not from this thread: the server's loop runs in it and would wait for itself.
        threading.Thread(target=server.shutdown, daemon=True).start()

    previous = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        server.serve_forever()
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
