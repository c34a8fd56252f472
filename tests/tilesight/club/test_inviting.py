"""Inviting: the addresses of the hub as it last ran, many keys at once or none, and the sheets on paper."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from tests.tilesight.club.test_keys_command import keys
from tilesight.club.credentials import KeyRing, Role
from tilesight.club.invitation import LinkPlace, invitation_of
from tilesight.club.invitation_sheet import invitation_pdf
from tilesight.club.inviting import Inviter, PageInvitations, numbered
from web.table.refusal import Refusal


def test_an_invitation_names_the_addresses_at_which_the_hub_last_ran(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path))
    LinkPlace("http://192.0.2.7:9000", "192.0.2.7:8783", "AB" * 32).keep(tmp_path / "club")
    told = json.loads(keys(monkeypatch, capsys, "new", "hall-1", "--json")[1])["key"]
    assert told["url"].startswith("http://192.0.2.7:9000/join#link=192.0.2.7:8783&table=hall-1&")
    # Another address of the same hub: the port and the certificate are the same ones.
    [one] = Inviter(tmp_path / "club", "http://hub.local:9000/").invite(["hall-2"], Role.TABLE)
    assert (one.link_url, one.fingerprint) == ("wss://hub.local:8783/link", "AB" * 32)
    [one] = Inviter(tmp_path / "club", "https://club.example").invite(["hall-3"], Role.TABLE)
    assert (one.link_url, one.fingerprint) == ("wss://club.example:443/link", None)
    [one] = Inviter(tmp_path / "club").invite(["w"], Role.WORKER)
    assert one.url.startswith("http://192.0.2.7:9000/join#link=192.0.2.7:8783&worker=w&")


def test_many_are_invited_at_once_or_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path))
    sheet = tmp_path / "sheet.pdf"
    code, said = keys(monkeypatch, capsys, "new", "hall", "--count", "9", "--pdf", str(sheet))
    assert code == 0, said
    urls = [line for line in said.splitlines() if "/join#" in line]
    assert [invitation_of(url).name for url in urls] == numbered("hall", 9)
    assert sheet.read_bytes().startswith(b"%PDF")
    code, said = keys(monkeypatch, capsys, "new", "hall-10", "hall-9")
    assert code == 2 and "'hall-9' already" in said
    code, said = keys(monkeypatch, capsys, "new", "a", "b", "--count", "2")
    assert code == 2 and "--count takes one name" in said
    assert [one.name for one in KeyRing(tmp_path / "club" / "keys.json").all()] == numbered("hall", 9)


def test_eight_invitations_are_on_a_page(tmp_path: Path) -> None:
    made = Inviter(tmp_path).invite([f"a-table-of-a-long-name-{n}" for n in range(9)], Role.TABLE)
    for count, pages in ((1, 1), (8, 1), (9, 2)):
        assert f"/Count {pages}\n".encode() in invitation_pdf(made[:count])


def test_the_page_invites_as_the_command_does(tmp_path: Path) -> None:
    club = PageInvitations(Inviter(tmp_path))
    made = club.invite(["hall-1", "hall-2"], "table")
    assert [invitation_of(one.url).name for one in made] == ["hall-1", "hall-2"]
    assert [(one.name, one.kind) for one in club.valid()] == [("hall-1", "table"), ("hall-2", "table")]
    with pytest.raises(Refusal, match="'hall-2' already"):
        club.invite(["hall-3", "hall-2"], "table")
    club.revoke("hall-2", "table")
    with pytest.raises(Refusal, match="no table 'hall-2'"):
        club.revoke("hall-2", "table")
    assert [one.name for one in club.valid()] == ["hall-1"]
