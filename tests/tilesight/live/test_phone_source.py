"""A phone's pictures as a source, and the certificate that its browser asks for."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import socket
import ssl
import stat
import threading
import urllib.request
from pathlib import Path

import cv2
import numpy as np
import pytest
import uvicorn
from cryptography import x509
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidState

from engine.message import Message
from tests.web.fake_table import FakeTable
from tilesight.live.capture import Lost
from tilesight.live.phone_source import SILENT, PhoneSource
from tilesight.server import certificate
from tilesight.server.certificate import certificate_for
from tilesight.server.dashboard import Dashboard
from vision.observation import Frame
from web.qr import qr_text


def jpeg(value: int) -> bytes:
    return bytes(cv2.imencode(".jpg", np.full((90, 160, 3), value, np.uint8))[1])


async def answers_to(
    messages: list[str | bytes], address: str, trusting: ssl.SSLContext
) -> list[dict[str, object]]:
    """What the server answers to each. In one thread: the client that reads in a second one shares its TLS
    connection between both, which OpenSSL does not allow, and now and then it hangs."""
    answers = []
    async with connect(address, ssl=trusting) as phone:
        for message in messages:
            await phone.send(message)
            answers.append(json.loads(await phone.recv()))
    return answers


def test_a_phones_pictures_come_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilesight.live.capture.LOST_AFTER_S", 0.2)
    phone = PhoneSource()
    frames = phone.frames()
    assert next(frames) == Lost(Message("waiting for the phone: open its camera page"))
    seen = []
    for value in (40, 200):
        phone.push(jpeg(value))
        seen.append(next(frame for frame in frames if isinstance(frame, Frame)))
    assert [round(float(frame.image.mean())) for frame in seen] == [40, 200]
    assert [frame.index for frame in seen] == [0, 1] and phone.dropped == 0
    assert next(frames) == Lost(SILENT), "a phone that is gone is told"
    phone.push(b"\xff\xd8\xffno picture")
    said = [next(frames) for _ in range(2)]
    assert all(isinstance(one, Lost) for one in said)
    phone.close()


def test_the_camera_page_is_served_encrypted_with_a_certificate_that_is_kept(tmp_path: Path) -> None:
    phone = PhoneSource()
    table = FakeTable()
    options = {"host": "127.0.0.1", "port": 0, "phone": phone, "certificates": tmp_path}
    with Dashboard(table, **options) as dashboard:  # type: ignore[arg-type]
        assert dashboard.camera_url is not None and dashboard.certificate is not None
        trusting = ssl.create_default_context(cafile=str(dashboard.certificate.cert_path))
        with urllib.request.urlopen(dashboard.camera_url, timeout=60, context=trusting) as answer:
            assert b"camera_page.js" in answer.read()
        address = dashboard.camera_url.split("/camera")[0].replace("https", "wss") + "/api/phone"
        said: list[str | bytes] = [json.dumps({"key": dashboard.key}), jpeg(90)]
        answers = asyncio.run(asyncio.wait_for(answers_to(said, address, trusting), 20))
        assert answers[0] == {"welcome": True} and answers[1]["frame"] == 1
        assert "█" in qr_text(dashboard.camera_url)
        assert dashboard.certificate.fingerprint in dashboard.about_camera()
        first = dashboard.certificate
    assert not [thread for thread in threading.enumerate() if thread.name == "dashboard"]
    assert stat.S_IMODE(first.key_path.stat().st_mode) == 0o600
    assert certificate_for("127.0.0.1", tmp_path) == first, "a phone that trusts it is not asked again"


def test_a_phone_that_leaves_while_the_dashboard_stops_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = uvicorn.Server.shutdown

    async def stop_and_stumble(server: uvicorn.Server, sockets: list[socket.socket] | None = None) -> None:
        await stop(server, sockets=sockets)
        raise InvalidState("connection is closing")  # as uvicorn does where a WebSocket is half closed

    monkeypatch.setattr(uvicorn.Server, "shutdown", stop_and_stumble)
    with Dashboard(FakeTable(), host="127.0.0.1", port=0):
        pass
    assert not [thread for thread in threading.enumerate() if thread.name == "dashboard"]


def test_a_certificate_is_made_anew_for_another_address_or_near_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = certificate_for("192.168.1.20", tmp_path)
    second = certificate_for("192.168.1.21", tmp_path)
    assert second.fingerprint != first.fingerprint
    read = x509.load_pem_x509_certificate(second.cert_path.read_bytes())
    assert read.not_valid_after_utc - read.not_valid_before_utc < dt.timedelta(days=398)
    monkeypatch.setattr(certificate, "RENEWED_BEFORE_END", dt.timedelta(days=500))
    assert certificate_for("192.168.1.21", tmp_path).fingerprint != second.fingerprint
    second.cert_path.write_text("damaged")
    assert certificate_for("192.168.1.21", tmp_path).cert_path.read_text() != "damaged"
