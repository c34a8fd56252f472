"""JSON of a tile game, as the dashboard draws it.

Points on the board are in cells: ``[x + u, y + v]`` with u to the east and v to the south of the cell's
north-west corner, after the tile's rotation. Data that never changes during a game (faces, geometry, art) is
in `pack_json`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from engine.games import game_named
from engine.geometry import Cell, Point, turned_point
from engine.pack import Design, Feature, Pack
from engine.tiles.board import Laid, Standing
from engine.tiles.foreign import MARK, foreign_design, ground_of, is_foreign
from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from web.table.camera_status import CameraStatus
from web.table.choices import Choices
from web.table.doubts import is_doubtful
from web.table.pictures import Framing, Picture
from web.table.question import ClosedQuestion, Option, Question
from web.table.view import PlayedTurn, TableView
from web.views.open_points import open_points
from web.views.to_check import PointsAtStake, to_check

Json = dict[str, Any]
"""A JSON object."""
_MIDDLE: Point = (0.5, 0.5)
"""Position in its cell of a piece without a more precise one."""


def state_json(view: TableView, questions: Sequence[Question], last_event_id: int) -> Json:
    """Return the JSON of ``GET /api/state`` for a tile game."""
    state = view.state
    over = view.phase == "over" or state.over
    open_now = open_points(view, questions)
    return {
        "tilesight": 1,
        "title": view.title,
        "game": view.game,
        "pack": view.pack.id,
        "rendered": view.rendered,
        "phase": "over" if over else view.phase,
        "last_event_id": last_event_id,
        "players": [
            {
                "color": seat.color,
                "name": seat.name,
                "score": state.scores.get(seat.color, 0) + view.by_hand.get(seat.color, 0),
                "supply": state.supply.get(seat.color),
                "pieces": pieces_left(view.game, state, seat.color),
                "hand": list(state.hands.get(seat.color, ())),
                "may_be": open_now.may_be.get(seat.color, []),
            }
            for seat in view.seats
        ],
        "colors": list(game_named(view.game).colors),
        "player": None if over else state.player,
        "turn_no": state.turn_no,
        "tiles_left": sum(state.bag.values()),
        "board": [_laid_json(cell, laid) for cell, laid in state.board.items()],
        "faces": faces_json(view.pack, (laid.design.id for laid in state.board.values())),
        "standing": [_standing_json(state, piece) for piece in state.standing],
        "turns": list(_turns_json(view)),
        "events": [event.to_json() for event in view.events],
        "spots": [spot.to_json() for spot in state.spots()],
        "final": None
        if view.final is None
        else {
            "scores": dict(view.final.scores),
            "winners": list(view.final.winners),
            "events": [event.to_json() for event in view.final.events],
        },
        "faults": [fault.to_json() for fault in view.faults],
        "history": view.history,
        "camera": camera_json(view.camera),
        **asking_json(questions, view.closed, _to_check(view, questions, open_now.at_stake)),
        "opening": _opening_json(view),
        **view.commands_json(over=over),
    }


def _opening_json(view: TableView) -> Json | None:
    """Return the position in which the camera found a game under way, as JSON; None if it saw the start."""
    if not view.opening:
        return None
    start = view.start
    return {
        "position": view.opening,
        "confirmed": view.confirmed,
        "to": start.player,
        "scores": dict(start.scores),
        "hands": {player: list(hand) for player, hand in start.hands.items()},
        "tiles": len(start.board) - len(start.pack.start_designs),
    }


def pieces_left(game: str, state: GameState, color: str) -> list[Json]:
    """Return for each kind of piece how many the player has left, and how many there are in all."""
    laid = Counter[str](piece.kind for piece in state.standing if piece.color == color)
    return [
        {"kind": pieces.kind, "left": pieces.count - laid[pieces.kind], "of": pieces.count}
        for pieces in game_named(game).pieces
        if pieces.color == color
    ]


def faces_json(pack: Pack, names: Iterable[str]) -> Json:
    """Return the foreign faces among ``names`` as JSON by name, in the form of `pack_json`'s designs."""
    return {name: _design_json(pack, foreign_design(pack, name)) for name in names if is_foreign(name)}


def turn_json(turn: Turn) -> Json:
    """Return a turn as a record line. The line of a foreign tile also has the name of its face."""
    return {**turn.to_json(), "face": turn.tile} if is_foreign(turn.tile) else turn.to_json()


