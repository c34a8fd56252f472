"""Control of a running table by other processes of its owner: where it is served, and how it is ended.

While a table runs, a private file beside its log says where. The file outlives a kill, so it proves nothing
by itself: whoever listens at its port must show that it knows the file's secret. No process number is used,
which another process may have by now.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path

from pydantic import BaseModel, ValidationError

from tilesight.home import write_privately
from tilesight.table_log.sqlite_log import control_file_of

log = logging.getLogger("tilesight.server.table_control")
HERE = "127.0.0.1"
"""Address at which a table listens for its control."""
ANSWERS_WITHIN_S = 1.0
"""Seconds within which a table proves that it is one."""
PAUSE_S = 0.1
"""Seconds between a connection that failed and the next."""
ORPHAN, OWNED, STOP = b"orphan", b"owned", b"stop"
"""Words of a table about its parent process, which is gone or there, and the word that ends it."""
LONGEST_WORD = 16
"""Maximum length of such a word in bytes."""
SILENT = (OSError, EOFError, AuthenticationError)
"""Errors of a connection to something that is no table, or none any more."""


class Control(BaseModel):
    """Contents of the file: ``ready`` is the table's first line of `live --json`."""

    ready: dict[str, str | bool]
    port: int
    secret: str

    @classmethod
    def of(cls, path: Path) -> Control | None:
        """Return the contents of the file beside the log ``path``; None if there is none."""
        try:
            return cls.model_validate_json(control_file_of(path).read_bytes())
        except (OSError, ValidationError):
            return None

    def is_orphan(self) -> bool | None:
        """Whether the process that started the table is gone; None if no such table answers.

        On Windows, where no process learns of it, it is never gone.
        """
        said: list[bytes] = []
        self._speak(lambda link: said.append(link.recv_bytes(LONGEST_WORD)))
        return said[0] == ORPHAN if said else None

    def stop(self) -> None:
        """Tell the table to end as with Ctrl-C. No effect if none answers."""
        self._speak(lambda link: link.send_bytes(STOP))

    def _speak(self, do: Callable[[Connection], None]) -> None:
        """Connect to the table, and do something with the connection; give up after `ANSWERS_WITHIN_S`."""

        def speak() -> None:
            with (
                contextlib.suppress(*SILENT),
                Client((HERE, self.port), authkey=self.secret.encode()) as link,
            ):
                do(link)

        thread = threading.Thread(target=speak, name="table's control", daemon=True)
        thread.start()
        thread.join(ANSWERS_WITHIN_S)


@contextlib.contextmanager
def controlled(path: Path, ready: Mapping[str, str | bool]) -> Iterator[None]:
    """Let the table with the log ``path`` be found and ended by its owner while the ``with`` block runs.

    ``ready`` is its first line of `live --json`. Where the file cannot be written, as on a full disk, the
    table goes on without.
    """
    secret, file, ended = secrets.token_hex(16), control_file_of(path), threading.Event()
    with Listener((HERE, 0), authkey=secret.encode()) as listener:
        control = Control(ready=dict(ready), port=listener.address[1], secret=secret)
        listening = (listener, os.getppid(), ended)
        threading.Thread(target=_listen, args=listening, name="control", daemon=True).start()
        try:
            write_privately(file, control.model_dump_json())
        except OSError as error:
            log.warning("%s: %s; the next lobby does not find this table", file, error.strerror)
        try:
            yield
        finally:
            ended.set()
            with contextlib.suppress(OSError):
                file.unlink(missing_ok=True)


def _listen(listener: Listener, parent: int, ended: threading.Event) -> None:
    """Answer whoever knows the secret, until ``ended``; ``parent`` is the process that started this one."""
    while not ended.is_set():
        try:
            with listener.accept() as link:
                if ended.is_set():
                    return
                link.send_bytes(OWNED if os.getppid() == parent else ORPHAN)
                if link.recv_bytes(LONGEST_WORD) == STOP:
                    os.kill(os.getpid(), signal.SIGTERM)  # to the process: its main thread may sleep
        except SILENT:  # a wrong secret, a closed connection, or no descriptor left
            ended.wait(PAUSE_S)
