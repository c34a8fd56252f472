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
        raising="searches more boards thoroughly whose outlines are not known faces",
    )
    mostly_share: float = param(
        0.5,
        unit="share of the known tiles",
        raising="searches more boards thoroughly whose outlines showed few of the tiles",
    )
    astray_sides: float = param(
        0.05,
        unit="tile sides",
        raising="searches fewer boards thoroughly whose faces lie beside their outlines",
    )
    recognised_share: float = param(
        0.6,
        unit="share of the cells",
        raising="doubts more boards as another gallery's or as badly located",
    )
    unknown_nats: float = param(
        -2.7,
        unit="nats",
        raising="takes more outlined cells for tiles that the gallery does not know",
        fitted="-0.4 where a third of the tiles is of another set; less 2.3 nats, for on most tables such "
        "tiles are ten times as rare",
    )
    unknown_outline: float = param(
        0.6,
        unit="nats a nat of the outline",
        raising="lets the outline say more about such a cell",
    )
    unknown_face: float = param(
        0.12,
        unit="nats a nat of the face",
        raising="lets its likeness to known faces say more",
    )
    unlike_nats: float = param(
        -6.0,
        unit="nats",
        raising="takes likeness to no face, from there on, for no stronger a sign of table",
    )
    unknown_print: float = param(
        2.4,
        unit="nats a nat of a pixel",
        raising="lets its colours say more, against those of tiles and table",
        fitted="logistic regression on 469 outlined cells without a known face, of 130 own scenes with a "
        "third of the deck unknown: 430 of 433 tiles kept, 8 of 36 others (424 and 17 without the colours)",
    )
    unknown_piece: float = param(
        4.0,
        unit="nats",
        raising="takes more cells for tiles because a piece stands on them",
        fitted="rates on 14 real photographs: a piece on 28 % of the tiles and on 0.4 % of the bare cells "
        "beside them",
    )
    unknown_after_s: float = param(
        2.0,
        unit="seconds",
        raising="a tile that no face explains is told later, and more rarely by mistake",
    )
    unknown_sure_nats: float = param(
        6.0, unit="nats", raising="such a tile is told the sooner, once it has lain there for a while"
    )
    hand_tiles: float = param(
        4.0,
        unit="areas of a tile",
        raising="takes larger changes for a turn rather than a hand; a turn leaves less",
    )
    doubts_borne: int = param(
        3,
        unit="frames",
        raising="waits longer before a doubtful board is searched afresh: a hand goes away sooner",
    )
    least_hinted_owned: float = param(
        0.01,
        unit="probability",
        raising="tells fewer unlikely pieces of players as hints",
    )
    least_hinted: float = param(
        0.1,
        unit="probability",
        raising="tells fewer unlikely pieces that nobody owns as hints",
    )
    piece_reach_sides: float = param(
        0.2,
        unit="tile sides",
        raising="dates a standing piece by more of its surroundings",
    )
    token_reach_sides: float = param(
        0.3,
        unit="tile sides",
        raising="dates an animal tile by more of its surroundings; lets it cover a corner from farther",
    )
    unchanged_share: float = param(
        0.25,
        unit="share of the place",
        raising="dates a standing piece from a change of less of its place",
    )
    hidden_nats: float = param(
        3.0,
        unit="nats",
        raising="believes less that a meeple hides the animal tile it stands on",
    )


PARAMS = PipelineParams()
