"""Pack of a log: an edition that does not ship is kept in the first entry, to be read anywhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from engine import jsonvalue as jv
from engine.pack import Pack, PackError, load_pack, pack_ids, read_pack
from engine.same_pack import structural_difference
from tilesight.settings import SettingsError, pack_by_id
from tilesight.table_log.event_fold import GameLedger
from vision.tiles.gallery import GalleryError

PACK_BYTES = 250_000
"""Bytes of a pack in a log at most; the largest that ships has 165 kB."""
FACES = 1_000
"""Faces of a pack in a log at most; the largest that ships has some 250."""
COPIES = 1_000
"""Tiles of one face at most."""
STARTS = 100
"""Tiles on the table before the first turn at most."""


def kept_pack(pack: Pack) -> dict[str, Any]:
    """Return the fields of a log's first entry that hold its pack, without pictures.

    Empty if the same pack ships with Tilesight, or if it is too large to be kept.
    """
    shipped = load_pack(pack.id) if pack.id in pack_ids() else None
    if shipped is not None and structural_difference(shipped, pack) is None:
        return {}
    source = dict(pack.source)
    return {"pack": source} if len(_text(source)) <= PACK_BYTES else {}


def pack_of(ledger: GameLedger[Any], known: Callable[[str], Pack] = pack_by_id) -> Pack:
    """Return the pack of a log's game: the one ``known`` by its name, unless the log holds a different one.

    The known one may have pictures. Raises PackError, GalleryError or SettingsError if there is none,
    jsonvalue.FieldError if the log's own is invalid.
    """
    kept = None if ledger.pack is None else _read(_text(ledger.pack))
    try:
        found = known(str(ledger.header["pack"]))
    except (PackError, GalleryError, SettingsError):
        if kept is None:
            raise
        return kept
    return found if kept is None or structural_difference(found, kept) is None else kept


def shipped_pack(name: str) -> Pack:
    """Return the pack of that id that ships with Tilesight. Raises PackError if there is none.

    The name comes from an untrusted file, so no folder of this computer is searched.
    """
    if name not in pack_ids():
        raise PackError(f"no pack {jv.shown(name)} ships with Tilesight, and the log does not have it")
    return load_pack(name)


def _text(source: Mapping[str, Any]) -> str:
    return json.dumps(source, separators=(",", ":"), sort_keys=True)


@lru_cache(maxsize=16)
def _read(text: str) -> Pack:
    """Parse a pack (JSON). Raises FieldError if it is invalid, or larger than a printed set would be."""
    if len(text) > PACK_BYTES:
        raise jv.FieldError("pack", f"has {len(text)} bytes, at most {PACK_BYTES}")
    pack = read_pack(jv.parse(text), None)
    for what, number, most in (
        ("faces", len(pack.designs), FACES),
        ("tiles of one face", max((one.count for one in pack.designs.values()), default=0), COPIES),
        ("tiles at the start", len(pack.start) + len(pack.start_faces), STARTS),
    ):
        if number > most:
            raise jv.FieldError("pack", f"has {number} {what}, at most {most}")
    return pack
