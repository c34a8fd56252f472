"""Tuned parameters of the modules directly in `vision`: the pipeline, and the board of a photograph."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class PipelineParams:
    """Parameters of the pipeline: confirmation of a located board, unknown tiles, reported pieces."""

    confirmed_share: float = param(
        0.85,
        unit="share of the outlines",
        raising="more boards get the thorough search because their outlines are not known faces",
    )
    mostly_share: float = param(
        0.5,
        unit="share of the known tiles",
        raising="more boards get the thorough search because few of their tiles were outlined",
    )
    astray_sides: float = param(
        0.05,
        unit="tile sides",
        raising="fewer boards get the thorough search because their faces lie beside their outlines",
    )
    recognised_share: float = param(
        0.6,
        unit="share of the cells",
        raising="more boards are taken for badly located or for those of another gallery",
    )
    unknown_nats: float = param(
        -2.7,
        unit="nats",
        raising="more outlined cells are taken for tiles of an unknown design",
        fitted="-0.4 where a third of the tiles is of another set; 2.3 nats less, as such tiles are ten "
        "times rarer on most tables",
    )
    unknown_outline: float = param(
        0.6,
        unit="nats a nat of the outline",
        raising="the outline counts for more in that decision",
    )
    unknown_face: float = param(
        0.12,
        unit="nats a nat of the face",
        raising="the likeness to known faces counts for more in that decision",
    )
    unlike_nats: float = param(
        -6.0,
        unit="nats",
        raising="likeness to no face counts as evidence of bare table only up to a higher value",
    )
    unknown_print: float = param(
        2.4,
        unit="nats a nat of a pixel",
        raising="the cell's colours, compared with those of tiles and table, count for more in that decision",
        fitted="logistic regression on 469 outlined cells without a known face, of 130 synthetic scenes "
        "with a third of the deck unknown: 430 of 433 tiles kept, 8 of 36 others (424 and 17 "
        "without colours)",
    )
    unknown_piece: float = param(
        4.0,
        unit="nats",
        raising="a piece on such a cell counts for more in favour of a tile",
        fitted="rates on 14 real photographs: a piece on 28 % of the tiles and on 0.4 % of the bare cells "
        "beside them",
    )
    unknown_after_s: float = param(
        2.0,
        unit="seconds",
        raising="a tile of an unknown design is reported later and with fewer errors",
    )
    unknown_sure_nats: float = param(
        6.0,
        unit="nats",
        raising="a tile of an unknown design is reported sooner, once it has lain there for a while",
    )
    hand_tiles: float = param(
        4.0,
        unit="tile areas",
        raising="larger changes are taken for a turn instead of a hand; a turn changes less",
    )
    doubts_borne: int = param(
        3,
        unit="frames",
        raising="a doubtful board is kept for more frames before it is searched again",
    )
    least_hinted_owned: float = param(
        0.01,
        unit="probability",
        raising="fewer improbable pieces of players are reported as hints",
    )
    least_hinted: float = param(
        0.1,
        unit="probability",
        raising="fewer improbable pieces without an owner are reported as hints",
    )
    piece_reach_sides: float = param(
        0.2,
        unit="tile sides",
        raising="a standing piece is dated by a larger area around it",
    )
    token_reach_sides: float = param(
        0.3,
        unit="tile sides",
        raising="an animal tile is dated by a larger area, and covers a corner from farther away",
    )
    unchanged_share: float = param(
        0.25,
        unit="share of the area",
        raising="a standing piece is dated by a change of a smaller part of that area",
    )
    hidden_nats: float = param(
        2.5,
        unit="nats",
        raising="an animal tile under a meeple counts as hidden less often",
        fitted="299 meeples of 21 rendered boards (tilesight bench ranges --rendered): best of 0 to 5",
    )
    # A photograph in which no board can be read (`tilesight.photograph.trouble`)
    least_tile_px: float = param(
        14.0,
        unit="pixels, side of a tile without a name",
        raising="more boards of unknown tiles are refused as too small; faces are matched from 14 on",
    )
    least_picture_tiles: float = param(
        6.0,
        unit="smallest tiles along the picture's shorter side",
        raising="larger pictures are refused unread",
    )
    blurred: float = param(
        0.45,
        unit="Crete's blur of the outlined squares, 0 to 1",
        raising="more pictures without a board are told to be no board rather than blurred",
        fitted="20 sharp photographs of boards have at most 0.33, a blurred one without names 0.54",
    )


PARAMS = PipelineParams()
