"""Edition of a photographed board: whether the named gallery knows its tiles, and whose rules score it.

Outlines know no art. Where they make a board of many tiles of which the gallery knows hardly one, another
edition lies on the table, and names that fit here and there by chance are not told.
"""

from __future__ import annotations

from engine.games import tile_game_named, tile_game_names
from engine.pack import Design, Pack, load_pack, pack_ids
from vision.board import SolvedBoard, see_board
from vision.image.camera_profile import Camera
from vision.observation import Frame
from vision.pipeline import Pipeline
from vision.tiles.params import PARAMS

FEWEST = 6
"""Tiles that an outlined board has at least, to say that the gallery does not know them."""
KNOWN = 0.25
"""Share of the outlined tiles that are named for sure, under which the board is of another edition."""


def with_rules(pack: Pack) -> Pack:
    """The shipped pack whose game scores a pack of faces alone: the default pack of a game that has all its
    designs, with the same edges and as many of each. The pack itself where it has a game, or none fits."""
    if pack.game is not None:
        return pack
    for name in tile_game_names():
        known = load_pack(tile_game_named(name).default_pack)
        if all(_alike(design, known.designs.get(design.id)) for design in pack.designs.values()):
            return known
    return pack


def no_rules(pack: Pack | None) -> str | None:
    """One line for people where a pack has faces and no game: why nothing is scored, and what would be. None
    for any other pack."""
    if pack is None or pack.game is not None:
        return None
    known = " or ".join(name for name in pack_ids() if load_pack(name).game in tile_game_names())
    return (
        f"{pack.id} holds faces alone: no game's rules are known for its tiles, so nothing is scored; for "
        f"points, learn the pictures as the tiles of a game: tilesight enrol --images FOLDER --pack {known}, "
        "pictures named as that pack names its tiles"
    )


def _alike(design: Design, known: Design | None) -> bool:
    if known is None:
        return False
    return dict(design.tile.edges) == dict(known.tile.edges) and design.count == known.count


def other_edition(frame: Frame, camera: Camera, board: SolvedBoard) -> SolvedBoard | None:
    """The board by its outlines alone, where its tiles are of another edition than it was read with; None
    where they seem to be of that."""
    named = sum(t.face is not None and t.confidence >= PARAMS.believed_face for t in board.tiles)
    if named >= FEWEST and named >= KNOWN * len(board.tiles):
        return None
    located = camera.through(Pipeline(None).observe)(frame)
    outlined = len(located.pose.quads) if located.pose is not None else 0
    if outlined < FEWEST or named >= KNOWN * outlined:
        return None
    return see_board(located, None)
