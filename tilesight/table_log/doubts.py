"""Doubts about reported turns, as the log keeps them until people or pictures settle them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")
"""A game's turn."""
DRIFT = 0.05
"""Change of a confidence (0 to 1) from which on the log notes it anew."""


@dataclass(frozen=True)
class Doubted(Generic[T]):
    """Doubt about a reported turn.

    ``confidence`` is its probability; ``others`` are the other likely turns, likeliest first, with
    probabilities if known.
    """

    confidence: float
    others: tuple[tuple[T, float | None], ...] = ()

    def to_json(self, number: int) -> dict[str, Any]:
        """Return the doubt about turn ``number`` as data of a log entry."""
        others: list[dict[str, Any]] = []
        for turn, share in self.others:
            line = turn.to_json()  # type: ignore[attr-defined]
            others.append({"line": line, **({} if share is None else {"probability": round(share, 4)})})
        return {"turn": number, "confidence": round(self.confidence, 4), "others": others}


def doubts_from_json(
    data: Mapping[str, Any], read_turn: Callable[[Mapping[str, Any]], T]
) -> dict[int, Doubted[T]]:
    """Return the doubts in the data of a log entry, by the numbers of their turns.

    Raises KeyError, TypeError or ValueError for invalid data.
    """
    return {
        int(one["turn"]): Doubted(
            float(one["confidence"]),
            tuple((read_turn(other["line"]), other.get("probability")) for other in one["others"]),
        )
        for one in data["turns"]
    }


def doubts_to_json(doubts: Mapping[int, Doubted[Any]]) -> dict[str, Any]:
    """Return all doubts as data of a log entry."""
    return {"turns": [doubts[number].to_json(number) for number in sorted(doubts)]}


def doubts_differ(before: Mapping[int, Doubted[Any]], now: Mapping[int, Doubted[Any]]) -> bool:
    """Whether other turns are doubted, or a confidence has changed by at least `DRIFT`."""
    return before.keys() != now.keys() or any(
        abs(doubt.confidence - now[number].confidence) >= DRIFT for number, doubt in before.items()
    )


def doubts_after(
    before: Sequence[T], after: Sequence[T], doubts: Mapping[int, Doubted[T]], confirmed: Collection[int]
) -> tuple[Mapping[int, Doubted[T]], frozenset[int]]:
    """Return the doubts, and the numbers in ``confirmed``, after the turns ``before`` became ``after``.

    ``confirmed`` are the numbers of turns that people confirmed. A turn that has moved takes its doubt along,
    one that is gone loses it. Alternatives are kept only if the turn is unchanged.
    """
    if not doubts and not confirmed:
        return {}, frozenset()
    new_of = {number: _number_of(before[number - 1], number, after) for number in {*doubts, *confirmed}}
    moved: dict[int, Doubted[T]] = {}
    for number, doubt in doubts.items():
        if (new := new_of[number]) is not None:
            same = before[number - 1] == after[new - 1]
            moved[new] = doubt if same else Doubted(doubt.confidence)
    return moved, frozenset(new for number in confirmed if (new := new_of[number]) is not None)


def _number_of(turn: T, number: int, turns: Sequence[T]) -> int | None:
    """Return the number that a turn has among ``turns``, even by another player; None if it is gone.

    Its old number is tried first.
    """
    if number <= len(turns) and turns[number - 1] == turn:
        return number
    wanted = _place_of(turn)
    return next((new for new, other in enumerate(turns, 1) if _place_of(other) == wanted), None)


def _place_of(turn: Any) -> tuple[Any, ...]:
    """Return tile, face, cell and rotation of a turn, as a key.

    Of a turn without a cell: all of its record line but player and draws.
    """
    line = turn.to_json()
    if "cell" in line:
        return line.get("tile"), line.get("face"), line["cell"], line.get("rot")
    return tuple(sorted((key, str(value)) for key, value in line.items() if key not in ("player", "draws")))
