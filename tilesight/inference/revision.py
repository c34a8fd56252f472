"""Revision of settled turns by what comes to light later: animal tiles that were hidden.

Which animal lay under a meeple that has gone home, or that an animal tile lay there at all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from engine.geometry import CORNERS, Cell, Corner, Point, cell_of
from engine.tiles.board import Standing
from engine.tiles.game import GameState, IllegalTurn
from engine.tiles.turn import Turn
from tilesight.inference.hypothesis import Hypothesis, hypothesis_after
from tilesight.inference.likelihood import place_of, places_of
from tilesight.inference.params import PARAMS
from tilesight.inference.understanding import UnderstoodTurn
from tilesight.inference.view import PERSONS, SeenPiece, View
from tilesight.inference.view_params import PARAMS as VIEW

SAID = 1.0
"""Confidence of a turn that people stated; no reading is as sure."""


def animals_seen_at_last(
    start: GameState, settled: Sequence[UnderstoodTurn], view: View
) -> list[UnderstoodTurn] | None:
    """The settled turns with other animals, where one that was not sure is in plain sight only now and shows
    another; None where nothing changes, or the later turns would not be legal."""
    if not settled:
        return None
    standing = set(settled[-1].step.state.standing)
    others: dict[int, tuple[Turn, float]] = {}
    before = start
    for number, told in enumerate(settled):
        if told.confidence < PARAMS.sure_turn and told.t_s is not None:
            # What lies on the table after a turn is older but for what the turn laid.
            for piece in standing.intersection(told.step.laid).difference(before.standing):
                shown = _shown_now(piece, told.step.state, view, told.t_s)
                if shown is not None and shown[0] != piece.animal:
                    others[number] = _with_animal(told.turn, piece, shown[0]), shown[1]
        before = told.step.state
    return _told_otherwise(start, settled, others) if others else None


def tile_seen_at_last(
    start: GameState, settled: Sequence[UnderstoodTurn], view: View, now: Hypothesis
) -> list[UnderstoodTurn] | None:
    """The settled turns, where an animal tile lies in plain sight that the likeliest hypothesis ``now`` knows
    nothing of, and a piece had hidden its place until it went home.

    A turn laid it in which nothing was put down while that piece stood there: the least sure, or else the
    last. None where there is no such animal tile, or no such turn.
    """
    if not settled or now.parent is None:
        return None
    gone = [p for p in settled[-1].step.state.standing if p.kind in PERSONS and p not in now.stages.rest]
    known = places_of(now.state, {"token"}) + places_of(now.parent.state, {"token"})
    for seen in view.pieces:
        animal = seen.reading.animal
        # One look is not enough: `news` of the first is 1.
        if (
            not _is_token(seen)
            or animal is None
            or seen.reading.confidence < PARAMS.ask_below
            or seen.news == 1.0
        ):
            continue
        place = _corner_at(seen.xy, now.state)
        if place is None or any(math.dist(at, seen.xy) < reach for at, reach in known):
            continue
        hiding = [
            p for p in gone if math.dist(place_of(p, settled[-1].step.state)[0], seen.xy) < VIEW.hides_sides
        ]
        idle = [
            number
            for number, told in enumerate(settled)
            if told.turn.action is None
            and told.confidence < SAID
            and set(hiding).intersection(told.step.state.standing)
        ]
        for number in sorted(idle, key=lambda i: (min(settled[i].confidence, PARAMS.sure_turn), -i)):
            turn = replace(settled[number].turn, action=start.token_added(*place, animal))
            followed = _told_otherwise(start, settled, {number: (turn, seen.reading.confidence)})
            if followed is not None:
                return followed
    return None


def _told_otherwise(
    start: GameState, settled: Sequence[UnderstoodTurn], others: Mapping[int, tuple[Turn, float]]
) -> list[UnderstoodTurn] | None:
    """The settled turns with ``others`` in their places, and how sure those are; None where a later one would
    not be legal."""
    state, followed = start, list[UnderstoodTurn]()
    for number, told in enumerate(settled):
        turn, sure = others.get(number, (told.turn, told.confidence))
        if number in others:
            rest = [other for other in told.alternatives if other != turn]
            told = replace(told, alternatives=(told.turn, *rest))
        try:
            step = state.apply(turn)
        except IllegalTurn:
            return None
        followed.append(replace(told, turn=turn, step=step, confidence=sure))
        state = step.state
    return followed


def _corner_at(xy: Point, state: GameState) -> tuple[Cell, Corner] | None:
    """The corner with which an animal tile seen at ``xy`` would lie flush, None where it is none."""
    x, y = cell = cell_of(xy)
    spots = {corner: state.pack.token_spot(corner) for corner in CORNERS}
    nearest = min(CORNERS, key=lambda corner: math.dist((x + spots[corner][0], y + spots[corner][1]), xy))
    u, v = spots[nearest]
    return (cell, nearest) if math.dist((x + u, y + v), xy) < VIEW.token_reach_sides else None


def transplanted(hypothesis: Hypothesis, fresh: Hypothesis) -> Hypothesis:
    """``fresh``, the same turn as ``hypothesis`` after another animal, with its evidence and its descendants.

    What is no longer legal is left out; waiting turns are listed anew.
    """
    other = replace(
        fresh,
        mid_seen=hypothesis.mid_seen,
        bare=hypothesis.bare,
        mid=hypothesis.mid,
        rest=hypothesis.rest,
        enter=hypothesis.enter,
        leave=hypothesis.leave,
        late_cost=hypothesis.late_cost,
        tiles_now=hypothesis.tiles_now,
        weighed=hypothesis.weighed,
        refused=list(hypothesis.refused),
        withheld=list(hypothesis.withheld),
    )
    for key, group in hypothesis.laid.items():
        for child in group:
            with suppress(IllegalTurn):
                assert child.turn is not None
                after = transplanted(child, hypothesis_after(other, child.turn, ()))
                other.laid.setdefault(key, []).append(after)
    return other


def _shown_now(piece: Standing, state: GameState, view: View, laid_s: float) -> tuple[str, float] | None:
    """The animal that a token plainly shows that did not look like this when it was laid, and how likely."""
    if piece.kind != "token":
        return None
    at, reach = place_of(piece, state)
    if any(math.dist(xy, at) < VIEW.hides_sides for xy in view.persons()):
        return None
    near = [seen for seen in view.pieces if _is_token(seen) and math.dist(seen.xy, at) < reach]
    if len(near) != 1:
        return None
    reading = near[0].reading
    animal, since_s = reading.animal, reading.since_s
    if (
        animal is None
        or since_s is None
        or since_s <= laid_s
        or view.observation.t_s - since_s < VIEW.usual_after_s
    ):
        return None
    share = reading.animal_probs.get(animal, 0.0) if reading.animal_probs else 1.0
    return (animal, share) if share >= PARAMS.ask_below else None


def _is_token(seen: SeenPiece) -> bool:
    return seen.reading.kind == "token" and seen.stands


def _with_animal(turn: Turn, token: Standing, animal: str) -> Turn:
    """The turn that laid ``token`` on a corner, with another animal on it. What is added to a feature goes
    home in the same turn, and is never seen later."""
    put = None if turn.action is None else turn.action.put
    if turn.action is None or put is None or (put.cell, put.corner) != (token.cell, token.corner):
        return turn
    return replace(turn, action=turn.action.showing(animal))
