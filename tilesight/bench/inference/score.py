"""Comparison of a followed game with the truth: wrong turns, their differences and probable causes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.geometry import Cell
from engine.tiles.turn import Turn, described
from tilesight.inference.params import QUESTIONS
from tilesight.inference.understanding import UnderstoodTurn
from tilesight.sessions.comparison import seen_part

CAUSES: Mapping[str, str] = {
    "camera away": "camera away",
    "follows": "follows soon",
    "late": "late piece",
    "stay": "forgotten pieces",
    "at once": "scores at once",
    "unseen": "comes and goes unseen",
    "face leads": "doubtful face",
    "hardly read": "tile hardly read",
    "bare table": "bare table read as a tile",
    "missed": "piece missed",
    "detected with": "piece hardly detected",
    "kind read": "doubtful kind of piece",
    "off its spot": "piece far off its spot",
    "read as": "piece misread",
    "no piece": "false piece",
    "no animal": "false animal tile",
}
"""Kinds of cause, by a phrase that occurs in the notes on a turn."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A turn that was understood wrongly, or not at all (``confidence`` None).

    ``silent``: it has high confidence and was not asked about. ``left_out``: the turn played is neither an
    alternative nor an offered answer. ``follows``: the turn before it is wrong too, or only the order of
    turns differs. ``how`` names the difference (`difference`), ``why`` lists unusual events and misreadings.
    """

    number: int
    confidence: float | None
    silent: bool
    left_out: bool
    in_gap: bool
    follows: bool
    how: str
    why: tuple[str, ...]
    played: str
    told: str

    @property
    def cause(self) -> str:
        """Kinds of cause found in ``why``, joined by 'and'; 'nothing unusual' if there are none."""
        said = " ".join(self.why)
        kinds = [name for word, name in CAUSES.items() if word in said]
        return " and ".join(dict.fromkeys(kinds)) or "nothing unusual"

    def to_json(self) -> dict[str, Any]:
        """Return the fields as a JSON object."""
        return {name: getattr(self, name) for name in self.__slots__} | {"why": list(self.why)}

    def __str__(self) -> str:
        sure = "not told" if self.confidence is None else f"{self.confidence:.3f}"
        marks = [
            word
            for word, is_so in (
                ("SILENT", self.silent),
                ("LEFT OUT", self.left_out),
                ("in a gap", self.in_gap),
                ("follows", self.follows),
            )
            if is_so
        ]
        why = "; ".join(self.why) or "nothing unusual"
        return (
            f"  turn {self.number} ({', '.join([sure, *marks])}): {self.how}; {why}\n"
            f"    played {self.played}\n    told   {self.told}"
        )


@dataclass(frozen=True, slots=True)
class Watched:
    """Outcome of following one game.

    ``told`` are the turns understood in the end, ``asked`` the numbers of turns asked about, ``offered`` the
    answers offered, by turn number.
    """

    told: Sequence[UnderstoodTurn]
    asked: Collection[int]
    offered: Mapping[int, Sequence[Turn]]

    def silent(self, number: int) -> bool:
        """Whether turn ``number`` has high confidence and was not asked about."""
        return self.told[number - 1].confidence >= QUESTIONS.sure and number not in self.asked


def difference(told: Turn | None, played: Turn | None, others: Collection[Turn]) -> str:
    """Name the first difference between a turn understood and the one played: 'cell', 'face', 'player', …

    'order' if the turn understood is another one of ``others``, which are all turns played.
    """
    if told is None or played is None:
        return "not told" if told is None else "one turn too many"
    if told.cell != played.cell:
        same = any((told.cell, told.tile, told.rot) == (one.cell, one.tile, one.rot) for one in others)
        return "order" if same else "cell"
    if told.tile != played.tile:
        return "face"
    if told.rot != played.rot:
        return "turned"
    if told.player != played.player:
        return "player"
    return _other_pieces(told, played)


def _other_pieces(told: Turn, played: Turn) -> str:
    if told.action != played.action:
        if told.action is None:
            return "piece lacking"
        if played.action is None:
            return "piece too many"
        same_kind = told.action.type == played.action.type
        return f"other {played.action.type}" if same_kind else f"{told.action.type} for {played.action.type}"
    other = {part.key for part in {*told.seen.parts} ^ {*played.seen.parts}}
    return ", ".join(sorted(other))


def wrong_turns(
    watched: Watched,
    turns: Sequence[Turn],
    gaps: Collection[int],
    notes: Sequence[Collection[str]],
    faults: Mapping[Cell, Collection[str]],
) -> tuple[Wrong, ...]:
    """Return the turns understood otherwise than the ``turns`` played, in turn order.

    ``gaps`` are the numbers of turns in gaps, ``notes`` anything unusual about each turn played, ``faults``
    the misreadings by cell.
    """
    found: list[Wrong] = []
    for number in range(1, max(len(turns), len(watched.told)) + 1):
        played = turns[number - 1] if number <= len(turns) else None
        one = watched.told[number - 1] if number <= len(watched.told) else None
        told = None if one is None else one.turn
        if told is not None and played is not None and seen_part(told) == seen_part(played):
            continue
        how = difference(told, played, turns)
        known = [] if one is None else [*one.alternatives, *watched.offered.get(number, ())]
        left_out = played is not None and all(seen_part(other) != seen_part(played) for other in known)
        unusual = notes[number - 1] if number <= len(notes) else ()
        found.append(
            Wrong(
                number,
                None if one is None else one.confidence,
                one is not None and watched.silent(number),
                left_out,
                number in gaps,
                how == "order" or bool(found and found[-1].number == number - 1),
                how,
                (*sorted(unusual), *_misread((told, played), faults)),
                "nothing" if played is None else f"{played.player}: {described(played)}",
                "nothing" if told is None else f"{told.player}: {described(told)}",
            )
        )
    return tuple(found)


def _misread(turns: Sequence[Turn | None], faults: Mapping[Cell, Collection[str]]) -> list[str]:
    cells: dict[Cell, None] = {}
    for turn in turns:
        if turn is not None:
            cells[turn.cell] = None
            cells.update((put.cell, None) for put in turn.puts if put.feature is None)
    return [f"{list(cell)} {fault}" for cell in cells for fault in sorted(faults.get(cell, ()))]
