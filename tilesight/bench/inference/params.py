"""Tuned parameters of `tilesight.bench.inference`: rates of misreadings, and habits of players."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param

_REAL = "38 pictures of a real game and 440 of three photographed boards, each read with two galleries"


@dataclass(frozen=True)
class SimulationParams:
    """Rates of misreadings per appearance or per picture; habits of players and of the camera's operator.

    The tables of confidences and leads are constants of `tile_readings` and `piece_readings`.
    """

    # Tiles.
    face_jitter_nats: float = param(
        0.5, unit="nats", raising="a face's reading varies more from picture to picture", fitted=_REAL
    )
    tile_jitter_nats: float = param(
        1.3, unit="nats", raising="a tile's log-odds vary more from picture to picture", fitted=_REAL
    )
    under_piece: float = param(
        0.7, unit="1", raising="a tile under a piece is still read more surely", fitted=_REAL
    )
    missed_tile: float = param(
        0.004, unit="probability per picture", raising="tiles are missed more often", fitted=_REAL
    )
    bare_read: float = param(
        0.03, unit="probability per cell", raising="more bare cells beside the board are read", fitted=_REAL
    )

    # Pieces.
    piece_jitter_sides: float = param(
        0.012, unit="tile sides", raising="a piece moves more from picture to picture"
    )
    missed_piece: float = param(
        0.003,
        unit="probability per picture",
        raising="pieces are missed in more single pictures",
        fitted="first-light and water-and-baobab",
    )
    wrong_color: float = param(
        0.015, unit="probability", raising="more pieces are read in a wrong colour", fitted=_REAL
    )
    wrong_sort: float = param(
        0.02, unit="probability", raising="more pieces are read in a wrong kind or pose", fitted=_REAL
    )
    astray: float = param(0.01, unit="probability", raising="more pieces stand nearer to another feature")
    false_piece: float = param(
        0.02,
        unit="probability per tile",
        raising="more print is detected as a piece",
        fitted="14 photographed boards: 4 false pieces at 0.5 or more on about 780 tiles",
    )
    false_beside: float = param(
        0.01, unit="probability per cell", raising="more false pieces are detected beside the board"
    )
    missed_token: float = param(
        0.02, unit="probability", raising="more animal tiles are missed", fitted="models/tokens.md"
    )
    missed_under: float = param(
        0.1,
        unit="probability",
        raising="more animal tiles on which a piece stands are missed",
        fitted="models/tokens.md",
    )
    wrong_animal: float = param(
        0.03, unit="probability", raising="more animals are read as another animal", fitted="models/tokens.md"
    )
    false_token: float = param(
        0.005,
        unit="probability per tile",
        raising="more print is detected as an animal tile",
        fitted="first-light and water-and-baobab",
    )

    # Pictures.
    no_board: float = param(0.003, unit="probability per picture", raising="the board is lost more often")
    renumbered: float = param(
        0.02,
        unit="probability per picture",
        raising="the camera is nudged, and its lattice shifted and turned, more often",
    )

    # People.
    think_s: float = param(24.0, unit="seconds", raising="more time passes between turns")
    pair: float = param(0.04, unit="probability", raising="more turns follow within seconds of the last one")
    late: float = param(0.05, unit="probability", raising="more pieces are placed long after their tile")
    late_s: float = param(12.0, unit="seconds", raising="late pieces are placed later")
    forgotten: float = param(
        0.08,
        unit="probability",
        raising="more scored pieces are taken home only some turns later",
        fitted="twice in half a real game",
    )
    hole: float = param(
        0.03, unit="probability per turn", raising="the camera misses 1 to 6 whole turns more often"
    )
    skipped: float = param(
        0.05, unit="probability per turn", raising="with one picture per turn, more pictures are forgotten"
    )


PARAMS = SimulationParams()
