"""Score of a photograph: the points if the game ended now, with their uncertainty.

Doubtful tiles and pieces have alternative readings, some of which change the points. The game's rules score
the board with one alternative at a time; assuming that the alternatives are independent, their sum gives the
distribution of each player's points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.games import tile_game_named, tile_game_names
from engine.geometry import Cell
from engine.pack import Pack
from engine.tiles.game import Final, ScoreEvent
from engine.tiles.pieces import OUTSIDE
from vision.board import SeenPiece, SolvedBoard

LEAST = 0.005
"""Minimum probability of an alternative that is scored."""
MOST = 60
"""Maximum number of alternatives that are scored, likeliest first."""
TAIL = 0.025
"""Maximum probability of points below a range, and above it."""


@dataclass(frozen=True)
class OtherReading:
    """Alternative reading of one tile or piece.

    ``what`` is 'tile' or 'piece'; ``part`` numbers the parts of the board from 1. ``told`` describes the
    reading, ``instead`` the alternative. ``say`` is the correction that chooses it (docs/http.md, 'A
    photograph'), ``board`` the board and ``points`` the points by colour with it.
    """

    what: str
    cell: Cell
    part: int
    told: str
    instead: str
    probability: float
    say: Mapping[str, Any]
    board: SolvedBoard = field(repr=False)
    points: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class PhotoScore:
    """Points by colour if the game ended now, and the score ``events`` that add up to them.

    ``ranges`` are (minimum, maximum) of the central 95 % interval by colour, ``probability`` is that of all
    points being right, ``hangs_on`` are the alternatives that change points, likeliest first.
    """

    points: Mapping[str, int] = field(default_factory=dict)
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    probability: float = 1.0
    hangs_on: tuple[OtherReading, ...] = ()
    events: tuple[ScoreEvent, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the photo document (docs/formats.md, 'Output of photo')."""
        return {
            "if_ended_now": dict(self.points),
            "if_ended_ranges": {color: list(span) for color, span in self.ranges.items()},
            "if_ended_probability": round(self.probability, 4),
            "if_ended_events": [event.to_json() for event in self.events],
            "hangs_on": [
                {
                    "what": one.what,
                    "cell": list(one.cell),
                    "told": one.told,
                    "instead": one.instead,
                    "probability": round(one.probability, 4),
                    "say": dict(one.say),
                    "points": dict(one.points),
                }
                for one in self.hangs_on
            ],
        }


def score_photograph(board: SolvedBoard, pack: Pack | None, rules: str | None) -> PhotoScore:
    """Score a solved board by the rule edition ``rules`` (None: the default), with the range of the points.

    The score is empty without a tile game's pack, or without tiles.
    """
    if pack is None or pack.game not in tile_game_names() or not board.tiles:
        return PhotoScore()
    game = tile_game_named(pack.game)

    def final_of(other: SolvedBoard) -> Final:
        return game.final_seen(pack, other.laid(pack), other.standing(), rules)

    final = final_of(board)
    points = dict(final.scores)
    asked = sorted(_alternatives(board, pack), key=lambda one: -one.probability)[:MOST]
    counted = [replace(one, points=dict(final_of(one.board).scores)) for one in asked]
    moving = tuple(one for one in counted if _moved(one.points, points))
    colors = list(dict.fromkeys([*points, *(color for one in moving for color in one.points)]))
    doubt: dict[int, float] = {}
    for one in moving:
        doubt[one.part] = doubt.get(one.part, 0.0) + one.probability
    sure = float(np.prod([1.0 - min(p, 1.0) for p in doubt.values()]))
    ranges = {color: _range(color, points, moving) for color in colors}
    told = {color: span for color, span in ranges.items() if color in points or span != (0, 0)}
    return PhotoScore(points, told, sure, moving, final.events)


def _moved(points: Mapping[str, int], before: Mapping[str, int]) -> bool:
    return any(points.get(c, 0) != before.get(c, 0) for c in points.keys() | before.keys())


def _range(color: str, points: Mapping[str, int], moving: Sequence[OtherReading]) -> tuple[int, int]:
    """Return (minimum, maximum) of a colour's points, with a probability of `TAIL` beyond each end.

    ``points`` are those as read, ``moving`` the alternatives that change points.
    """
    now = points.get(color, 0)
    by_part: dict[int, dict[int, float]] = {}
    for one in moving:
        step = one.points.get(color, 0) - now
        steps = by_part.setdefault(one.part, {})
        steps[step] = steps.get(step, 0.0) + one.probability
    reach = 1 + sum(max(map(abs, steps)) for steps in by_part.values())
    shares = np.zeros(2 * reach + 1)
    shares[reach] = 1.0
    for steps in by_part.values():
        spread = max(0.0, 1.0 - sum(steps.values())) * shares
        for step, p in steps.items():
            spread += p * np.roll(shares, step)  # the ends are empty: no sum of steps reaches them
        shares = spread / spread.sum()
    below = np.cumsum(shares)
    least, most = int(np.searchsorted(below, TAIL)), int(np.searchsorted(below, 1.0 - TAIL))
    return now + min(least - reach, 0), now + max(most - reach, 0)


def _alternatives(board: SolvedBoard, pack: Pack) -> Iterator[OtherReading]:
    """Yield the alternatives, of at least `LEAST` probability, of all tiles and pieces, not scored yet."""
    part = 0
    for tile in board.tiles:
        part += 1
        for face, share in tile.alternatives:
            if tile.face is not None and share >= LEAST:
                told, instead = (f"{f.design} {f.rot}°" for f in (tile.face, face))
                other = board.with_face(tile.cell, face, pack)
                say = {"tile": {"cell": list(tile.cell), "tile": face.design, "rot": face.rot}}
                yield OtherReading("tile", tile.cell, part, told, instead, share, say, other)
    for index, piece in enumerate(board.pieces):
        if piece.cell is None or piece.reading.kind in OUTSIDE or piece.reading.kind == "token":
            continue
        part += 1
        told = _words(piece, board, pack)
        for instead, share, others in _of_piece(piece, board, pack):
            if share >= LEAST:
                pieces = (*board.pieces[:index], *others, *board.pieces[index + 1 :])
                other = replace(board, pieces=pieces)
                say = {"piece": _say(others[0] if others else None, index, piece.cell)}
                yield OtherReading("piece", piece.cell, part, told, instead, share, say, other)
    for piece in board.unlikely:
        part += 1
        if piece.cell is not None and piece.reading.confidence >= LEAST:
            other = replace(board, pieces=(*board.pieces, piece))
            share = piece.reading.confidence
            say = {"piece": _say(piece, None, piece.cell)}
            instead = _words(piece, board, pack)
            yield OtherReading("piece", piece.cell, part, "nothing", instead, share, say, other)


def _of_piece(
    piece: SeenPiece, board: SolvedBoard, pack: Pack
) -> Iterator[tuple[str, float, tuple[SeenPiece, ...]]]:
    """Yield alternatives to a piece as (description, probability, pieces in its place).

    They are: no piece, other colours, other kinds or features.
    """
    there = piece.reading.confidence
    yield "nothing", 1.0 - there, ()
    for color, share in piece.reading.color_probs.items():
        if color != piece.reading.color:
            other = replace(piece, reading=replace(piece.reading, color=color))
            yield _words(other, board, pack), there * share, (other,)
    for option, share in piece.options.items():
        other = piece.as_option(option)
        if _words(other, board, pack) != _words(piece, board, pack):
            yield _words(other, board, pack), there * share, (other,)


def _say(piece: SeenPiece | None, number: int | None, cell: Cell) -> dict[str, Any]:
    """Return, as JSON, the correction that replaces piece ``number`` by ``piece`` in ``cell``.

    ``piece`` None removes it, ``number`` None adds the piece.
    """
    if piece is None:
        return {"number": number, "kind": None}
    reading = piece.reading
    about = {"kind": reading.kind, "color": reading.color, "pose": reading.pose}
    return {"number": number, **about, "cell": list(cell), "feature": piece.feature}


def _words(piece: SeenPiece, board: SolvedBoard, pack: Pack) -> str:
    reading, feature = piece.reading, board.called(piece, pack)
    where = f" on {feature}" if feature else ""
    pose = " lying" if reading.pose == "lying" else ""
    return f"{reading.color or ''}{pose} {reading.kind}{where}".strip()
