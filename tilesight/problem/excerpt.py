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
from tilesight.live.album import Shot
from tilesight.problem.masking import RIM, board_alone
from tilesight.table_log.event_fold import EntryKind, GameLedger, empty_ledger, without_keys
from tilesight.table_log.event_store import Entry, StoreError, TableStore

AROUND = 1
"""Turns before and after a turn of the report whose pictures are in it, too."""
LATEST = 2
"""Number of turns that a report is about if no turn is doubtful, corrected or named."""
PICTURE = "frame"
"""Name of the picture of an entry for which the log knows where the board lies."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Entries of a log as they leave this computer, each with its pictures (JPEG by name).

    ``turns`` are the numbers of the turns that the report is about. ``too_far`` counts pictures of other
    turns, ``no_board`` those in which it is not known where the board lies; both are left out.
    """

    entries: tuple[tuple[Entry, Mapping[str, bytes]], ...]
    ledger: GameLedger[Any]
    turns: tuple[int, ...]
    too_far: int
    no_board: int

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
    turns = sorted(set(asked) or _concerned(entries, after, ledger))
    board = _Board(ledger)
    excerpt, too_far, no_board = [], 0, 0
    for entry in entries:
        pictures = {}
        number = len(after[entry.number].turns)
        for name, jpeg in store.pictures(entry.number).items():
            if not any(abs(number - turn) <= AROUND for turn in turns):
                too_far += 1
            elif (cut := board.alone(name, jpeg, entry, after[entry.number])) is None:
                no_board += 1
            else:
                pictures[name] = cut
        excerpt.append((_cleared(entry, anonymous=anonymous), pictures))
    return Excerpt(tuple(excerpt), ledger, tuple(turns), too_far, no_board)


def _concerned(
    entries: Sequence[Entry], after: Mapping[int, GameLedger[Any]], ledger: GameLedger[Any]
) -> set[int]:
    """Return the numbers of the turns at which something went wrong, as far as the log shows it."""
    found = set(ledger.doubts) | set(ledger.sure)
    for before, entry in pairwise(entries):
        if entry.kind in (EntryKind.SAID, EntryKind.UNDONE):
            found.add(len(after[before.number].turns))
    latest = range(max(1, len(ledger.turns) - LATEST + 1), len(ledger.turns) + 1)
    return found or set(latest) or {0}


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

    def alone(self, name: str, jpeg: bytes, entry: Entry, ledger: GameLedger[Any]) -> bytes | None:
        """Return a picture of an entry with the board alone; None if its place in the picture is not known.

        ``ledger`` is the state after the entry.
        """
        if name != PICTURE or (self._squares and len(self._opening) < 2):
            return None
        laid = () if self._squares else tuple(turn.cell for turn in ledger.turns)
        try:
            shot = Shot.kept(jpeg, entry.data)
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
