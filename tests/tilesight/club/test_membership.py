"""Membership in a club: an invitation that a lobby accepts, keeps, and passes on to its tables."""

from __future__ import annotations

import io
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest
import segno

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from tilesight.club.credentials import Role
from tilesight.club.invitation import Invitation
from tilesight.club.membership import ClubMembership
from tilesight.lobby.command_process import HUB, TableProcess
from tilesight.lobby.memory import LobbyMemory
from web.lobby_club import JoinedClub
from web.table.refusal import Refusal


def invitation(role: Role = Role.TABLE, server: str = "127.0.0.1:1") -> str:
    return Invitation("http://hub.local:8780", server, role, "hall-1", "7K" * 13).url


def test_an_invitation_is_kept_and_left(tmp_path: Path) -> None:
    path = tmp_path / "lobby.json"
    url = invitation()
    membership = ClubMembership(LobbyMemory(path))
    assert membership.joined() is None
    assert membership.join(url) is False  # nobody answers there: the hub is told later
    again = LobbyMemory(path)
    assert again.hub == url and path.stat().st_mode & 0o077 == 0
    assert ClubMembership(again).joined() == JoinedClub("http://hub.local:8780", "hall-1")
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert membership.join(invitation(server=f"127.0.0.1:{server.getsockname()[1]}")) is True
    membership.leave()
    assert LobbyMemory(path).hub is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("hello", "no_invitation"),
        ("http://hub.local:8780/join#link=1", "no_invitation"),
        (invitation(Role.WORKER), "other_role"),
    ],
)
def test_an_invalid_invitation_is_refused_and_changes_nothing(tmp_path: Path, text: str, code: str) -> None:
    membership = ClubMembership(LobbyMemory(tmp_path / "lobby.json"))
    membership.join(invitation())
    with pytest.raises(Refusal) as refused:
        membership.join(text)
    assert refused.value.code == code
    assert membership.joined() is not None


def test_the_code_that_keys_new_prints_is_read(tmp_path: Path) -> None:
    membership = ClubMembership(LobbyMemory(tmp_path / "lobby.json"))
    for _ in range(50):  # `cv2.QRCodeDetector` misses one drawn code in 200
        url, drawn = invitation(), io.BytesIO()
        segno.make(url, error="m").save(drawn, kind="png", scale=6, border=4)
        assert membership.read_code(drawn.getvalue()) == url
    with pytest.raises(Refusal, match="no QR code"):
        membership.read_code(b"\xff\xd8 no picture")


def test_a_table_gets_its_hubs_key_in_the_environment_and_not_as_an_argument(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: list[dict[str, Any]] = []

    class Begun(Exception):
        pass

    def begin(command: list[str], **how: Any) -> None:
        begun.append({"command": command, **how})
        raise Begun

    monkeypatch.setattr(subprocess, "Popen", begin)
    for hub in ("http://hub/join#key=secret", None):
        with pytest.raises(Begun):
            TableProcess(["--game=safari"], hub)
    assert begun[0]["env"][HUB] == "http://hub/join#key=secret"
    assert "secret" not in " ".join(begun[0]["command"])
    assert HUB not in begun[1]["env"]
