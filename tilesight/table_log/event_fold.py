"""Fold of a table log into a game: the current turns, and the states that undo and redo lead to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Generic, TypeVar

from engine.game import GameError, OpenGame
from engine.games import game_named, read_turn
from engine.tiles.game import ScoreEvent
from engine.tiles.record import ByHand, with_by_hand
from engine.tiles.turn import Turn
from tilesight.table_log.doubts import Doubted, doubts_after, doubts_from_json
from tilesight.table_log.event_store import Entry, StoreError
from tilesight.table_log.recoloring import recolored
from vision.observation import Mark
from web.table.access import Access

LET_GO = "let_go"
"""Value of ``what``: people dismissed the list of turns that an edit could not keep."""
T = TypeVar("T")
"""A game's turn."""


class EntryKind(StrEnum):
    """Kinds of entry of a table's log, as they are on the disk."""

    OPENED = "table"
    """The header."""
    LOOKED = "looked"
    """The table before turn 1."""
    SEEN = "seen"
    """Turns as the camera shows them, after the first ``keep`` turns."""
    SAID = "said"
    """Turns as people said, after the first ``keep`` turns."""
    SCORED = "scores"
    """Points that people added or removed by hand."""
    UNDONE = "undo"
    """Undo of the end, the last correction, or the last turn."""
    REDONE = "redo"
    """Redo of the last undo."""
    PAUSED = "pause"
    """Pause of the game, or its end."""
    ENDED = "end"
    """The end of the game."""
    SEATED = "seat"
    """A player's name."""
    SET_UP = "set-up"
    """The set-up that was read from the table, or the position in which the camera found the game."""
    RECOLORED = "recolored"
    """Players whose colour was entered wrongly."""
    STRAY = "stray"
    """A colour of pieces on the board that is no player's."""
    DOUBTED = "doubt"
    """The doubtful turns; all others are certain."""
    KEYED = "key"
    """The table's access: its keys, what spectators see, and whether labels may be kept."""


@dataclass(frozen=True)
class UndoStep(Generic[T]):
    """One thing that people said: the state ``before`` it, and the number of ``turns`` after it.

    ``colors`` are the players' new colours by the old ones, if it changed who plays in which order and
    colour; else None.
    """

    before: GameLedger[T]
    turns: int
    colors: Mapping[str, str] | None = None


