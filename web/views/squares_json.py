"""JSON of a game on squares, as the dashboard draws it. Keys are the same as in `web.views.tile_json`."""

from __future__ import annotations

from collections.abc import Sequence

from engine.pack import Art, Pack
from engine.squares_game import parts_laid
from web.table.question import Question
from web.table.squares import Moves, SquareView
from web.views.tile_json import Json, asking_json, camera_json
from web.views.to_check import to_check


def square_state_json(view: SquareView, questions: Sequence[Question], last_event_id: int) -> Json:
    """Return the JSON of ``GET /api/state`` for a game on squares."""
    state, over = view.state, view.phase == "over"
    points = dict(state.points) if state is not None else {}
    collected = state.collected if state is not None else {}
    return {
        "tilesight": 1,
        "title": view.title,
        "game": view.game,
        "pack": view.pack.id,
        "rendered": view.rendered,
        "phase": view.phase,
        "last_event_id": last_event_id,
        "players": [
            {
                "color": seat.color,
                "name": seat.name,
                "score": points.get(seat.color, 0),
                "collected": sorted(collected.get(seat.color, ())),
            }
            for seat in view.seats
        ],
        "colors": [seat.color for seat in view.seats],
        "player": None if state is None or over else state.player,
        "turn_no": 0 if state is None else state.turn_no,
        "turns_at_most": None if state is None else state.turns_at_most,
        "names": list(view.pack.animals),
        "art": {name: _art(view.pack, name) for name in view.pack.animals},
        "parts": [] if state is None else _parts(view.pack, state.terrain),
        "terrain": [] if state is None else list(state.terrain),
        "figures": [] if state is None else [figure.to_json() for figure in state.figures],
        "guide": [dict(step) for step in view.guide],
        "misplaced": [dict(one) for one in view.misplaced],
        "faults": [fault.to_json() for fault in view.faults],
        "history": view.history,
        "missing": view.missing,
        "missing_said": view.missing.to_json(),
        "outcome": view.outcome,
        "finished": state is not None and state.over,
        "turns": [
            {
                "turn": number,
                **turn.line,
                "frame": turn.frame,
                "confidence": None if turn.confidence is None else round(turn.confidence, 4),
            }
            for number, turn in enumerate(view.played, 1)
        ],
        "events": [event.to_json() for event in view.events],
        "final": {"scores": points, "winners": list(view.winners), "events": []} if over else None,
        "camera": camera_json(view.camera),
        **asking_json(questions, view.closed, _to_check(view, questions)),
        "confirmed": view.confirmed,
        **view.commands_json(over=over),
    }


def _to_check(view: SquareView, questions: Sequence[Question]) -> list[Json]:
    """Return what people should check (see `to_check`)."""
    return to_check([turn.confidence for turn in view.played], view.events, questions)


def moves_json(moves: Moves) -> Json:
    """Return the choices for a turn as JSON."""
    return {
        "turn": moves.turn_no,
        "player": moves.player,
        "from": moves.start,
        "lines": [dict(line) for line in moves.lines],
    }


def _parts(pack: Pack, terrain: Sequence[str]) -> list[Json]:
    """Return the pictures of the board's parts as JSON; empty if one of them has no picture."""
    found: list[Json] = []
    for (x, y), (face, rot) in parts_laid(pack, terrain).items():
        if (art := _address(pack.art(face))) is None:
            return []
        side = len(pack.quarters[face])
        found.append({"art": art, "at": [side * x, side * y], "side": side, "rot": rot})
    return found


def _art(pack: Pack, animal: str) -> str | None:
    """Return the address of an animal's picture, or None."""
    return _address(pack.art(f"token-{animal}"))


def _address(art: Art | None) -> str | None:
    """Return the address of a picture, or None."""
    return None if art is None else f"art/{art.name}"