def pack_json(pack: Pack) -> Json:
    """Return the JSON of ``GET /api/pack``: the faces of a pack, and the kinds for foreign tiles.

    A face has its geometry in the tile's own frame, and the address of its art. The kinds of edges and
    features serve to describe foreign tiles (docs/formats.md, 'Foreign tiles').
    """
    ground = ground_of(pack)
    return {
        "tilesight": 1,
        "id": pack.id,
        "title": pack.title,
        "designs": {design.id: _design_json(pack, design) for design in pack.designs.values()},
        "tokens": {
            animal: f"art/{art.name}" if (art := pack.art(f"token-{animal}")) else None
            for animal in pack.tokens
        },
        "edges": {
            edge: next((kind for kind in kinds if kind not in ground.land), None)
            for edge, kinds in ground.along.items()
        },
        "inside": sorted(ground.inside),
    }


def _to_check(view: TableView, questions: Sequence[Question], at_stake: PointsAtStake) -> list[Json]:
    """Return what people should check (see `to_check`)."""
    strange = [number for number, played in enumerate(view.played, 1) if played.turn.tile == MARK]
    confidences = [played.confidence for played in view.played]
    return to_check(confidences, view.events, questions, at_stake, strange)


def asking_json(
    questions: Sequence[Question], closed: Sequence[ClosedQuestion], checks: Sequence[Json]
) -> Json:
    """Return the open questions, the questions that closed last, and what people should check, as JSON."""
    return {
        "questions": questions_json(questions),
        "closed": [one.to_json() for one in closed],
        "to_check": list(checks),
    }


def questions_json(questions: Sequence[Question]) -> list[Json]:
    """Return the open questions with their options as JSON."""
    return [
        {
            "id": question.id,
            "text": question.text,
            "said": question.text.to_json(),
            "player": question.player,
            "frame": question.frame,
            "turn": question.turn_no,
            "order": list(question.order),
            "cells": _cells(question.cells),
            "options": [_option_json(option) for option in question.options],
        }
        for question in questions
    ]


def piece_point(pack: Pack, board: Mapping[Cell, Laid], piece: Standing) -> Point:
    """Return the position of a piece on the board, in cells.

    A piece on a feature is at the feature's spot. An animal tile, and a meeple on it, is in its corner of the
    cell. Other pieces are in the middle of their cell.
    """
    x, y = piece.cell
    laid = board.get(piece.cell)
    u, v = _MIDDLE
    if piece.corner is not None:
        u, v = pack.token_spot(piece.corner)
    elif laid is not None and piece.feature is not None:
        feature = laid.design.tile.feature(piece.feature)
        if feature is not None:
            u, v = turned_point(feature.spot_of(piece.kind), laid.rot)
    return (x + u, y + v)


def choices_json(choices: Choices) -> Json:
    """Return the choices for a turn as JSON."""
    return {
        "turn": choices.turn_no,
        "player": choices.player,
        "likely": [turn_json(turn) for turn in choices.likely],
        "tile": choices.tile,
        "faces": faces_json(
            choices.pack, filter(None, (choices.tile, *(turn.tile for turn in choices.likely)))
        ),
        "cell": None if choices.cell is None else list(choices.cell),
        "rot": choices.rot,
        "turns": [turn_json(turn) for turn in choices.turns],
        "rots": list(choices.rots),
        "cells": _cells(choices.cells),
        "tiles": list(choices.tiles),
    }


def framing_json(framing: Framing) -> Json:
    """Return how well a picture can be read, as JSON."""
    return {
        "board": framing.board,
        "tiles": framing.tiles,
        "side_px": round(framing.side_px, 1),
        "wanted_px": framing.wanted_px,
        "faults": list(framing.faults),
        "glare_at": framing.glare_at,
        "cut_off": list(framing.cut_off),
    }