@dataclass(frozen=True)
class GameLedger(Generic[T]):
    """The fold of a log; ``read_turn`` reads a record line.

    ``turns`` are the game's current turns, ``frames`` the index of the picture that decided each (None for
    turns that people stated), ``marks`` that picture's mark after a restart (None if the source does not keep
    pictures), ``entry_of`` the log entry with each turn's pictures. ``heard`` is the mark of the latest
    picture at the time people refused a turn. ``by_hand`` are points added or removed by hand, ``not_these``
    turns that people ruled out next.
    """

    header: Mapping[str, Any] = field(default_factory=dict)
    opened: Mapping[str, Any] = field(default_factory=dict)
    """The header as the game was begun; ``header`` has the players as people said later."""
    pack: Mapping[str, Any] | None = None
    """The game's pack as far as the log keeps it (tilesight.table_log.log_pack); None where it ships."""
    names: Mapping[str, str] = field(default_factory=dict)
    turns: tuple[T, ...] = ()
    frames: tuple[int | None, ...] = ()
    entry_of: tuple[int, ...] = ()
    marks: tuple[Mark | None, ...] = ()
    heard: Mark | None = None
    by_hand: tuple[ScoreEvent, ...] = ()
    not_these: tuple[T, ...] = ()
    ended: bool = False
    played_on: tuple[T, ...] | None = None
    """The turns after which people took the end back, and pictures do not end the game again; or None."""
    paused: bool = False
    said_before: tuple[UndoStep[T], ...] = ()
    """Steps of undo, the latest last. Turns beyond those of the last one came later, and are taken back
    first."""
    undone: tuple[GameLedger[T], ...] = ()
    set_up: Mapping[str, Any] | None = None
    """The whole header, where the set-up was read from the table; None before."""
    set_up_entry: int = 0
    """Number of the log's entry that holds the set-up; 0 before."""
    confirmed: bool = False
    """Whether people confirmed the set-up."""
    history: Mapping[str, Any] | None = None
    """Turns that edits could not keep unchanged (docs/formats.md, 'Edits of the history'), or None."""
    doubts: Mapping[int, Doubted[T]] = field(default_factory=dict)
    """Doubtful turns, by number."""
    sure: frozenset[int] = frozenset()
    """Numbers of the turns that people confirmed; they stay certain whatever the pictures show."""
    strays: frozenset[str] = frozenset()
    """Colours whose pieces on the board people marked as belonging to no player."""
    read_turn: Callable[[Mapping[str, Any]], Any] = read_turn

    def with_entry(self, entry: Entry) -> GameLedger[T]:
        """Return the ledger after one more entry. Raises StoreError if the entry is inconsistent."""
        try:
            return self._with(entry)
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            raise StoreError(f"entry {entry.number} of the table's log makes no sense ({error})") from None

    def _with(self, entry: Entry) -> GameLedger[T]:
        """Return the ledger after one more entry. Raises ValueError for an unknown kind.

        Also raises KeyError, TypeError, IndexError or AttributeError for data that makes no sense.
        """
        data = entry.data
        match entry.kind:
            case EntryKind.OPENED:
                header = data["header"]
                return replace(self, header=header, opened=header, pack=data.get("pack"), names=data["names"])
            case EntryKind.LOOKED | EntryKind.KEYED:
                return self
            case EntryKind.SEATED:
                return replace(self, names={**self.names, data["color"]: data["name"]})
            case EntryKind.STRAY:
                return replace(self, strays=self.strays | {str(data["color"])})
            case EntryKind.DOUBTED:
                return replace(self, doubts=doubts_from_json(data, self.read_turn))
            case EntryKind.PAUSED:
                return replace(self, paused=bool(data["paused"]))
            case EntryKind.ENDED:
                return replace(self, ended=True)
            case EntryKind.SCORED:
                return self._scored(data)
            case EntryKind.RECOLORED:
                changed = replace(recolored(self, data["colors"], data["names"]), undone=())
                return self._said(changed, data["colors"])
            case EntryKind.UNDONE:
                before = self.before_last()
                refused = (*before.not_these, *self.turns[len(before.turns) :])
                heard = mark_of(data.get("picture"))
                return self._with_lasting(replace(before, not_these=refused, heard=heard))
            case EntryKind.REDONE:
                return self._with_lasting(replace(self.undone[-1], undone=self.undone[:-1]))
            case EntryKind.SET_UP:
                return self._set_up(entry)
            case EntryKind.SAID:
                colors = data.get("colors", {})
                known = recolored(self, colors, data["names"]) if colors else self
                changed = replace(known._with_turns(entry), history=known._history(data))
                return self._said(changed, colors if "players" in data else None)
            case EntryKind.SEEN:
                changed = self._with_turns(entry)
                return self._followed_by(changed, data["follows"]) if "follows" in data else changed
            case unknown:
                raise ValueError(f"unknown kind {unknown!r}")

    def _set_up(self, entry: Entry) -> GameLedger[T]:
        """Return the ledger after the set-up was read or corrected.

        Turns beyond those that the entry keeps, refused turns and all undo steps are dropped.
        """
        data = entry.data
        return replace(
            self,
            **self._fields_up_to(self._kept(data)),
            set_up=data["header"],
            set_up_entry=entry.number,
            confirmed=bool(data["confirmed"]),
            by_hand=() if data.get("scores_told") else self.by_hand,
            not_these=(),
            said_before=(),
            undone=(),
        )

    def _with_turns(self, entry: Entry) -> GameLedger[T]:
        """Return the ledger with an entry's turns after the first ones that it keeps.

        Players, confirmed and refused turns of the entry are taken over; nothing can be redone afterwards.
        Raises ValueError if it keeps more turns than there are.
        """
        data = entry.data
        keep = self._kept(data)
        lines = [self.read_turn(line) for line in data["lines"]]
        frames = data.get("frames") or [None] * len(lines)
        marks = [mark_of(mark) for mark in data.get("pictures") or [None] * len(lines)]
        # A turn that stays as it was keeps its own picture.
        entries = [
            self.entry_of[n] if n < len(self.turns) and self.turns[n] == line else entry.number
            for n, line in enumerate(lines, keep)
        ]
        return replace(
            self._seated(data),
            **self._fields_for_turns((*self.turns[:keep], *lines), frozenset(data.get("sure", ()))),
            frames=(*self.frames[:keep], *frames),
            entry_of=(*self.entry_of[:keep], *entries),
            marks=(*self.marks[:keep], *marks),
            heard=mark_of(data.get("picture")) or self.heard,
            not_these=tuple(self.read_turn(line) for line in data.get("not_these", ())),
            undone=(),
        )

    def _kept(self, data: Mapping[str, Any]) -> int:
        """Return the number of first turns that an entry keeps. Raises ValueError if there are fewer."""
        keep = int(data["keep"])
        if not 0 <= keep <= len(self.turns):
            raise ValueError(f"it follows turn {keep} of {len(self.turns)}")
        return keep

    def _fields_up_to(self, keep: int) -> dict[str, Any]:
        """Return the ledger's fields about turns, by name, for the first ``keep`` turns only."""
        of_turns = {name: getattr(self, name)[:keep] for name in ("frames", "entry_of", "marks")}
        return {**self._fields_for_turns(self.turns[:keep]), **of_turns}

    def _fields_for_turns(self, turns: tuple[T, ...], named: frozenset[int] = frozenset()) -> dict[str, Any]:
        """Return the fields ``turns``, ``doubts`` and ``sure`` of the ledger with other turns.

        ``named`` are the numbers of those that people stated, which are sure.
        """
        doubts, sure = doubts_after(self.turns, turns, self.doubts, self.sure)
        left = {number: doubt for number, doubt in doubts.items() if number not in named}
        return {"turns": turns, "doubts": left, "sure": sure | named}

    def _seated(self, data: Mapping[str, Any]) -> GameLedger[T]:
        """Return the ledger with the players and names of an entry; unchanged if it has none."""
        if "players" not in data:
            return self
        header = {**self.header, "players": [str(color) for color in data["players"]]}
        return replace(self, header=header, names={**self.names, **data["names"]})

    def _scored(self, data: Mapping[str, Any]) -> GameLedger[T]:
        """Return the ledger after points were added or removed by hand, which is one undo step."""
        number = int(data["turn"])
        given = ByHand({str(color): int(points) for color, points in data["points"].items()}).events(number)
        return self._said(replace(self, by_hand=(*self.by_hand, *given), undone=()))

    def _said(self, changed: GameLedger[T], colors: Mapping[str, str] | None = None) -> GameLedger[T]:
        """Return ``changed``, the ledger after something that people said, with its undo step.

        ``colors`` is that of the step.
        """
        step = UndoStep(replace(self, said_before=(), undone=()), len(changed.turns), colors)
        return replace(changed, said_before=(*self.said_before, step))

    def _history(self, data: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return ``history`` after the edit with data ``data``: turns that edits could not keep, added up.

        None once people have dismissed the list.
        """
        if data.get("what") == LET_GO:
            return None
        reseated, unkept = data.get("reseated", []), data.get("unkept", [])
        if not reseated and not unkept:
            return self.history
        before = self.history["unkept"] if self.history is not None else []
        about = {"what": data["what"], "turn": data["turn"], "who": without_address(data).get("who") or None}
        return {**about, "reseated": reseated, "unkept": [*before, *unkept]}

    def _followed_by(self, changed: GameLedger[T], what: str) -> GameLedger[T]:
        """Return ``changed``, the ledger after turns that the camera added right after a command of people.

        They are no undo step of their own, and redo stays possible. ``what`` is its entry's kind.
        """
        steps = self.said_before
        if what in (EntryKind.SAID, EntryKind.RECOLORED) and steps:
            steps = (*steps[:-1], replace(steps[-1], turns=len(changed.turns)))
        return replace(changed, said_before=steps, undone=self.undone, not_these=self.not_these)

    def _with_lasting(self, other: GameLedger[T]) -> GameLedger[T]:
        """Return ``other``, to which an undo or a redo leads, with what none changes: this ledger's stray
        colours and pause, and its names unless the step changed the players."""
        names = self.names if self.new_colors(other) is None else other.names
        return replace(other, names=names, strays=self.strays, paused=self.paused)

    def new_colors(self, after: GameLedger[T]) -> Mapping[str, str] | None:
        """Return the players' new colours in ``after``, one step of people, undo or redo later, by the old
        ones; None if the step changed no players."""
        now, was = after.said_before, self.said_before
        if len(now) > len(was):
            return now[-1].colors
        colors = was[-1].colors if after.undone and len(now) < len(was) else None
        return None if colors is None else {color: old for old, color in colors.items()}

    @property
    def reseated(self) -> bool:
        """Whether people changed the players, their order or their colours after the game began."""
        return self.header != self.opened or any(one.colors is not None for one in self.said_before)

    @property
    def used(self) -> tuple[Mark, ...]:
        """Marks of the pictures that decided the turns or that people refused a turn by: no picture up to the
        last of them need be processed again. Pictures of a turn that is not in the log yet come later."""
        return tuple(mark for mark in (*self.marks, self.heard) if mark is not None)

    @property
    def record_lines(self) -> list[T | ByHand]:
        """The turns and the points set by hand, in the order of a game record."""
        return with_by_hand(self.turns, self.by_hand)

    @property
    def can_undo(self) -> bool:
        """Whether there is a turn, an end, or something that people said to undo."""
        return bool(self.ended or self.turns or self.said_before)

    def before_last(self) -> GameLedger[T]:
        """Return the state before the end, the last thing that people said or the last turn, whichever came
        last; this state can be redone. Raises ValueError if there is nothing to undo."""
        undone = (*self.undone, replace(self, undone=()))
        step = next(reversed(self.said_before), None)
        if self.ended and not (step is not None and step.before.ended):
            return replace(self, ended=False, played_on=self.turns, undone=undone)
        if step is not None and len(self.turns) <= step.turns:
            before = replace(step.before, said_before=self.said_before[:-1], undone=undone)
            return self._with_lasting(before)
        if not self.turns:
            raise ValueError("nothing to take back")
        return replace(self, **self._fields_up_to(len(self.turns) - 1), undone=undone)


Ledger = GameLedger[Turn]
"""That of a tile game."""


def folded(ledger: GameLedger[T], entries: Iterable[Entry]) -> GameLedger[T]:
    """Return the ledger after more entries. Raises StoreError at one that makes no sense."""
    for entry in entries:
        ledger = ledger.with_entry(entry)
    return ledger


def empty_ledger(entries: Sequence[Entry]) -> GameLedger[Any]:
    """Return an empty ledger that reads the turns of this log's game; of a tile game if that is unknown."""
    opened = next((entry for entry in entries if entry.kind == EntryKind.OPENED), None)
    try:
        game = game_named(str(opened.data["header"]["game"])) if opened is not None else None
    except (GameError, KeyError, TypeError):
        game = None
    return GameLedger(read_turn=game.records.read_line) if isinstance(game, OpenGame) else Ledger()


def access_of(entries: Iterable[Entry]) -> Access | None:
    """Return the latest access keys in a log's entries; None if the table was given none."""
    told = [Access.from_json(entry.data) for entry in entries if entry.kind == EntryKind.KEYED]
    return next((access for access in reversed(told) if access is not None), None)


def labels_kept(entries: Iterable[Entry]) -> bool:
    """Whether `tilesight learn` may keep labelled pieces of this game's pictures, by the latest entry about
    the table's access. False for a log without one."""
    told = [entry.data for entry in entries if entry.kind == EntryKind.KEYED]
    return bool(told) and told[-1].get("keep_labels") is True


def without_keys(entry: Entry) -> Entry:
    """Return an entry as it may leave this computer: without the table's keys, addresses of phones, the name
    of its camera (which may be an address), and the consent to keep labels, which is for this computer alone.

    A table that continues from it makes new keys (`tilesight.table_log.log_files.table_access`).
    """
    data = without_address(entry.data)
    if entry.kind == EntryKind.KEYED:
        data = {"spectators_see_camera": data.get("spectators_see_camera") is not False}
    if entry.kind == EntryKind.OPENED:
        data.pop("camera", None)
    return replace(entry, data=data)


def without_address(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of an entry's data without the address of the phone that a command came from.

    Only logs of old versions hold it.
    """
    who = data.get("who")
    if not isinstance(who, Mapping):
        return dict(data)
    return {**data, "who": {name: told for name, told in who.items() if name != "address"}}


def mark_of(value: Any) -> Mark | None:
    """Return a picture's mark from its JSON in a log entry; None for None."""
    return None if value is None else (int(value[0]), str(value[1]))
