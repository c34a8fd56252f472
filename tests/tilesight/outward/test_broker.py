"""The table's state at a real broker, as Home Assistant sees it."""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from tests.tilesight.outward.mosquitto import PASSWORD, Mosquitto, broker, told, watching
from tests.tilesight.outward.receiver import WITHIN_S
from tests.web.fake_table import FakeTable
from tilesight.outward.broker_address import broker_address
from tilesight.outward.options import OutwardOptions
from tilesight.outward.outward import TableOutward
from web.limits.keys import KeyGuard
from web.table.access import Access

HOME = "home/table-1"
CONFIG = "homeassistant/device/home_table-1/config"


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilesight.outward.broker.RECONNECT_S", (1, 1))


def table_at(mosquitto: Mosquitto, table: FakeTable, password: str = PASSWORD) -> TableOutward:
    wanted = OutwardOptions(broker=broker_address(mosquitto.address, password))
    return TableOutward(table, KeyGuard(Access()), wanted, Console(file=io.StringIO()))


def client_of(outward: TableOutward) -> Any:
    """The client of the broker, whose connection a test breaks."""
    office: Any = vars(outward)["_office"]
    return office._broker._client


def test_home_assistant_sees_the_table_and_its_end(tmp_path: Path) -> None:
    table = FakeTable()
    with broker(tmp_path) as mosquitto, watching(mosquitto) as home:
        with table_at(mosquitto, table) as outward:
            seen = home.wait_for(lambda seen: seen.get(f"{HOME}/availability") == "online")
            assert outward.broker_connected()
            config = told(seen[CONFIG])
            entities = config["components"]
            assert config["availability_topic"] == f"{HOME}/availability"
            assert config["state_topic"] == f"{HOME}/state"
            assert config["device"]["identifiers"] == ["home_table-1"]
            named = {key: one for key, one in entities.items() if "unique_id" in one}
            assert set(named) == {"score_1", "score_2", "to_move", "question", "tiles_left", "over"}
            assert len({one["unique_id"] for one in named.values()}) == len(named)
            removed = {key: one for key, one in entities.items() if key not in named}
            assert removed == {f"score_{number}": {"platform": "sensor"} for number in range(3, 9)}
            table.play(12)
            table.ask()
            seen = home.wait_for(lambda seen: '"question": "ON"' in seen[f"{HOME}/state"])
            state, view = told(seen[f"{HOME}/state"]), table.state()
            assert [state["score_1"], state["score_2"]] == list(view.state.scores.values())
            assert any(state["players"][number]["score"] for number in (0, 1))
            assert state["to_move_color"] == view.state.player
            assert state["to_move"] in ("Ana", "Bo")
            assert state["tiles_left"] == sum(view.state.bag.values())
            assert state["over"] == "OFF"
            seen = home.wait_for(lambda seen: f"{HOME}/event/turn" in seen)
            assert told(seen[f"{HOME}/event/turn"])["type"] == "turn"
            table.end()
            seen = home.wait_for(lambda seen: '"over": "ON"' in seen[f"{HOME}/state"])
            state = told(seen[f"{HOME}/state"])
            assert state["to_move"] is None
            assert state["winners"] != []
        home.wait_for(lambda seen: seen[f"{HOME}/availability"] == "offline")
        # Who comes later is told all that is retained, and no event.
        with watching(mosquitto) as later:
            later.wait_for(lambda seen: len(seen) == 3)
            assert later.retained == {CONFIG, f"{HOME}/state", f"{HOME}/availability"}
            assert later.latest[f"{HOME}/availability"] == "offline"


def says_left(table: FakeTable) -> Callable[[dict[str, str]], bool]:
    """Condition that the broker's state has the table's present number of tiles left.

    The state before it may come first.
    """
    left = f'"tiles_left": {sum(table.state().state.bag.values())},'
    return lambda seen: left in seen[f"{HOME}/state"]


def test_a_broker_that_comes_back_is_told_everything_again(tmp_path: Path) -> None:
    table = FakeTable()
    mosquitto = Mosquitto(tmp_path)
    with table_at(mosquitto, table) as outward:  # it is not there yet
        table.play(2)
        assert outward.broker_connected() is False
        for _ in range(2):
            mosquitto.start()
            try:
                with watching(mosquitto) as home:
                    home.wait_for(lambda seen: seen.get(f"{HOME}/availability") == "online")
                    assert CONFIG in home.latest  # this broker keeps nothing over its end
                    home.wait_for(says_left(table))
            finally:
                mosquitto.stop()
            table.play(3)


def test_a_table_that_is_cut_off_becomes_unavailable(tmp_path: Path) -> None:
    with (
        broker(tmp_path) as mosquitto,
        watching(mosquitto) as home,
        table_at(mosquitto, FakeTable()) as outward,
    ):
        home.wait_for(lambda seen: seen.get(f"{HOME}/availability") == "online")
        client_of(outward).socket().shutdown(2)
        home.wait_for(lambda seen: seen[f"{HOME}/availability"] == "offline")
        home.wait_for(lambda seen: seen[f"{HOME}/availability"] == "online")  # it connects again


def test_a_wrong_password_stops_no_table(tmp_path: Path) -> None:
    table = FakeTable()
    with broker(tmp_path) as mosquitto, table_at(mosquitto, table, "wrong") as outward:
        table.play(3)
        began_s = time.monotonic()
    assert not outward.broker_connected()
    assert time.monotonic() - began_s < WITHIN_S


# paho leaves the socket of a handshake that failed to the collector.
@pytest.mark.filterwarnings("ignore:unclosed <ssl.SSLSocket:ResourceWarning")
def test_an_encrypted_broker_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = self_signed(tmp_path)
    with broker(tmp_path, certificate) as mosquitto:
        # Its authority is unknown: it gets no password.
        table = FakeTable()
        with table_at(mosquitto, table) as outward:
            client = client_of(outward)
            deadline_s = time.monotonic() + WITHIN_S
            failed: list[object] = []
            client.on_connect_fail = lambda *_: failed.append(1)
            while not failed and time.monotonic() < deadline_s:
                time.sleep(0.05)
            assert failed and not outward.broker_connected()
        client._thread.join(WITHIN_S)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        with table_at(mosquitto, table) as outward:
            deadline_s = time.monotonic() + WITHIN_S
            while not outward.broker_connected() and time.monotonic() < deadline_s:
                time.sleep(0.05)
            assert outward.broker_connected()


def self_signed(folder: Path) -> tuple[Path, Path]:
    """A certificate for localhost that is its own authority, and its key."""
    from datetime import UTC, datetime, timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    certificate, secret = folder / "cert.pem", folder / "key.pem"
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return certificate, secret
