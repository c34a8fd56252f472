"""Pack of a log: kept where it does not ship, and read again wherever the log is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.jsonvalue import FieldError
from engine.pack import Pack, PackError, load_pack, read_pack
from tests.tilesight.toy_pack import edition
from tilesight.table_log.event_fold import Ledger
from tilesight.table_log.log_pack import COPIES, FACES, PACK_BYTES, STARTS, kept_pack, pack_of, shipped_pack

SAVANNA = dict(load_pack("savanna").source)


def _ledger(name: str, pack: Any) -> Ledger:
    return Ledger(header={"pack": name}, pack=pack)


def test_a_pack_that_ships_is_not_kept() -> None:
    assert kept_pack(load_pack("savanna")) == {}
    assert kept_pack(read_pack({**SAVANNA, "title": "Savanne"}, None)) == {}
    assert pack_of(_ledger("savanna", None)) is load_pack("savanna")


def test_a_pack_of_ones_own_is_read_from_the_log(tmp_path: Path) -> None:
    own = load_pack(edition(tmp_path, "club-edition"))
    kept = kept_pack(own)["pack"]
    assert kept == own.source
    for known in (shipped_pack, lambda name: load_pack(tmp_path / "none")):
        found = pack_of(_ledger("club-edition", kept), known)
        assert (found.id, found.folder) == ("club-edition", None)
        assert found.designs.keys() == own.designs.keys()
    # Where it is known, its pictures are too.
    assert pack_of(_ledger("club-edition", kept), lambda name: own) is own


def test_another_pack_under_a_known_name_is_the_logs_own() -> None:
    other = read_pack({**SAVANNA, "tokens": {"animals": {"lion": 3}}}, None)
    kept = kept_pack(other)["pack"]
    assert dict(pack_of(_ledger("savanna", kept)).tokens) == {"lion": 3}


def test_a_shipped_pack_is_never_looked_for_in_a_folder(tmp_path: Path) -> None:
    folder = edition(tmp_path, "club-edition")
    for name in (str(folder), "../packs/savanna", "", "savanna/", "."):
        with pytest.raises(PackError):
            pack_of(_ledger(name, None), shipped_pack)


def _tile(number: int, count: int = 1) -> dict[str, Any]:
    return {**SAVANNA["tiles"][0], "id": f"T{number}", "designs": [{"id": f"D{number}", "count": count}]}


BARE = {"id": "x", "game": "safari", "start": SAVANNA["start"]}
HOSTILE: dict[str, Callable[[], Any]] = {
    "no object": lambda: "savanna",
    "a list": lambda: [1, 2],
    "nothing in it": dict,
    "no number": lambda: {**SAVANNA, "tile_mm": float("nan")},
    "a path for a name": lambda: {**SAVANNA, "id": "../../etc/passwd"},
    "too large": lambda: {**SAVANNA, "more": "x" * PACK_BYTES},
    "too many tiles of one": lambda: {**BARE, "tiles": [_tile(1, COPIES + 1)]},
    "too many tiles at the start": lambda: {
        **SAVANNA,
        "start": [{"design": "CS1", "cell": [3 * at, 0]} for at in range(STARTS + 1)],
    },
    "too many faces": lambda: {
        **BARE,
        "quarters": [{"id": f"Q{number}", "squares": ["a"]} for number in range(FACES + 1)],
    },
}


@pytest.mark.parametrize("what", HOSTILE)
def test_an_invalid_pack_in_a_log_raises_a_field_error(what: str) -> None:
    with pytest.raises(FieldError):
        pack_of(_ledger("x", HOSTILE[what]()), shipped_pack)


def test_one_that_is_too_large_is_not_kept() -> None:
    large: Pack = read_pack({**SAVANNA, "id": "large", "more": "x" * PACK_BYTES}, None)
    assert kept_pack(large) == {}
