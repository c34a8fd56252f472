"""A real MQTT broker: Debian's mosquitto in a process of its own, stopped and started again by a test."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

from tests.tilesight.outward.receiver import WITHIN_S

USER, PASSWORD = "table", "PAsswordOfTheBroker"
PROGRAM = shutil.which("mosquitto", path=os.environ.get("PATH", "") + os.pathsep + "/usr/sbin")


class Mosquitto:
    """A broker on a port of this computer, which takes ``USER`` alone."""

    def __init__(self, folder: Path, certificate: tuple[Path, Path] | None = None) -> None:
        if PROGRAM is None:
            pytest.skip("mosquitto is not installed (Debian: mosquitto)")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        passwords = folder / "passwords"
        subprocess.run(["mosquitto_passwd", "-b", "-c", passwords, USER, PASSWORD], check=True)
        passwords.chmod(0o644)  # mosquitto reads it as a user of its own, where it was started as root
        lines = [f"listener {self.port} 127.0.0.1", "allow_anonymous false", f"password_file {passwords}"]
        if os.name == "posix" and os.getuid() == 0:
            lines.append("user root")
        if certificate is not None:
            lines += [f"certfile {certificate[0]}", f"keyfile {certificate[1]}"]
        self._settings = folder / "mosquitto.conf"
        self._settings.write_text("\n".join(lines) + "\n", "utf-8")
        self._secure = certificate is not None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"{'mqtts' if self._secure else 'mqtt'}://{USER}@localhost:{self.port}/home/table-1"

    def start(self) -> None:
        assert PROGRAM is not None
        self._process = subprocess.Popen([PROGRAM, "-c", self._settings], stderr=subprocess.DEVNULL)
        deadline_s = time.monotonic() + WITHIN_S
        while time.monotonic() < deadline_s:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError("mosquitto did not start")

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()


@contextmanager
def broker(folder: Path, certificate: tuple[Path, Path] | None = None) -> Iterator[Mosquitto]:
    mosquitto = Mosquitto(folder, certificate)
    mosquitto.start()
    try:
        yield mosquitto
    finally:
        mosquitto.stop()


class Watcher:
    """What a client such as Home Assistant sees at a broker: the latest message of each topic."""

    def __init__(self, mosquitto: Mosquitto) -> None:
        self.latest: dict[str, str] = {}
        self.retained: set[str] = set()
        self._came = threading.Condition()
        client = Client(CallbackAPIVersion.VERSION2)
        client.username_pw_set(USER, PASSWORD)

        def take(_: Client, __: Any, message: MQTTMessage) -> None:
            with self._came:
                self.latest[message.topic] = message.payload.decode()
                if message.retain:
                    self.retained.add(message.topic)
                self._came.notify_all()

        client.on_message = take
        client.on_connect = lambda *_: client.subscribe("#", qos=1) and None
        client.connect("127.0.0.1", mosquitto.port)
        client.loop_start()
        self._client = client

    def wait_for(self, what: Callable[[dict[str, str]], object]) -> dict[str, str]:
        """The latest messages, once they are what a test waits for."""
        with self._came:
            assert self._came.wait_for(lambda: what(self.latest), WITHIN_S), self.latest
            return dict(self.latest)

    def stop(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


@contextmanager
def watching(mosquitto: Mosquitto) -> Iterator[Watcher]:
    watcher = Watcher(mosquitto)
    try:
        yield watcher
    finally:
        watcher.stop()


def told(text: str) -> dict[str, Any]:
    """A message as JSON."""
    value: dict[str, Any] = json.loads(text)
    return value
