"""Comparison of a finished replay with its game record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.games import game_named
from engine.record import CheckResult, Record, check, read_record
from engine.tiles.game import GameState, ScoreEvent
from engine.tiles.record import ByHand
from engine.tiles.turn import Turn
from tilesight.grading.reliability import SureAndRight
from tilesight.inference.understanding import UnderstoodTurn


@dataclass(frozen=True, slots=True)
class Difference:
    """A turn, counted from 1, that was understood differently than it was played.

    ``expected`` is the record's turn, ``got`` the one understood; None if there is no turn of that number.
    """

    number: int
    expected: Turn | None
    got: Turn | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Agreement of a replay with the record.

    ``turns`` were played; after ``scores_exact`` of them the running scores agree. ``final`` holds the true
    final scores.
    """

    turns: int
    turns_exact: int
    scores_exact: int
    final_exact: bool
    final: Mapping[str, int]
    differences: tuple[Difference, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as a JSON object (docs/formats.md, 'Output of replay')."""
        return {
            "turns": self.turns,
            "turns_exact": self.turns_exact,
            "scores_exact": self.scores_exact,
            "final_exact": self.final_exact,
            "expected_final": dict(self.final),
        }


def compare(
    reference: Path, start: GameState, got: Sequence[UnderstoodTurn], final: Mapping[str, int]
) -> Comparison:
    """Compare the turns ``got`` and scores ``final`` with the record in ``reference`` after ``start``.

    Draws and points set by hand are ignored, because no camera sees them. Raises RecordError if the record
    cannot be read.
    """
    record, pack = _without_by_hand(read_record(reference)), start.pack
    checked = check(record, pack)
    opening: Any = start
    if checked.state is not None:  # else the header itself is at fault
        opening = game_named(record.header.game).start(record.header, pack)
    before = max(start.turn_no - opening.turn_no, 0)
    expected = record.turns[before:]
    differences = []
    for i in range(max(len(expected), len(got))):
        one = expected[i] if i < len(expected) else None
        other = got[i].turn if i < len(got) else None
        if one is None or other is None or seen_part(one) != seen_part(other):
            differences.append(Difference(before + i + 1, one, other))
    wrong = sum(difference.expected is not None for difference in differences)
    scores_exact = sum(
        dict(really) == dict(turn.step.state.scores)
        for really, turn in zip(_running_scores(record, checked, opening)[before:], got, strict=False)
    )
    return Comparison(
        len(expected),
        len(expected) - wrong,
        scores_exact,
        dict(checked.final) == dict(final),
        checked.final,
        tuple(differences),
    )


def _without_by_hand(record: Record) -> Record:
    """Return a record without the lines of points set by hand."""
    return replace(record, lines=tuple(line for line in record.lines if not isinstance(line.event, ByHand)))


def _running_scores(record: Record, checked: CheckResult, opening: GameState) -> list[Mapping[str, int]]:
    """Return the scores by colour after each turn of a record that begins with ``opening``.

    ``checked`` is the result of its check; points at the end of the game do not count.
    """
    sums: Counter[str] = Counter(opening.scores)
    gained: dict[int, list[ScoreEvent]] = {}
    for event in checked.events:
        if isinstance(event, ScoreEvent) and not event.at_end:
            gained.setdefault(event.turn, []).append(event)
    scores: list[Mapping[str, int]] = []
    for number in range(opening.turn_no + 1, opening.turn_no + len(record.turns) + 1):
        for event in gained.get(number, ()):
            sums[event.player] += event.points
        scores.append(dict(sums))
    return scores


def seen_part(turn: Turn) -> tuple[object, ...]:
    """Return a hashable key of the part of a turn that a camera can see."""
    parts = sorted(turn.seen.parts, key=repr)
    return (turn.player, turn.tile, turn.cell, turn.rot, turn.action, *parts)


def told_of(compared: Comparison, got: Sequence[UnderstoodTurn]) -> tuple[SureAndRight, ...]:
    """Return, for each understood turn, its confidence and whether it is the one played."""
    wrong = {one.number for one in compared.differences}
    return tuple((turn.confidence, number not in wrong) for number, turn in enumerate(got, 1))
