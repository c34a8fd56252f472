"""Revision of settled turns by animal tiles that were hidden and come to light later.

Either the animal on a tile was hidden by a meeple that has gone home, or the animal tile as a whole.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from engine.geometry import CORNERS, Cell, Corner, Point, cell_of
from engine.tiles.board import Standing
from engine.tiles.game import GameState, IllegalTurn
from engine.tiles.pieces import OWNED
from engine.tiles.turn import Turn
from tilesight.inference.hypothesis import Hypothesis, hypothesis_after
from tilesight.inference.likelihood import feature_point
from tilesight.inference.params import PARAMS
from tilesight.inference.understanding import UnderstoodTurn
from tilesight.inference.view import FramedPiece, View
from tilesight.inference.view_params import PARAMS as VIEW

STATED_BY_PEOPLE = 1.0
"""Confidence of a turn that people confirmed; no reading is as sure."""


def with_revealed_animals(
    start: GameState, settled: Sequence[UnderstoodTurn], view: View
) -> list[UnderstoodTurn] | None:
    """Return the settled turns with the animals that ``view`` is the first to show in plain sight.

    Only turns less sure than ``sure_turn`` change. None if nothing changes, or if the later turns would not
    be legal. ``start`` is the position before turn 1.
    """
    if not settled:
        return None
    standing = set(settled[-1].step.state.standing)
    others: dict[int, tuple[Turn, float]] = {}
    before = start
    for number, known in enumerate(settled):
        if known.confidence < PARAMS.sure_turn and known.t_s is not None:
            # Only the pieces that this turn laid; the others are older.
            for piece in standing.intersection(known.step.laid).difference(before.standing):
                shown = _revealed_animal(piece, known.step.state, view, known.t_s)
                if shown is not None and shown[0] != piece.animal:
                    others[number] = _with_animal(known.turn, piece, shown[0]), shown[1]
        before = known.step.state
    return _with_turns_replaced(start, settled, others) if others else None


def with_revealed_token(
    start: GameState, settled: Sequence[UnderstoodTurn], view: View, now: Hypothesis
) -> list[UnderstoodTurn] | None:
    """Return the settled turns with an animal tile added that a piece had hidden until it went home.

    The picture shows it plainly and the likeliest hypothesis ``now`` lacks it. It is assigned to a turn
    without an action, played while that piece was there: the least sure, or else the last. None if there is
    no such animal tile or no such turn.
    """
    if not settled or now.parent is None:
        return None
    gone = [p for p in settled[-1].step.state.standing if p.kind in OWNED and p not in now.stages.rest]
    known = search_circles(now.state, {"token"}) + search_circles(now.parent.state, {"token"})
    for seen in view.pieces:
        animal = seen.reading.animal
        # One look is not enough: `novelty` of the first is 1.
        if (
            not _is_token(seen)
            or animal is None
            or seen.reading.confidence < PARAMS.ask_below
            or seen.novelty == 1.0
        ):
            continue
        place = _corner_at(seen.xy, now.state)
        if place is None or any(math.dist(at, seen.xy) < reach for at, reach in known):
            continue
        hiding = [
            p
            for p in gone
            if math.dist(search_circle(p, settled[-1].step.state)[0], seen.xy) < VIEW.hides_sides
        ]
        idle = [
            number
            for number, known in enumerate(settled)
            if known.turn.action is None
            and known.confidence < STATED_BY_PEOPLE
            and set(hiding).intersection(known.step.state.standing)
        ]
        for number in sorted(idle, key=lambda i: (min(settled[i].confidence, PARAMS.sure_turn), -i)):
            turn = replace(settled[number].turn, action=start.token_added(*place, animal))
            followed = _with_turns_replaced(start, settled, {number: (turn, seen.reading.confidence)})
            if followed is not None:
                return followed
    return None


def _with_turns_replaced(
    start: GameState, settled: Sequence[UnderstoodTurn], others: Mapping[int, tuple[Turn, float]]
) -> list[UnderstoodTurn] | None:
    """Return the settled turns with ``others`` (turn and confidence, by index) in place of the old ones.

    None if a later turn would not be legal.
    """
    state, followed = start, list[UnderstoodTurn]()
    for number, known in enumerate(settled):
        turn, sure = others.get(number, (known.turn, known.confidence))
        if number in others:
            rest = [other for other in known.alternatives if other != turn]
            known = replace(known, alternatives=(known.turn, *rest))
        try:
            step = state.apply(turn)
        except IllegalTurn:
            return None
        followed.append(replace(known, turn=turn, step=step, confidence=sure))
        state = step.state
    return followed


def _corner_at(xy: Point, state: GameState) -> tuple[Cell, Corner] | None:
    """Return the (cell, corner) of an animal tile seen at ``xy``; None if no corner's spot is near enough."""
    x, y = cell = cell_of(xy)
    spots = {corner: state.pack.token_spot(corner) for corner in CORNERS}
    nearest = min(CORNERS, key=lambda corner: math.dist((x + spots[corner][0], y + spots[corner][1]), xy))
    u, v = spots[nearest]
    return (cell, nearest) if math.dist((x + u, y + v), xy) < VIEW.token_reach_sides else None


def transplanted(hypothesis: Hypothesis, fresh: Hypothesis) -> Hypothesis:
    """Return a copy of ``fresh`` with the scores of ``hypothesis``, and its descendants played again.

    ``fresh`` is the same turn after a corrected earlier one. Descendants that are no longer legal are
    dropped; waiting turns are listed anew.
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


def _revealed_animal(
    piece: Standing, state: GameState, view: View, laid_s: float
) -> tuple[str, float] | None:
    """Return the animal that the animal tile ``piece`` plainly shows now, and its probability.

    None if it is hidden, unsure or no animal tile, or has shown the same since it was laid (at ``laid_s``
    seconds).
    """
    if piece.kind != "token":
        return None
    at, reach = search_circle(piece, state)
    if any(math.dist(xy, at) < VIEW.hides_sides for xy in view.owned_points()):
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


def _is_token(seen: FramedPiece) -> bool:
    """Whether a detection is a likely animal tile."""
    return seen.reading.kind == "token" and seen.stands


def _with_animal(turn: Turn, token: Standing, animal: str) -> Turn:
    """Return ``turn`` with another animal on ``token``, which its action laid on a corner.

    The turn is unchanged if its action laid another piece. (An animal tile that is added to a feature goes
    home in the same turn and is never seen later.)
    """
    put = None if turn.action is None else turn.action.put
    if turn.action is None or put is None or (put.cell, put.corner) != (token.cell, token.corner):
        return turn
    return replace(turn, action=turn.action.showing(animal))


def search_circles(state: GameState, kinds: Collection[str]) -> tuple[tuple[Point, float], ...]:
    """Return the `search_circle` of each piece of these kinds in a position."""
    return tuple(search_circle(piece, state) for piece in state.standing if piece.kind in kinds)


def search_circle(piece: Standing, state: GameState) -> tuple[Point, float]:
    """Return where a piece is expected (game's frame), and within what distance in tile sides it is read."""
    if piece.corner is not None:
        u, v = state.pack.token_spot(piece.corner)
        return (
            piece.cell[0] + u,
            piece.cell[1] + v,
        ), VIEW.token_reach_sides if piece.kind == "token" else PARAMS.piece_reach_sides
    return feature_point(
        state.board.get(piece.cell), piece.cell, piece.feature, piece.kind
    ), PARAMS.piece_reach_sides
