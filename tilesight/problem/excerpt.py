"""Excerpt of a table's log for a report: all entries without keys and addresses, and a few pictures."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from engine.game import OpenGame
from engine.games import game_named
from engine.geometry import Cell
from engine.pack import PackError
from tilesight.export.game import opening_of
from tilesight.live.album import BEFORE, BEFORE_AT, BOARD_AT, FRAME, Shot, numbers_of
from tilesight.problem.masking import RIM, Cut, board_alone
from tilesight.sessions.placed import Place
from tilesight.table_log.event_fold import EntryKind, GameLedger, empty_ledger, without_keys
from tilesight.table_log.event_store import Entry, StoreError, TableStore

SHOWN = {BEFORE: (0, 1), FRAME: (-1, 0, 1)}
"""Pictures of the report by name: those of turns this far from a turn that it is about.

The last picture at rest before a turn is the one before its own entry, and the last one after it is the one
before the next turn's.
"""
MOST_BYTES = 20_000_000
"""Maximum size of all pictures together: mail takes the archive. Those of neighbouring turns go first."""
LATEST = 2
"""Number of turns that a report is about if no turn is doubtful, corrected or named."""
BOARD_IN = {BEFORE: BEFORE_AT, FRAME: BOARD_AT}
"""Keys of an entry that say where the board lies in its pictures, by their name."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Entries of a log as they leave this computer, each with its pictures (JPEG by name).

    ``places`` say where each picture lies in the whole one, by entry and name. ``turns`` are the numbers of
    the turns that the report is about; ``latest`` is true if these are only the last ones. ``too_far`` counts
    pictures of other turns and those that repeat another, ``no_board`` those in which it is not known where
    the board lies, ``no_room`` those beyond `MOST_BYTES`; all of these are left out.
    """

    entries: tuple[tuple[Entry, Mapping[str, bytes]], ...]
    places: Mapping[tuple[int, str], Place]
    ledger: GameLedger[Any]
    turns: tuple[int, ...]
    latest: bool
    too_far: int
    no_board: int
    no_room: int

    @property
    def pictures(self) -> int:
        """Number of pictures in the excerpt."""
        return sum(len(pictures) for _, pictures in self.entries)


def excerpt_of(store: TableStore, asked: Collection[int], *, anonymous: bool) -> Excerpt:
    """Return the excerpt of a log about the turns ``asked`` for.

    If none is, it is about the doubtful turns, those that people stated or confirmed, and those before an
    undo; else about the latest ones. With ``anonymous``, players are called by their colours. Raises
    StoreError if the log has no game or no such turn.
    """
    entries = store.entries()
    ledger = empty_ledger(entries)
    after: dict[int, GameLedger[Any]] = {}
    for entry in entries:
        after[entry.number] = ledger = ledger.with_entry(entry)
    if not ledger.header:
        raise StoreError(f"{store.path}: contains no game")
    if wrong := [number for number in asked if not 1 <= number <= len(ledger.turns)]:
        raise StoreError(f"{store.path}: has no turn {wrong[0]} (there are {len(ledger.turns)})")
    concerned = set(asked) or _concerned(entries, after, ledger)
    turns = sorted(concerned or _latest(ledger))
    cuts, too_far, no_board = _cut(store, after, turns, _Board(ledger))
    kept = _with_room(cuts, {number for number, then in after.items() if len(then.turns) in turns})
    excerpt = []
    for entry in entries:
        own = {name: cut for (number, name), cut in kept.items() if number == entry.number}
        there = {BOARD_IN[name]: numbers_of(cut.H_px_from_board) for name, cut in own.items()}
        cleared = _cleared(replace(entry, data={**entry.data, **there}), anonymous=anonymous)
        excerpt.append((cleared, {name: cut.jpeg for name, cut in own.items()}))
    places = {key: cut.place for key, cut in kept.items()}
    no_room = len(cuts) - len(kept)
    return Excerpt(tuple(excerpt), places, ledger, tuple(turns), not concerned, too_far, no_board, no_room)


def _cut(
    store: TableStore, after: Mapping[int, GameLedger[Any]], turns: Sequence[int], board: _Board
) -> tuple[dict[tuple[int, str], Cut], int, int]:
    """Return the pictures of a report about ``turns``, by entry and name, cut to the board.

    ``after`` are the states after each entry. Also returns the number of pictures of other turns and
    repeated ones, and of those without a known board.
    """
    cuts: dict[tuple[int, str], Cut] = {}
    too_far, no_board = 0, 0
    latest: bytes | None = None
    for entry in store.entries():
        ledger = after[entry.number]
        found = store.pictures(entry.number)
        too_far += len(found.keys() - SHOWN.keys())
        for name, around in SHOWN.items():
            if (jpeg := found.get(name)) is None:
                continue
            if jpeg == latest or not any(len(ledger.turns) - turn in around for turn in turns):
                too_far += 1
            elif (cut := board.alone(name, jpeg, entry, ledger)) is None:
                no_board += 1
            else:
                cuts[entry.number, name], latest = cut, jpeg
    return cuts, too_far, no_board


def _with_room(cuts: Mapping[tuple[int, str], Cut], first: Collection[int]) -> dict[tuple[int, str], Cut]:
    """Return the pictures that fit into `MOST_BYTES`, those of the entries ``first`` before all others."""
    kept, room = set(), MOST_BYTES
    for key in sorted(cuts, key=lambda key: key[0] not in first):
        room -= len(cuts[key].jpeg)
        if room < 0:
            break
        kept.add(key)
    return {key: cut for key, cut in cuts.items() if key in kept}


def _concerned(
    entries: Sequence[Entry], after: Mapping[int, GameLedger[Any]], ledger: GameLedger[Any]
) -> set[int]:
    """Return the numbers of the turns at which something went wrong, as far as the log shows it."""
    found = set(ledger.doubts) | set(ledger.sure)
    for before, entry in pairwise(entries):
        if entry.kind in (EntryKind.SAID, EntryKind.UNDONE):
            found.add(len(after[before.number].turns))
    return found


def _latest(ledger: GameLedger[Any]) -> set[int]:
    """Return the numbers of the last turns; that of the position before turn 1 if there are none."""
    return set(range(max(1, len(ledger.turns) - LATEST + 1), len(ledger.turns) + 1)) or {0}


class _Board:
    """The board of a game in its pictures."""

    def __init__(self, ledger: GameLedger[Any]) -> None:
        self._squares = isinstance(game_named(str(ledger.header["game"])), OpenGame)
        self._opening: tuple[Cell, ...] = ((0, 0),)
        try:
            _, position = opening_of(ledger)
        except (PackError, StoreError):  # a pack that only a gallery has; a set-up that was never read
            return
        if self._squares:
            size = len(position.terrain)
            self._opening = ((0, 0), (size - 1, 0), (size - 1, size - 1), (0, size - 1))
        else:
            self._opening = tuple(position.board)

    def alone(self, name: str, jpeg: bytes, entry: Entry, ledger: GameLedger[Any]) -> Cut | None:
        """Return a picture of an entry cut to the board; None if its place in the picture is not known.

        ``ledger`` is the state after the entry.
        """
        if self._squares and len(self._opening) < 2:
            return None
        laid = () if self._squares else tuple(turn.cell for turn in ledger.turns)
        try:
            shot = Shot.kept(jpeg, entry.data, BOARD_IN[name])
        except ValueError:
            return None
        return board_alone(shot, (*self._opening, *laid), RIM)


def _cleared(entry: Entry, *, anonymous: bool) -> Entry:
    """Return an entry as it may leave this computer, without names of picture files; with ``anonymous``
    without names of people."""
    entry = without_keys(entry)
    data = dict(entry.data)
    if isinstance(data.get("pictures"), list):
        data["pictures"] = [None if mark is None else _mark(mark) for mark in data["pictures"]]
    if data.get("picture") is not None:
        data["picture"] = _mark(data["picture"])
    if anonymous:
        if isinstance(data.get("names"), Mapping):
            data["names"] = {color: color for color in data["names"]}
        if entry.kind == EntryKind.SEATED:
            data["name"] = data["color"]
        if isinstance(data.get("who"), Mapping):
            data["who"] = {key: value for key, value in data["who"].items() if key == "role"}
    return replace(entry, data=data)


def _mark(mark: Sequence[Any]) -> list[Any]:
    """Return the mark of a picture without the name of its file."""
    return [mark[0], ""]


def lines_of(excerpt: Excerpt) -> Iterator[dict[str, Any]]:
    """Yield the entries as JSON objects, with seconds since the first one in place of the time of day."""
    began_s = excerpt.entries[0][0].at_s
    for entry, pictures in excerpt.entries:
        value = {"number": entry.number, "kind": entry.kind, "after_s": round(entry.at_s - began_s, 1)}
        yield {**value, "data": entry.data, "pictures": sorted(pictures)}
