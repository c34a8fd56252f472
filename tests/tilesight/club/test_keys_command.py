"""`tilesight keys` beside a running hub: a worker is invited, gets in, and is put out again."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from websockets.exceptions import InvalidStatus

from tests.tilesight.club.socket_hubs import served_hub, speaking
from tilesight import app as command_line
from tilesight.club.credentials import Role
from tilesight.club.database.engine import open_database
from tilesight.club.frames import REVOKED
from tilesight.club.invitation import Invitation, LinkPlace, invitation_of


def keys(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    monkeypatch.setattr(sys, "argv", ["tilesight", "keys", *words])
    with pytest.raises(SystemExit) as ended:
        command_line.main()
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out + err


def test_a_worker_is_invited_gets_in_and_is_put_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path))
    club, engine = tmp_path / "club", open_database(tmp_path / "hub.db")

    async def put_out(invited: Invitation) -> None:
        async with speaking(invited) as worker:
            assert keys(monkeypatch, capsys, "revoke", "hall-3", "--role", "worker") == (
                0,
                "worker hall-3: cut off\n",
            )
            assert (await worker.closed())[0] == REVOKED
        with pytest.raises(InvalidStatus):
            async with speaking(invited):
                pass

    with served_hub(club, engine) as served:
        LinkPlace.at(f"http://{served.server}").keep(club)
        code, said = keys(monkeypatch, capsys, "new", "hall-3", "--role", "worker")
        assert code == 0, said
        invitation = invitation_of(said.strip().splitlines()[-1])
        assert (invitation.name, invitation.role) == ("hall-3", Role.WORKER)
        assert invitation.link_url == f"ws://{served.server}/link"
        asyncio.run(put_out(invitation))
    engine.dispose()
    listed = json.loads(keys(monkeypatch, capsys, "list", "--json")[1])["keys"]
    assert [(one["name"], one["revoked_s"] is None) for one in listed] == [("hall-3", False)]
    assert "hall-3" in keys(monkeypatch, capsys, "list")[1]


def test_wrong_use_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path))
    for words in (["new", "Hall 3"], ["revoke", "hall-3"]):
        code, said = keys(monkeypatch, capsys, *words)
        assert code == 2 and said.startswith("tilesight: ") and said.count("\n") == 1
    assert "No hub has run here yet" in keys(monkeypatch, capsys, "new", "hall-2")[1]
    code, said = keys(monkeypatch, capsys, "new", "hall-3", "--json")
    told = json.loads(said)["key"]
    assert code == 0 and not told["served"] and invitation_of(told["url"]).name == "hall-3"
