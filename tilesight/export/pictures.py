"""Labels of the pictures of a table's log: what is read in them, named by the game that was played.

A picture is read again. The board's place in it follows from the tiles of the game, so that the name of each
tile and the feature of each piece are those of the game's turns, as people left them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from engine.geometry import Cell
from engine.pack import Pack
from engine.tiles.board import Laid, Standing
from engine.tiles.foreign import is_foreign
from engine.tiles.game import GameState
from tilesight.export.game import opening_of
from tilesight.export.labels import Label, LabelledPicture, corners_inside, piece_corners
from tilesight.export.photographs import UNKNOWN, piece_name, role_of
from tilesight.export.squares_pictures import labels_of_position
from tilesight.inference.board_registration import fit_lattice
from tilesight.live.album import Homography, Shot
from tilesight.settings import open_pack
from tilesight.table_log.event_fold import EntryKind, GameLedger, empty_ledger
from tilesight.table_log.event_store import Entry, StoreError, TableStore
from vision.board import SeenPiece, see_board
from vision.geometry.lattice_frame import LatticeFrame
from vision.geometry.ortho import px_in_quad
from vision.image.camera_profile import Camera
from vision.observation import Frame, Observation, Quad, size_of
from vision.pipeline import Pipeline


@dataclass(frozen=True, slots=True)
class KeptGame:
    """The game of a log: its final ledger, and the positions after 0, 1, … turns.

    ``stated`` are the numbers of the turns that people stated or confirmed; 0 is the position before turn 1.
    ``shown`` has the log's entries whose picture shows a position of this game, with the number of turns in
    it.
    """

    ledger: GameLedger[Any]
    positions: Sequence[Any]
    stated: frozenset[int]
    shown: Sequence[tuple[Entry, int]]


def kept_game(store: TableStore, gallery: Path | None) -> KeptGame:
    """Return the game of a log. Raises StoreError if it has none; ``gallery`` is as in `opening_of`."""
    entries = store.entries()
    ledger, count = empty_ledger(entries), dict[int, int]()
    for entry in entries:
        ledger = ledger.with_entry(entry)
        count[entry.number] = len(ledger.turns)
    if not ledger.header:
        raise StoreError(f"{store.path}: contains no game")
    _, position = opening_of(ledger, gallery)
    positions = [position]
    for turn in ledger.turns:
        positions.append(positions[-1].apply(turn).state)
    said = {entry.number for entry in entries if entry.kind == EntryKind.SAID}
    stated = {number for number, at in enumerate(ledger.entry_of, 1) if at in said} | ledger.sure
    shown = [
        (entry, count[entry.number])
        for entry in entries
        if entry.kind in (EntryKind.SET_UP, EntryKind.SEEN, EntryKind.SAID)
        and _is_of(entry.number, count[entry.number], ledger, said)
    ]
    return KeptGame(ledger, positions, frozenset(stated) | ({0} if ledger.confirmed else set()), shown)


def _is_of(entry: int, turns: int, ledger: GameLedger[Any], said: set[int]) -> bool:
    """Whether the last turn after an entry is still in the game, as it was or as people corrected it later.

    ``turns`` is the number of turns after the entry, ``said`` are the entries in which people stated turns.
    """
    if turns == 0:
        return entry == ledger.set_up_entry
    if turns > len(ledger.turns):
        return False
    at = ledger.entry_of[turns - 1]
    return at == entry or (at in said and at > entry)


def read_log(
    store: TableStore, game: KeptGame, gallery: Path | None, camera: Camera
) -> Iterator[LabelledPicture | None]:
    """Read the pictures of a log and yield each with its labels, None for one without a board.

    Raises PackError, GalleryError or SettingsError if the faces of the game's pack are not known.
    """
    header = game.ledger.header
    pack, faces = open_pack(str(header["pack"]) if gallery is None else None, gallery, str(header["game"]))
    observe = camera.through(Pipeline(faces, pack).observe)
    for number, (entry, turns) in enumerate(game.shown):
        jpeg = store.picture(entry.number, "frame")
        if jpeg is None:
            continue
        shot = Shot.kept(jpeg, entry.data)
        observation = observe(Frame(shot.image, float(number), index=number))
        labels = labels_in(observation, game, turns, pack, shot.H_px_from_board)
        if not labels:
            yield None
            continue
        yield LabelledPicture(f"{entry.number:05d}.jpg", jpeg, size_of(shot.image), tuple(labels), turns)


def labels_in(
    observation: Observation,
    game: KeptGame,
    turns: int,
    pack: Pack | None,
    H_px_from_board: Homography | None = None,
) -> list[Label]:
    """Return the labels of a picture of the game after ``turns`` turns; [] if no board is found in it.

    ``H_px_from_board`` (3 × 3) maps the game's squares to its pixels; only boards of squares need it.
    """
    position, stated = game.positions[turns], frozenset(n for n in game.stated if n <= turns)
    if pack is not None and pack.quarters:
        return labels_of_position(observation, pack, position, H_px_from_board, turns in stated)
    return _labels_of_tiles(observation, position, stated, game)


def _labels_of_tiles(
    observation: Observation, position: GameState, stated: frozenset[int], game: KeptGame
) -> list[Label]:
    """Return the labels of a picture of a tile game in ``position``; [] if no board is found in it.

    ``stated`` are the numbers of its turns that people stated.
    """
    lattice = fit_lattice(observation, position.board)
    if observation.pose is None or lattice is None:
        return []
    size_wh = observation.pose.image_size_wh
    said = {game.ledger.turns[number - 1].cell for number in stated if number}
    if 0 in stated:
        said |= set(game.positions[0].board)
    quads: dict[Cell, Quad] = {}
    labels = []
    for reading in observation.cells.values():
        cell = lattice.cell(reading.cell)
        laid = position.board.get(cell)
        if laid is None or (reading.log_tile <= 0 and not is_foreign(laid.design.id)):
            continue
        own = np.roll(reading.corners_px, -lattice.quarter_turns - laid.rot // 90, axis=0)
        quads[cell] = own
        corners = corners_inside(own, size_wh)
        if corners is None:
            continue
        sure = None if cell in said else _probability(observation, reading.cell, laid, lattice)
        name = UNKNOWN if is_foreign(laid.design.id) else laid.design.id
        labels.append(Label("tile", name, corners, sure, {"cell": list(cell), "rot": laid.rot}))
    return labels + list(_pieces(observation, position, lattice, quads, said))


def _probability(observation: Observation, at: Cell, laid: Laid, lattice: LatticeFrame) -> float:
    """Return the probability of a laid tile by the reading of its lattice cell ``at`` in this picture."""
    if laid.design.id not in observation.designs:
        return float(observation.unknown.get(at, 0.0))
    row = observation.designs.index(laid.design.id)
    quarter = (laid.rot // 90 + lattice.quarter_turns) % 4
    return float(np.exp(observation.cells[at].log_probs[row, quarter]))


def _pieces(
    observation: Observation,
    position: GameState,
    lattice: LatticeFrame,
    quads: Mapping[Cell, Quad],
    said: set[Cell],
) -> Iterator[Label]:
    """Yield the labels of the pieces: those read, as the game has them; then those that people stated and
    nothing was read of, on the spot of their feature.

    ``quads`` are the tiles' own corners by cell, ``said`` the cells of turns that people stated.
    """
    assert observation.pose is not None
    size_wh, side_px = observation.pose.image_size_wh, observation.pose.tile_side_px
    solved = see_board(observation, position.pack)
    left = list(position.standing)
    for piece in solved.pieces:
        if piece.cell is None:
            continue
        cell = lattice.cell(solved.frame.lattice_cell(piece.cell))
        known = _counterpart(piece, cell, left)
        if known is not None:
            left.remove(known)
        stands = known or Standing(piece.reading.kind, piece.reading.color, cell, animal=piece.reading.animal)
        corners = piece_corners(stands.kind, piece.reading.point_px, side_px, size_wh)
        if corners is None:
            continue
        sure = None if known is not None and cell in said else piece.reading.confidence
        label = _piece_label(
            stands._replace(pose=piece.reading.pose), position, corners, sure, in_game=known is not None
        )
        yield replace(label, colors=piece.reading.color_probs)
    for stands in left:
        laid, quad = position.board.get(stands.cell), quads.get(stands.cell)
        feature = laid.design.tile.feature(stands.feature) if laid and stands.feature else None
        if stands.cell in said and feature is not None and quad is not None:
            point = px_in_quad(quad, feature.spot_of(stands.kind))
            corners = piece_corners(stands.kind, point, side_px, size_wh)
            if corners is not None:
                yield _piece_label(stands, position, corners, None, in_game=True)


def _counterpart(piece: SeenPiece, cell: Cell, left: Sequence[Standing]) -> Standing | None:
    """Return the piece of the game that a piece read in ``cell`` is: of its kind, best of its colour."""
    reading = piece.reading
    there = [one for one in left if one.cell == cell and one.kind == reading.kind]
    named = [one for one in there if (one.color, one.animal) == (reading.color, reading.animal)]
    return next(iter(named or there), None)


def _piece_label(
    stands: Standing,
    position: GameState,
    corners: Any,
    confidence: float | None,
    *,
    in_game: bool,
) -> Label:
    """Return the label of a piece; ``in_game`` is false for one that was read and the game does not have."""
    laid = position.board.get(stands.cell)
    role = role_of(stands.feature, laid.design.id if laid is not None else None, position.pack)
    about = {"cell": list(stands.cell), "pose": stands.pose, **role, "in_game": in_game}
    return Label("piece", piece_name(stands.kind, stands.color, stands.animal), corners, confidence, about)
