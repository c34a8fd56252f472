"""Tuned numbers of the modules right in `vision`: the main path, and a photograph's board."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class PipelineParams:
    """Tuned numbers of the main path: trust in a located board, and the pieces that are reported."""

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
