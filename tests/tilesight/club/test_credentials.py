"""Credentials of a club: made once, listed, ended, and invited by one line."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from tilesight.club.credentials import CredentialError, KeyRing, Role, hub_seed, public_key_of
from tilesight.club.invitation import Invitation, invitation_of


def test_a_seed_leaves_once_and_only_the_public_key_stays(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "club" / "keys.json")
    credential, seed = ring.create("blue-3", Role.TABLE)
    assert ring.all() == (credential,) and credential.public_key == public_key_of(seed)
    assert seed not in ring.path.read_text("utf-8")
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
    assert second.public_key != first.public_key
    assert [one.role for one in ring.valid()] == [Role.WORKER, Role.TABLE] and len(ring.all()) == 3


@pytest.mark.parametrize("name", ["", "Blue", "a.b", "a*", ">", "-a", "a b", "x" * 33])
def test_no_name_reaches_beyond_one_word_of_a_subject(name: str, tmp_path: Path) -> None:
    with pytest.raises(CredentialError, match="is no name"):
        KeyRing(tmp_path / "keys.json").create(name, Role.TABLE)


def test_changes_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys.json")
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: ring.create(f"t{n}", Role.TABLE), range(12)))
    assert sorted(one.name for one in ring.valid()) == sorted(f"t{n}" for n in range(12))


def test_a_damaged_file_is_said_and_left_alone(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys.json")
    ring.path.write_text('{"keys": [{"name": 1}]}')
    with pytest.raises(CredentialError, match="cannot be read"):
        ring.create("blue", Role.TABLE)
    assert "name" in ring.path.read_text()


def test_the_hub_keeps_its_own_seed_and_gets_another_where_it_is_lost(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys.json")
    seed = hub_seed(tmp_path, ring)
    assert hub_seed(tmp_path, ring) == seed
    (tmp_path / "hub.seed").unlink()
    again = hub_seed(tmp_path, ring)
    assert again != seed and [one.public_key for one in ring.valid()] == [public_key_of(again)]


def test_an_invitation_is_one_line_and_keeps_its_secret_behind_the_hash(tmp_path: Path) -> None:
    _, seed = KeyRing(tmp_path / "keys.json").create("blue-3", Role.TABLE)
    told = Invitation("https://192.168.1.5:8780", "192.168.1.5:4222", Role.TABLE, "blue-3", seed, "AB" * 32)
    address, _, secret = told.url.partition("#")
    assert address == "https://192.168.1.5:8780/join" and seed in secret
    assert invitation_of(f" {told.url}\n") == told and told.nats_url == "tls://192.168.1.5:4222"
    bare = replace(told, fingerprint=None)
    assert invitation_of(bare.url) == bare and bare.nats_url == "nats://192.168.1.5:4222"


@pytest.mark.parametrize(
    "damage",
    [
        ("/join", "/other"),
        ("seed=SU", "seed=SA"),
        ("table=blue", "table=b.*"),
        ("nats=", "gnats="),
        (":4222", ":x"),
        ("cert=AB", "cert=XY"),
        ("https", "ftp"),
    ],
    ids=lambda damage: damage[1],
)
def test_a_damaged_invitation_is_refused(damage: tuple[str, str], tmp_path: Path) -> None:
    _, seed = KeyRing(tmp_path / "keys.json").create("blue", Role.TABLE)
    url = Invitation("https://a:1", "a:4222", Role.TABLE, "blue", seed, "AB" * 32).url
    with pytest.raises(CredentialError, match="no invitation"):
        invitation_of(url.replace(*damage))
