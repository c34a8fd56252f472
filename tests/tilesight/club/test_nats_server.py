"""A real nats-server with a club's configuration: who may do what, who is refused, what survives."""

from __future__ import annotations

import asyncio
import datetime as dt
import json
import os
import signal
import ssl
import stat
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import nats
import pytest
from cryptography import x509
from nats.aio.client import Client
from nats.errors import NoRespondersError
from nats.js.api import StreamConfig

from tests.tilesight.club.club_parts import until
from tests.tilesight.club.nats_servers import client, free_port, holder, refused, serving, turned_away
from tilesight.club.connection import ensure_stream
from tilesight.club.credentials import CredentialError, KeyRing, Role
from tilesight.club.invitation import pinned
from tilesight.club.link.log_reader import LogReader
from tilesight.club.link.publisher import Publisher
from tilesight.club.nats_server import NatsServer, ServerError, ServerSettings, configuration
from tilesight.club.subjects import log_id
from tilesight.server import certificate
from tilesight.server.certificate import certificate_for
from tilesight.table_log.event_store import TableStore


@pytest.fixture
def ring(tmp_path: Path) -> KeyRing:
    return KeyRing(tmp_path / "keys.json")


@pytest.fixture
def hub(ring: KeyRing) -> tuple[str, Any]:
    return holder(ring, "hub", Role.HUB)


@pytest.fixture
def blue(ring: KeyRing) -> tuple[str, Any]:
    return holder(ring, "blue")


@pytest.fixture
def server(tmp_path: Path, ring: KeyRing, hub: object, blue: object) -> Iterator[NatsServer]:
    with serving(tmp_path / "nats", ring) as one:
        yield one


