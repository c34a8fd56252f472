"""What is understood of settled turns later: which animal lay hidden under a meeple that has gone home."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from engine.board import Standing
from engine.game import GameState, IllegalTurn
from engine.turn import Dig, Expand, Turn
from tilesight.evidence import place_of
from tilesight.lines import Line, line_after
from tilesight.understanding import UnderstoodTurn
from tilesight.view import PERSONS, SeenPiece, View

SURE = 0.98
"""A turn that was as likely as this when it was settled stays as it is, and so does what people said."""
PLAIN = 0.9
"""An animal that is so likely by what is seen now is taken for it."""
IN_SIGHT = 0.5
"""No player's piece stands this near to an animal tile that is in plain sight, in tile sides."""
SEEN_FOR_S = 1.0
"""So long must it have looked like that."""


def animals_seen_at_last(
    start: GameState, settled: Sequence[UnderstoodTurn], view: View
) -> list[UnderstoodTurn] | None:
    """The settled turns with other animals, where one that was not sure is in plain sight only now and shows
    another; None where nothing changes, or the later turns would not be legal."""
    if not settled:
        return None
    standing = set(settled[-1].step.state.standing)
    others: dict[int, tuple[Turn, float]] = {}
    for number, told in enumerate(settled):
        if told.confidence >= SURE or told.t_s is None:
            continue
        for piece in told.step.laid:
            if piece.kind == "token" and piece in standing:
                shown = _shown_now(piece, told.step.state, view, told.t_s)
                if shown is not None and shown[0] != piece.animal:
                    others[number] = _with_animal(told.turn, piece, shown[0]), shown[1]
    if not others:
        return None
    state, followed = start, list[UnderstoodTurn]()
    for number, told in enumerate(settled):
        turn, sure = others.get(number, (told.turn, told.confidence))
        try:
            step = state.apply(turn)
        except IllegalTurn:
            return None
        followed.append(replace(told, turn=turn, step=step, confidence=sure))
        state = step.state
    return followed


def transplanted(line: Line, state: GameState, parent: Line | None = None) -> Line:
    """A line, with all that is supposed to follow it, that leads to ``state`` instead: the same turns after
    another animal. What is not legal then is left out; what waits is listed anew."""
    fresh = Line(state, rest_set=frozenset(state.standing))
    if parent is not None and line.turn is not None:
        fresh = line_after(parent, line.turn, ())
    other = replace(
        line,
        parent=parent,
        state=fresh.state,
        step=fresh.step,
        bare_set=fresh.bare_set,
        mid_sets=fresh.mid_sets,
        rest_set=fresh.rest_set,
        lingering=(),
        refused=list(line.refused),
        withheld=list(line.withheld),
        laid={},
        waiting={},
        _placements={},
    )
    for key, group in line.laid.items():
        children = []
        for child in group:
            if child.turn is not None:
                with suppress(IllegalTurn):
                    children.append(transplanted(child, state.apply(child.turn).state, other))
        if children:
            other.laid[key] = children
    return other


def _shown_now(piece: Standing, state: GameState, view: View, laid_s: float) -> tuple[str, float] | None:
    """The animal that a token plainly shows that did not look like this when it was laid, and how likely."""
    at, reach = place_of(piece, state)
    if any(math.dist(seen.xy, at) < IN_SIGHT for seen in view.pieces if seen.reading.kind in PERSONS):
        return None
    near = [seen for seen in view.pieces if _is_token(seen) and math.dist(seen.xy, at) < reach]
    if len(near) != 1:
        return None
    reading = near[0].reading
    animal, since_s = reading.animal, reading.since_s
    if animal is None or since_s is None or since_s <= laid_s or view.observation.t_s - since_s < SEEN_FOR_S:
        return None
    share = reading.animal_probs.get(animal, 0.0) if reading.animal_probs else 1.0
    return (animal, share) if share >= PLAIN else None


def _is_token(seen: SeenPiece) -> bool:
    return seen.reading.kind == "token" and seen.stands


def _with_animal(turn: Turn, token: Standing, animal: str) -> Turn:
    """The turn that laid ``token``, with another animal on it."""
    action = turn.action
    if isinstance(action, Dig | Expand) and (action.cell, action.corner) == (token.cell, token.corner):
        return replace(turn, action=replace(action, animal=animal))
    bonus = tuple(
        replace(one, animal=animal) if (one.cell, one.feature) == (token.cell, token.feature) else one
        for one in turn.bonus
    )
    return replace(turn, bonus=bonus)
