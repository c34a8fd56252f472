"""Edition of a photographed board: test of the named gallery, and the pack whose rules score the board.

Outlines of tiles are found without a gallery. If they form a board of which the gallery recognises hardly any
tile, the board is of another edition, and the few names that fit by chance are not reported.
"""

from __future__ import annotations

import numpy as np

from engine.games import tile_game_named, tile_game_names
from engine.pack import Design, Pack, load_pack, pack_ids
from vision.board import SolvedBoard, see_board
from vision.image.camera_profile import Camera
from vision.locate.print_likelihood import print_nats
from vision.observation import Frame
from vision.pipeline import Pipeline
from vision.tiles.params import PARAMS

FEWEST = 6
"""Minimum number of outlined tiles for the conclusion that the board is of another edition."""
KNOWN = 0.25
"""Share of surely named tiles among the outlined ones below which the board is of another edition."""


def with_rules(pack: Pack) -> Pack:
    """Return the shipped pack by whose game a pack without a game can be scored.

    It is the default pack of a game that has all designs of ``pack``, with equal edges and counts. Returns
    ``pack`` itself if it has a game or no shipped pack fits.
    """
    if pack.game is not None:
        return pack
    for name in tile_game_names():
        known = load_pack(tile_game_named(name).default_pack)
        if all(_alike(design, known.designs.get(design.id)) for design in pack.designs.values()):
            return known
    return pack


def no_rules(pack: Pack | None) -> str | None:
    """Return, in one line, why a pack without a game is not scored, and the remedy; None for other packs."""
    if pack is None or pack.game is not None:
        return None
    known = " or ".join(name for name in pack_ids() if load_pack(name).game in tile_game_names())
    return (
        f"{pack.id} has faces but no rules, so nothing is scored; for points, enrol the pictures as the "
        f"tiles of a game: tilesight enrol --images FOLDER --pack {known}, with pictures named like that "
        "pack's tiles"
    )


def _alike(design: Design, known: Design | None) -> bool:
    if known is None:
        return False
    return dict(design.tile.edges) == dict(known.tile.edges) and design.count == known.count


def other_edition(frame: Frame, camera: Camera, board: SolvedBoard) -> SolvedBoard | None:
    """Return the board by its outlines alone if it is of another edition than it was read with.

    ``board`` is that reading. None if it is of that edition, or has too few tiles to tell.
    """
    if not few_named(board) and not hardly_named(board, len(board.tiles)):
        return None
    located = camera.through(Pipeline(None).observe)(frame)
    outlined = located.pose.quads if located.pose is not None else {}
    if len(outlined) < FEWEST or not hardly_named(board, len(outlined)):
        return None
    if print_nats(frame.sight, np.array(list(outlined.values()), np.float64)) <= 0:
        return None
    return see_board(located, None)


def hardly_named(board: SolvedBoard, outlined: int) -> bool:
    """Whether a board names hardly any of ``outlined`` tiles surely, so that it may be of another edition."""
    return _named(board) < KNOWN * outlined


def few_named(board: SolvedBoard) -> bool:
    """Whether so few tiles are surely named that chance may have named them."""
    return _named(board) < FEWEST


def _named(board: SolvedBoard) -> int:
    return sum(t.face is not None and t.confidence >= PARAMS.believed_face for t in board.tiles)