def run(main: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(asyncio.wait_for(main(), 60))


async def logs(of_hub: Client) -> None:
    await of_hub.jetstream().add_stream(
        StreamConfig(name="TABLES", subjects=["table.*.log.*"], allow_direct=True)
    )


def test_a_table_writes_its_own_log_and_reads_its_last_entry(server: NatsServer, hub: Any, blue: Any) -> None:
    async def main() -> None:
        async with client(server, *hub) as of_hub, client(server, *blue) as table:
            await logs(of_hub)
            stream = table.jetstream()
            assert (await stream.publish("table.blue.log.g1", b"1")).seq == 1
            await stream.publish(
                "table.blue.log.g1", b"2", headers={"Nats-Expected-Last-Subject-Sequence": "1"}
            )
            assert (await stream.get_last_msg("TABLES", "table.blue.log.g1", direct=True)).data == b"2"
            assert await refused(table, 0.2) == []

    run(main)


def test_a_table_reaches_nothing_of_another(server: NatsServer, ring: KeyRing, hub: Any, blue: Any) -> None:
    red = holder(ring, "red")
    server.apply(ring.valid())

    async def main() -> None:
        async with client(server, *hub) as of_hub, client(server, *blue) as a, client(server, *red) as b:
            await logs(of_hub)
            await b.jetstream().publish("table.red.log.g1", b"red")
            heard: list[str] = []

            async def hear(message: Any) -> None:
                heard.append(message.subject)

            for subject in ("table.red.>", "table.>", ">", "_INBOX.>", "$JS.>", "table.red.command"):
                await a.subscribe(subject, cb=hear)
                assert len(await refused(a)) == 1, subject
            for subject in (
                *("table.red.log.g1", "table.red.status", "table.red.preview", "table.red.command"),
                *(
                    "$JS.API.STREAM.PURGE.TABLES",
                    "$JS.API.STREAM.DELETE.TABLES",
                    "$JS.API.STREAM.MSG.GET.TABLES",
                ),
                *("$JS.API.DIRECT.GET.TABLES", "$JS.API.DIRECT.GET.TABLES.table.red.log.g1"),
                *("$JS.API.CONSUMER.CREATE.TABLES.x", "$SYS.REQ.SERVER.PING", "$KV.leases.red"),
            ):
                await a.publish(subject, b"x")
                assert len(await refused(a)) == 1, subject
            await b.publish("table.red.status", b"1")
            await b.flush()
            assert heard == []
            assert (await of_hub.jetstream().stream_info("TABLES")).state.messages == 1

    run(main)


def test_a_table_cannot_make_an_entry_of_another_pass_for_a_duplicate(
    server: NatsServer, ring: KeyRing, hub: Any, blue: Any, tmp_path: Path
) -> None:
    red = holder(ring, "red")
    server.apply(ring.valid())
    with TableStore(tmp_path / "blue.table") as store:
        first = store.append("table", {})
    game = log_id(first)

    async def main() -> None:
        async with client(server, *hub) as of_hub, client(server, *blue) as a, client(server, *red) as b:
            await ensure_stream(of_hub.jetstream())
            for taken in ("blue:1", f"blue:{game}:1"):
                await b.jetstream().publish("table.red.log.g1", b"{}", headers={"Nats-Msg-Id": taken})
            log = LogReader(tmp_path / "blue.table")
            assert await Publisher(a.jetstream(), "blue", log).publish_new() == 1
            log.close()
            last = await of_hub.jetstream().get_last_msg("TABLES", f"table.blue.log.{game}", direct=True)
            assert json.loads(last.data or b"")["number"] == 1

    run(main)


def test_a_command_is_answered_to_who_asked_and_once(server: NatsServer, hub: Any, blue: Any) -> None:
    async def main() -> None:
        async with client(server, *hub) as of_hub, client(server, *blue) as table:

            async def answer(message: Any) -> None:
                await message.respond(b"done")
                await message.respond(b"and more")

            await table.subscribe("table.blue.command", cb=answer)
            assert await refused(table, 0.2) == []  # the library's flush may overtake what was subscribed to
            assert (await of_hub.request("table.blue.command", b"{}", timeout=5)).data == b"done"
            assert len(await refused(table)) == 1, "a second answer"
            with pytest.raises(NoRespondersError):
                await of_hub.request("table.red.command", b"{}", timeout=5)

    run(main)


def test_a_revoked_table_is_cut_off_and_refused_at_once(
    server: NatsServer, ring: KeyRing, hub: Any, blue: Any
) -> None:
    async def main() -> None:
        gone = asyncio.Event()

        async def closed() -> None:
            gone.set()

        async with client(server, *blue, closed_cb=closed), client(server, *hub) as of_hub:
            ring.revoke("blue", Role.TABLE)
            await asyncio.to_thread(server.apply, ring.valid())
            await asyncio.wait_for(gone.wait(), 2)
            assert "uthorization" in await turned_away(server, nkeys_seed_str=blue[0])
            assert of_hub.is_connected, "the others stay"

    run(main)


def test_who_has_no_key_gets_nothing(server: NatsServer, ring: KeyRing) -> None:
    stranger = holder(KeyRing(ring.path.with_name("other.json")), "blue")

    async def main() -> None:
        assert "uthorization" in await turned_away(server)
        assert "uthorization" in await turned_away(server, nkeys_seed_str=stranger[0])

    run(main)


def test_what_was_told_is_there_after_a_kill(server: NatsServer, ring: KeyRing, hub: Any, blue: Any) -> None:
    async def told(data: bytes) -> int:
        async with client(server, *hub) as of_hub, client(server, *blue) as table:
            await logs(of_hub)
            await table.jetstream().publish("table.blue.log.g1", data)
            return int((await of_hub.jetstream().stream_info("TABLES")).state.messages)

    assert asyncio.run(told(b"1")) == 1
    process = server._process
    assert process is not None
    process.kill()
    process.wait()
    assert server.monitored() is None
    server.start(ring.valid())
    assert asyncio.run(told(b"2")) == 2


def test_a_server_that_dies_is_started_again_while_it_is_kept(tmp_path: Path, ring: KeyRing) -> None:
    settings = ServerSettings(
        tmp_path / "nats", port=free_port(), monitor_port=free_port(), store_bytes=2**26
    )
    server = NatsServer(settings)
    with server.kept(ring.valid):
        first = int(settings.pid_path.read_text())
        os.kill(first, signal.SIGKILL)
        until(lambda: server.monitored() is not None and int(settings.pid_path.read_text()) != first)
    assert server.monitored() is None


def test_a_hub_that_is_started_again_finds_its_server_running(server: NatsServer, ring: KeyRing) -> None:
    number = server.settings.pid_path.read_text()
    again = NatsServer(server.settings)
    again.start(ring.valid())
    assert server.settings.pid_path.read_text() == number


def test_the_server_is_the_one_of_the_invitation(tmp_path: Path, ring: KeyRing, blue: Any) -> None:
    shown = certificate_for("127.0.0.1", tmp_path / "https")
    other = certificate_for("127.0.0.1", tmp_path / "other")
    with serving(tmp_path / "nats", ring, shown) as server:
        place = f"127.0.0.1:{server.settings.port}"

        async def main() -> None:
            tls = await pinned(place, shown.fingerprint)
            async with client(server, *blue, tls=tls) as table:
                await table.flush()
            with pytest.raises(CredentialError, match="another"):
                await pinned(place, other.fingerprint)
            with pytest.raises((ssl.SSLError, nats.errors.Error, OSError)):
                async with client(server, *blue, tls=ssl.create_default_context()):
                    raise AssertionError("any certificate will do")

        run(main)


def test_a_pinned_certificate_holds_beyond_its_end_and_is_never_replaced(
    tmp_path: Path, ring: KeyRing, blue: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(certificate, "LASTING", dt.timedelta(hours=-1))
    made = certificate_for("tilesight-club", tmp_path / "https", lasting=True)
    monkeypatch.undo()
    kept = certificate_for("tilesight-club", tmp_path / "https", lasting=True)
    assert kept == made, "every invitation names this one"
    with serving(tmp_path / "nats", ring, kept) as server:

        async def main() -> None:
            tls = await pinned(f"127.0.0.1:{server.settings.port}", kept.fingerprint)
            async with client(server, *blue, tls=tls) as table:
                await table.flush()

        run(main)


def test_a_hubs_certificate_outlasts_the_club(tmp_path: Path) -> None:
    made = certificate_for("tilesight-club", tmp_path, lasting=True)
    read = x509.load_pem_x509_certificate(made.cert_path.read_bytes())
    assert read.not_valid_after_utc > dt.datetime.now(dt.UTC) + dt.timedelta(days=49 * 365)


def test_the_configuration_is_private_and_without_tls_it_stays_on_this_computer(
    server: NatsServer, tmp_path: Path, ring: KeyRing
) -> None:
    told = json.loads(server.settings.config_path.read_text("utf-8"))
    assert told["http"].startswith("127.0.0.1:") and len(told["authorization"]["users"]) == 2
    assert stat.S_IMODE(server.settings.config_path.stat().st_mode) == 0o600
    with pytest.raises(ServerError, match="TLS"):
        configuration(ServerSettings(tmp_path, host="0.0.0.0"), ring.valid())


def test_a_server_that_cannot_start_says_why(server: NatsServer, tmp_path: Path, ring: KeyRing) -> None:
    taken = ServerSettings(tmp_path / "second", port=server.settings.port, monitor_port=free_port())
    with pytest.raises(ServerError, match=r"does not start: .*in use"):
        NatsServer(taken).start(ring.valid())
