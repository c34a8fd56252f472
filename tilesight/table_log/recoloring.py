"""Recoloring of a game: correct players' wrongly entered colours, in every turn."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from tilesight.table_log.doubts import Doubted

if TYPE_CHECKING:
    from tilesight.table_log.event_fold import GameLedger

T = TypeVar("T")
"""A game's turn."""
Colors = Mapping[str, str]
"""New colours by those that players had until now. All change at once: two may change places."""


def recolored_line(value: Any, colors: Colors) -> Any:
    """Return a record line, or a part of one, with other colours.

    They are replaced as values, as keys, and in the text of a ``position``.
    """
    if isinstance(value, str):
        return colors.get(value, value)
    if isinstance(value, Mapping):
        line = {colors.get(key, key): recolored_line(item, colors) for key, item in value.items()}
        if isinstance(line.get("position"), str):
            line["position"] = recolored_position(line["position"], colors)
        return line
    if isinstance(value, list | tuple):
        return [recolored_line(item, colors) for item in value]
    return value


def recolored_position(line: str, colors: Colors) -> str:
    """Return a position's line (docs/notation.md) with other colours; the name of the pack stays."""
    words = "|".join(map(re.escape, colors))
    if not words:
        return line
    return re.sub(rf"(?<![\w-])(?<!pack=)({words})(?![\w-])", lambda found: colors[found[0]], line)


def recolored(ledger: GameLedger[T], colors: Colors, names: Mapping[str, str]) -> GameLedger[T]:
    """Return the game with other colours: the same players in the same order, turns, points and doubts.

    ``names`` maps the new colours to the players' names. The turns keep their pictures. No undo step is
    added.
    """

    def turned(turn: T) -> T:
        line = turn.to_json()  # type: ignore[attr-defined]
        read: T = ledger.read_turn(recolored_line(line, colors))
        return read

    doubts = {
        number: Doubted(doubt.confidence, tuple((turned(turn), share) for turn, share in doubt.others))
        for number, doubt in ledger.doubts.items()
    }
    return replace(
        ledger,
        header=recolored_line(ledger.header, colors),
        names={**ledger.names, **names},
        turns=tuple(map(turned, ledger.turns)),
        not_these=tuple(map(turned, ledger.not_these)),
        by_hand=tuple(
            replace(event, player=colors.get(event.player, event.player)) for event in ledger.by_hand
        ),
        set_up=None if ledger.set_up is None else recolored_line(ledger.set_up, colors),
        history=None if ledger.history is None else _history(ledger.history, colors),
        doubts=doubts,
    )


def _history(history: Mapping[str, Any], colors: Colors) -> dict[str, Any]:
    """Return the ledger's ``history``, turns that edits could not keep, in other colours."""
    told = {
        "reseated": [{**one, "was": recolored_line(one["was"], colors)} for one in history["reseated"]],
        "unkept": [{**one, "line": recolored_line(one["line"], colors)} for one in history["unkept"]],
    }
    return {**history, **told}
