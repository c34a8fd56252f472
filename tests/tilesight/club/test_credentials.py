"""Credentials of a club: made once, listed, ended, and invited by one line."""

from __future__ import annotations

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tilesight.club.credentials import CredentialError, KeyRing, Role, digest
from tilesight.club.invitation import Invitation, invitation_of


def test_a_key_leaves_once_and_only_its_digest_stays(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "club" / "keys.json")
    credential, key = ring.create("blue-3", Role.TABLE)
    assert ring.all() == (credential,) and credential.key_sha256 == digest(key)
    assert key not in ring.path.read_text("utf-8")
    assert stat.S_IMODE(ring.path.stat().st_mode) == 0o600


def test_a_name_is_free_again_when_its_key_was_revoked(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys.json")
    first, _ = ring.create("blue", Role.TABLE)
    ring.create("blue", Role.WORKER)
    with pytest.raises(CredentialError, match="already"):
        ring.create("blue", Role.TABLE)
    assert ring.revoke("blue", Role.TABLE).revoked_s is not None
    with pytest.raises(CredentialError, match="no table 'blue'"):
        ring.revoke("blue", Role.TABLE)
    second, _ = ring.create("blue", Role.TABLE)
    assert second.key_sha256 != first.key_sha256
    assert [one.role for one in ring.valid()] == [Role.WORKER, Role.TABLE] and len(ring.all()) == 3


@pytest.mark.parametrize("name", ["", "Blue", "a.b", "a*", ">", "-a", "a b", "x" * 33])
def test_a_name_is_one_plain_word(name: str, tmp_path: Path) -> None:
    with pytest.raises(CredentialError, match="is no name"):
        KeyRing(tmp_path / "keys.json").create(name, Role.TABLE)


def test_changes_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys.json")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: ring.create(f"t{n}", Role.TABLE), range(12)))
    assert sorted(one.name for one in ring.valid()) == sorted(f"t{n}" for n in range(12))


def test_a_damaged_file_is_said_and_left_alone(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys.json")
    ring.path.write_text('{"tilesight": 2, "keys": [{"name": 1}]}')
    with pytest.raises(CredentialError, match="cannot be read"):
        ring.create("blue", Role.TABLE)
    assert "name" in ring.path.read_text()


def test_keys_of_an_earlier_format_are_ended(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys.json")
    old = {"name": "blue", "role": "table", "public_key": "UABC", "created_s": 1.0, "revoked_s": None}
    ring.path.write_text(json.dumps({"tilesight": 1, "keys": [old, {**old, "name": "hub", "role": "hub"}]}))
    assert ring.all() == ()
    ring.create("blue", Role.TABLE)
    assert [one.name for one in ring.valid()] == ["blue"]


def test_an_invitation_is_one_line_and_keeps_its_secret_behind_the_hash(tmp_path: Path) -> None:
    _, key = KeyRing(tmp_path / "keys.json").create("blue-3", Role.TABLE)
    told = Invitation("https://192.168.1.5:8780", "192.168.1.5:8783", Role.TABLE, "blue-3", key, "AB" * 32)
    address, _, secret = told.url.partition("#")
    assert address == "https://192.168.1.5:8780/join" and key in secret
    assert invitation_of(f" {told.url}\n") == told and told.link_url == "wss://192.168.1.5:8783/link"
    bare = replace(told, hub="http://192.168.1.5:8780", fingerprint=None)
    assert invitation_of(bare.url) == bare and bare.link_url == "ws://192.168.1.5:8783/link"
    lent = replace(bare, role=Role.WORKER, sees_for="table-7")
    assert invitation_of(lent.url) == lent and lent.speaks_as == "table-7"


@pytest.mark.parametrize(
    "damage",
    [
        ("/join", "/other"),
        ("key=", "key=a.b"),
        ("key=", "seed="),
        ("table=blue", "table=b.*"),
        ("link=", "nats="),
        (":8783", ":x"),
        ("cert=AB", "cert=XY"),
        ("https", "ftp"),
    ],
    ids=lambda damage: damage[1],
)
def test_a_damaged_invitation_is_refused(damage: tuple[str, str], tmp_path: Path) -> None:
    _, key = KeyRing(tmp_path / "keys.json").create("blue", Role.TABLE)
    url = Invitation("https://a:1", "a:8783", Role.TABLE, "blue", key, "AB" * 32).url
    with pytest.raises(CredentialError, match="no invitation"):
        invitation_of(url.replace(*damage))
