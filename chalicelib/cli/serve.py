"""Runs everything in the foreground: embedded PostgreSQL, original store, workers, drop folder and HTTP API."""

import getpass
import logging
import signal
import sys
import threading
from contextlib import ExitStack
from functools import partial
from types import FrameType

from app import app
from chalicelib.bootstrap import Application, install_application, wire_local
from chalicelib.database.migrate import migrate
from chalicelib.errors import LorebaseError
from chalicelib.http.gateway import LocalGateway
from chalicelib.identity.found_first import found_first_organization
from chalicelib.identity.found_organization import Foundation
from chalicelib.log_lines import ReadableLines, write_log_lines
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
from chalicelib.triggers.chores import chores_of
from chalicelib.triggers.local_jobs import local_dispatcher, local_worker_name
from chalicelib.triggers.originals import Reception, receive_or_raise

_DROP_SECONDS = 2.0
_DATABASE_SECONDS = 1.0
_LOGGER = logging.getLogger(__name__)


def serve(settings: Settings) -> int:
    """Serve the data folder until a signal comes; return the exit code.

    Whatever was answered below 400 is in PostgreSQL or in the original store before it was answered, so a
    kill at any moment costs nothing but the work in hand, which the next start takes up again.
    """
    _log_to_terminal(settings)
    try:
        with ExitStack() as stack:
            _serve(settings, stack)
    except LorebaseError as error:
        print(error.detail, file=sys.stderr)
        return 1
    return 0


def _log_to_terminal(settings: Settings) -> None:
    """Log what a person at the terminal wants to see: each request only where they ask for detail."""
    write_log_lines(ReadableLines(), level=settings.log_level)
    requests = logging.getLogger("chalicelib.http.request_log")
    requests.setLevel(logging.INFO if settings.log_level == "DEBUG" else logging.WARNING)


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
        chores=chores_of(wired),
    )
    install_application(wired)
    stack.callback(install_application, None)
    dispatcher.start()
    stack.callback(dispatcher.stop)
    _watch_drops(wired, folder, emit, stack)
    _warm_up(wired)
    _greet(url, folder, token)
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


def _warm_up(wired: Application) -> None:
    """Load the model beside the start, so that the first question does not wait for it."""
    embedder = wired.embedder
    if embedder is None:
        return

    def load() -> None:
        try:
            embedder.embed_query("warm up")
        except LorebaseError as error:
            _LOGGER.warning("Search is lexical alone for now: %s", error.detail)

    threading.Thread(target=load, name="warm-up", daemon=True).start()


def _greet(url: str, folder: DataFolder, token: str | None) -> None:
    print(f"Lorebase listens on {url}", flush=True)
    print(f"Data folder: {folder.root}", flush=True)
    if token is not None:
        print(f"Owner's API key, shown this once and kept in {folder.owner_key}:\n  {token}", flush=True)
    print('Try: lorebase upload FOLDER, then: lorebase search "a question". Stop with Ctrl-C.', flush=True)


def _serve_until_signal(server: LocalServer) -> None:
    def stop(_number: int, _frame: FrameType | None) -> None:
        # Not from this thread: the server's loop runs in it and would wait for itself.
        threading.Thread(target=server.shutdown, daemon=True).start()

    previous = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        server.serve_forever()
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