def picture_json(picture: Picture | None) -> Json:
    """Return the tiles and pieces in the camera's latest picture as JSON, in pixels of its JPEG.

    For None, the fields are null or empty.
    """
    if picture is None:
        return {"frame": None, "size_wh": None, "tiles": [], "pieces": [], "framing": None}
    return {
        "frame": picture.frame,
        "size_wh": list(picture.size_wh),
        "tiles": [
            {
                "cell": list(tile.cell),
                "corners_px": [_point_px(point) for point in tile.corners_px],
                "read": tile.read,
                "confidence": round(tile.confidence, 4),
                "known": tile.known,
            }
            for tile in picture.tiles
        ],
        "pieces": [
            {
                "kind": piece.kind,
                "color": piece.color,
                "animal": piece.animal,
                "point_px": _point_px(piece.point_px),
                "confidence": round(piece.confidence, 4),
            }
            for piece in picture.pieces
        ],
        "framing": None if picture.framing is None else framing_json(picture.framing),
    }


def _point_px(point: Point) -> list[float]:
    """Return a point in pixels, rounded to one decimal."""
    return [round(point[0], 1), round(point[1], 1)]


def _laid_json(cell: Cell, laid: Laid) -> Json:
    """Return a tile on the board as JSON."""
    name = laid.design.id
    return {
        "cell": list(cell),
        **({"tile": None, "face": name} if is_foreign(name) else {"tile": name}),
        "rot": laid.rot,
        "start": laid.design.tile.start_cell is not None,
    }


def _standing_json(state: GameState, piece: Standing) -> Json:
    """Return a piece on the board as JSON."""
    x, y = piece_point(state.pack, state.board, piece)
    return {
        "kind": piece.kind,
        "color": piece.color,
        "cell": list(piece.cell),
        "feature": piece.feature,
        "corner": piece.corner,
        "animal": piece.animal,
        "pose": piece.pose,
        "at": [round(x, 4), round(y, 4)],
    }


def _turns_json(view: TableView) -> Iterator[Json]:
    """Yield the turns so far as JSON."""
    before = view.start
    for number, played in enumerate(view.played, 1):
        animals = before.drawn(played.turn, played.after)
        before = played.after
        yield {
            "turn": number,
            **turn_json(played.turn),
            "drawn": {player: list(names) for player, names in animals.items()},
            "frame": played.frame,
            "confidence": None if played.confidence is None else round(played.confidence, 4),
            **_alternatives(played),
        }


def _alternatives(played: PlayedTurn) -> Json:
    """Return the known alternatives of a doubtful turn as JSON; empty for other turns."""
    if not is_doubtful(played.confidence) or not played.alternatives:
        return {}
    return {
        "alternatives": [
            {
                "line": turn_json(one.turn),
                "probability": None if one.probability is None else round(one.probability, 4),
            }
            for one in played.alternatives
        ]
    }


def camera_json(camera: CameraStatus) -> Json:
    """Return the camera's status as JSON."""
    return {
        "seeing": camera.seeing,
        "message": camera.message,
        "said": camera.message.to_json(),
        "frame": camera.frame,
        "frames": camera.frames,
        "cells": _cells(camera.cells),
        "framing": None if camera.framing is None else framing_json(camera.framing),
    }


def _option_json(option: Option) -> Json:
    """Return an option of a question as JSON."""
    return {
        "id": option.id,
        "label": option.label,
        "said": option.label.to_json(),
        "turn": None if option.turn is None else option.turn.to_json(),
    }


def _design_json(pack: Pack, design: Design) -> Json:
    """Return a design with its geometry as JSON."""
    art = pack.art(design.id)
    return {
        "tile": design.tile.id,
        "edges": dict(design.tile.edges),
        "sides": {edge: list(names) for edge, names in design.tile.sides.items()},
        "features": [_feature_json(design, feature) for feature in design.tile.features],
        "art": None if art is None else f"art/{art.name}",
        "foreign": is_foreign(design.id),
    }


def _feature_json(design: Design, feature: Feature) -> Json:
    """Return a feature of a design as JSON."""
    return {
        "id": feature.id,
        "kind": feature.kind,
        "edges": list(feature.edges),
        "spot": list(feature.spot),
        "path": None if feature.path is None else [list(point) for point in feature.path],
        "region": None if feature.region is None else [list(point) for point in feature.region],
        "birds": feature.birds,
        "marks": {key: n for key, n in feature.extra.items() if isinstance(n, int) and n},
        "animals": list(design.animals.get(feature.id, ())),
    }


def _cells(cells: Sequence[Cell]) -> list[list[int]]:
    """Return cells as JSON."""
    return [list(cell) for cell in cells]
