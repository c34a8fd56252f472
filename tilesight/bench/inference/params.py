"""Tuned numbers of `tilesight.bench.inference`: rates of misreadings, and habits of people at the table."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param

_REAL = "38 pictures of a real game and 440 of three photographed boards, each read with two galleries"


@dataclass(frozen=True)
class SimulationParams:
    """Rates of misreadings per appearance or per picture; habits of people who play and take pictures.

    The tables of confidences and leads are constants of `tile_readings` and `piece_readings`.
    """

    # Tiles.
    face_jitter_nats: float = param(
        0.5, unit="nats", raising="the same face is read otherwise in each picture", fitted=_REAL
    )
    tile_jitter_nats: float = param(
        1.3, unit="nats", raising="the same tile stands out otherwise in each picture", fitted=_REAL
    )
    under_piece: float = param(
        0.7, unit="1", raising="a piece on a tile hides less of what tells its face", fitted=_REAL
    )
    missed_tile: float = param(
        0.004, unit="probability a picture", raising="a tile is more often not read at all", fitted=_REAL
    )
    bare_read: float = param(
        0.03, unit="probability a cell", raising="more of the bare table is looked at as a tile", fitted=_REAL
    )

    # Pieces.
    piece_jitter_sides: float = param(
        0.012, unit="tile sides", raising="a piece moves more from picture to picture"
    )
    missed_piece: float = param(
        0.003,
        unit="probability a picture",
        raising="pieces that are mostly detected flicker more",
        fitted="first-light and water-and-baobab",
    )
    wrong_color: float = param(
        0.015, unit="probability", raising="more pieces are read in another colour", fitted=_REAL
    )
    wrong_sort: float = param(
        0.02, unit="probability", raising="more pieces are read lying or as another kind", fitted=_REAL
    )
    astray: float = param(0.01, unit="probability", raising="more pieces stand nearer to another feature")
    false_piece: float = param(
        0.07, unit="probability a tile", raising="more prints look a little like a piece", fitted=_REAL
    )
    false_beside: float = param(
        0.01, unit="probability a cell", raising="more things beside the board look like a piece"
    )
    missed_token: float = param(
        0.02, unit="probability", raising="more animal tiles are overlooked", fitted="models/tokens.md"
    )
    missed_under: float = param(
        0.1, unit="probability", raising="the same of one on which a piece stands", fitted="models/tokens.md"
    )
    wrong_animal: float = param(
        0.03, unit="probability", raising="more animals are taken for others", fitted="models/tokens.md"
    )
    false_token: float = param(
        0.005,
        unit="probability a tile",
        raising="more prints look like an animal tile",
        fitted="first-light and water-and-baobab",
    )

    # Pictures.
    no_board: float = param(0.003, unit="probability a picture", raising="the board is lost more often")
    renumbered: float = param(
        0.02,
        unit="probability a picture",
        raising="the camera is nudged more often, its lattice numbered anew",
    )

    # People.
    think_s: float = param(24.0, unit="seconds", raising="turns are farther apart")
    pair: float = param(0.04, unit="probability", raising="more turns follow at once on the one before")
    late: float = param(0.05, unit="probability", raising="more pieces come long after their tile")
    late_s: float = param(12.0, unit="seconds", raising="late pieces come later")
    forgotten: float = param(
        0.08,
        unit="probability",
        raising="more scored pieces stand there for some turns",
        fitted="twice in half a real game",
    )
    hole: float = param(
        0.03, unit="probability a turn", raising="the camera looks away more often, for 1 to 6 turns"
    )
    skipped: float = param(
        0.05, unit="probability a turn", raising="who takes one picture a turn forgets more of them"
    )


PARAMS = SimulationParams()
