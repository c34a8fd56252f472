"""Score of a photograph: the points if the game ended now, with their uncertainty.

The game's rules score boards that are drawn from the joint posterior (`tilesight.photograph.sampling`); their
points give the ranges. Doubtful tiles and pieces also have alternative readings, scored one at a time: those
that move the points most are worth a look.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.games import tile_game_named, tile_game_names
from engine.geometry import Cell
from engine.pack import Pack
from engine.tiles.game import Final, ScoreEvent, Spot
from engine.tiles.pieces import OWNED
from tilesight.photograph.params import PARAMS
from tilesight.photograph.sampling import sampled_boards
from vision.board import SeenPiece, SolvedBoard

LEAST = 0.005
"""Minimum probability of an alternative that is scored."""
MOST = 60
"""Maximum number of alternatives that are scored, likeliest first."""


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

    ``ranges`` are (minimum, maximum) by colour; all points are in them with the probability `covered`
    (`tilesight.photograph.params`). ``probability`` is that of all points being right, ``hangs_on`` are the
    alternatives that change points, those that move them most first. ``spots`` are the features with pieces.
    """

    points: Mapping[str, int] = field(default_factory=dict)
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    probability: float = 1.0
    hangs_on: tuple[OtherReading, ...] = ()
    events: tuple[ScoreEvent, ...] = ()
    spots: tuple[Spot, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the photo document (docs/formats.md, 'Output of photo')."""
        return {
            "if_ended_now": dict(self.points),
            "if_ended_ranges": {color: list(span) for color, span in self.ranges.items()},
            "if_ended_probability": round(self.probability, 4),
            "if_ended_events": [event.to_json() for event in self.events],
            "spots": [spot.to_json() for spot in self.spots],
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
    moving = sorted(
        (one for one in counted if _moved(one.points, points)), key=lambda one: -_moves(one, points)
    )
    scored: dict[tuple[Any, ...], Mapping[str, int]] = {}
    drawn = []
    for other in sampled_boards(board, pack, PARAMS.samples, np.random.default_rng(0)):
        key = (*((tile.cell, tile.face) for tile in other.tiles), *other.standing())
        if key not in scored:
            scored[key] = dict(final_of(other).scores)
        drawn.append(scored[key])
    sure = sum(not _moved(one, points) for one in drawn) / len(drawn)
    return PhotoScore(points, _ranges(points, drawn), sure, tuple(moving), final.events, final.spots)


def _moved(points: Mapping[str, int], before: Mapping[str, int]) -> bool:
    return any(points.get(c, 0) != before.get(c, 0) for c in points.keys() | before.keys())


def _moves(one: OtherReading, before: Mapping[str, int]) -> float:
    """Return the mean number of points that an alternative moves: its probability times what it changes."""
    return one.probability * sum(
        abs(one.points.get(c, 0) - before.get(c, 0)) for c in one.points.keys() | before.keys()
    )


def _ranges(points: Mapping[str, int], drawn: Sequence[Mapping[str, int]]) -> dict[str, tuple[int, int]]:
    """Return the (minimum, maximum) of each colour's points, such that the share `covered` of the draws has
    all colours' points in their ranges.

    Each range goes from one quantile of the draws to the opposite one, the same for all colours, and includes
    the ``points`` as read. A colour that is neither read nor has points in its range is left out.
    """
    colors = list(dict.fromkeys([*points, *(color for one in drawn for color in one)]))
    told = np.array([[one.get(color, 0) for color in colors] for one in drawn]).reshape(len(drawn), -1)
    now = np.array([points.get(color, 0) for color in colors])
    ordered = np.sort(told, axis=0)
    least = most = now
    for tail in range(len(drawn) // 2, -1, -1):  # draws below the range, and above it, of each colour
        least, most = np.minimum(ordered[tail], now), np.maximum(ordered[-1 - tail], now)
        if np.all((told >= least) & (told <= most), axis=1).mean() >= PARAMS.covered:
            break
    spans = {color: (int(a), int(b)) for color, a, b in zip(colors, least, most, strict=True)}
    return {color: span for color, span in spans.items() if color in points or span != (0, 0)}


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
        if piece.cell is None or piece.reading.kind not in OWNED:
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
