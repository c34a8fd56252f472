"""Photograph desk of the lobby: photographed boards in memory, with the corrections made to them."""

from __future__ import annotations

import secrets
import shutil
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from engine.games import tile_game_named, tile_game_names
from engine.geometry import EDGES, Cell, neighbour
from engine.message import Message, message_of
from engine.pack import Pack
from tilesight.photograph.document import photo_document
from tilesight.photograph.editing import Edit, EditError, PieceEdit, TileEdit, choices_at, edited, place_of
from tilesight.photograph.job import ReadingError, read_in_subprocess
from tilesight.photograph.keeping import KeepError, Seated, is_complete, kept_entries
from tilesight.photograph.kept_log import keep_log, kept_path
from tilesight.photograph.reading import PhotoReading, ReadingOptions, faults_of
from tilesight.photograph.report import REPORTS, photo_report, plain_jpeg, points_ranges, shared_picture
from tilesight.photograph.score import PhotoScore, score_photograph
from tilesight.table_log.event_store import SUFFIX, StoreError
from vision.board import SolvedBoard
from vision.image.decoder import FrameError, heif_formats, is_heif
from vision.joint.belief_propagation import Face
from web.lobby_photo import PICTURES_AT_MOST, Json, PhotoPlayers, PieceCorrection, ShareFormat, TileCorrection
from web.report.job import ReportError
from web.report.page import small_photo
from web.report.words import Language
from web.table.refusal import Refusal

HELD_AT_MOST = 6
"""Maximum number of boards held; the least recently used one is dropped."""
EDITS_AT_MOST = 500
"""Maximum number of corrections of one board."""


@dataclass(eq=False)
class _Photo:
    """A photographed board: its photographs in ``folder``, the reading, and the corrections.

    ``board`` is the corrected board, None without corrections.
    """

    folder: Path
    asked: ReadingOptions
    reading: PhotoReading
    edits: list[Edit] = field(default_factory=list)
    board: SolvedBoard | None = None
    score: PhotoScore = field(default_factory=PhotoScore)

    @property
    def now(self) -> SolvedBoard:
        """The board with its corrections."""
        return self.reading.board if self.board is None else self.board

    def pictures(self) -> list[Path]:
        """Return the paths of the photographs, in the order in which they were added."""
        return sorted(self.folder.iterdir())


class PhotoDesk:
    """Holds photographed boards while people correct them; implements `web.lobby_photo.Photographs`.

    Photographs are only in a temporary folder until `keep` saves a board. Methods raise Refusal if the board
    is unknown or the request cannot be fulfilled.
    """

    def __init__(self) -> None:
        self._photos: dict[str, _Photo] = {}
        self._lock = threading.RLock()
        self._reading = threading.Lock()
        self._keeping = threading.Lock()

    def __enter__(self) -> PhotoDesk:
        return self

    def __exit__(self, *_: object) -> None:
        for photo in list(self._photos):
            self.forget(photo)

    def add(self, photo: str | None, picture: bytes, pack: str | None, rules: str | None) -> Json:
        """Read another photograph of board ``photo``, or the first of a new one (None); return its document.

        ``picture`` is its file; ``pack`` and ``rules`` are used for a new board only. Raises Refusal if it
        cannot be read or joined, or there are too many.
        """
        with self._reading:  # one at a time, as each takes half a gigabyte of memory
            return self._add(photo, picture, ReadingOptions(pack=pack, rules=rules))

    def _add(self, photo: str | None, picture: bytes, asked: ReadingOptions) -> Json:
        known = self._known(photo) if photo is not None else None
        if known is not None:
            read = known.reading.pack
            asked = known.asked if read is None else replace(known.asked, pack=read.id)
        folder = known.folder if known is not None else Path(tempfile.mkdtemp(prefix="tilesight-photo-"))
        number = len(list(folder.iterdir()))
        if number >= PICTURES_AT_MOST:
            raise Refusal(
                "too_many", Message("{most} photographs of a board are enough", most=PICTURES_AT_MOST)
            )
        path = folder / f"{number}.jpg"
        try:
            path.write_bytes(picture)
            reading = read_in_subprocess(sorted(folder.iterdir()), asked)
        except (ReadingError, OSError) as error:
            path.unlink(missing_ok=True)
            if known is None:
                shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, OSError):
                raise _no_room() from error
            other = None if known is None else _game_shown(picture, known.reading.pack)
            raise Refusal("not_read", message_of(error) if other is None else other) from None
        with self._lock:
            if known is None:
                photo = secrets.token_urlsafe(9)
                self._photos[photo] = _Photo(folder, asked, reading)
                while len(self._photos) > HELD_AT_MOST:
                    self.forget(next(iter(self._photos)))
            else:
                known.reading = replace(reading, choice=known.reading.choice)
            assert photo is not None
            self._count(self._photos[photo])
            return self.document(photo)

    def jpeg(self, picture: bytes) -> bytes:
        """Return a picture of any readable format as a JPEG. Raises Refusal if it cannot be decoded."""
        try:
            return plain_jpeg(picture)
        except FrameError as error:
            code = "no_heif" if is_heif(picture) and not heif_formats() else "not_read"
            raise Refusal(code, message_of(error)) from None

    def document(self, photo: str) -> Json:
        """Return the document of a board (docs/http.md, 'A photograph'), with its corrections."""
        with self._lock:
            one = self._known(photo)
            reading, board = one.reading, one.now
            told = photo_document(reading, board, faults_of(board, reading.pack), one.score)
            return {
                **told,
                "id": photo,
                "said": len(one.edits),
                "rules": one.asked.rules,
                "other_edition": reading.other_edition,
                "pictures": [_picture_json(reading, number, board) for number in range(len(reading.looks))],
                **_rules_json(reading.pack, board),
            }

    def picture(self, photo: str, number: int) -> bytes:
        """Return photograph ``number`` (from 0) of a board as it was uploaded."""
        with self._lock:
            pictures = self._known(photo).pictures()
            if not 0 <= number < len(pictures):
                raise Refusal("unknown_picture", Message("there is no such photograph"))
            return pictures[number].read_bytes()

    def pack(self, photo: str) -> Pack:
        """Return the pack of a board's tiles. Raises Refusal if the edition is not known."""
        with self._lock:
            return self._scored(photo)[1]

    def choices(self, photo: str, cell: Cell) -> Sequence[Json]:
        """Return the faces offered for a cell, likeliest first (`choices_at`)."""
        with self._lock:
            one, pack = self._scored(photo)
            return choices_at(one.now, cell, pack)

    def correct(self, photo: str, correction: TileCorrection | PieceCorrection) -> Json:
        """Correct a tile or piece; return the document after it.

        Raises Refusal, and changes nothing, if the correction is impossible.
        """
        with self._lock:
            one, _ = self._scored(photo)
            if len(one.edits) >= EDITS_AT_MOST:
                raise Refusal("too_many", Message("{most} corrections are enough", most=EDITS_AT_MOST))
            one.edits.append(_edit_of(correction, one.now))
            try:
                self._count(one)
            except EditError as error:
                one.edits.pop()  # board and score were not changed yet
                raise Refusal("illegal", message_of(error)) from None
            return self.document(photo)

    def set_rules(self, photo: str, rules: str) -> Json:
        """Score a board by the rule edition ``rules`` of its game; return the document.

        Raises Refusal if the game has no such edition.
        """
        with self._lock:
            one, pack = self._scored(photo)
            if rules not in tile_game_named(str(pack.game)).presets:
                raise Refusal("unknown_rules", Message("the game has no such rules"))
            one.asked = replace(one.asked, rules=rules)
            self._count(one)
            return self.document(photo)

    def undo(self, photo: str) -> Json:
        """Take the last correction back; return the document. Raises Refusal if there is none."""
        with self._lock:
            one, _ = self._scored(photo)
            if not one.edits:
                raise Refusal("nothing_to_undo", Message("nothing was corrected"))
            one.edits.pop()
            self._count(one)
            return self.document(photo)

    def share(self, photo: str, form: ShareFormat, language: Language, players: PhotoPlayers) -> bytes:
        """Return the score to share: a picture (JPEG), an HTML page or a PDF.

        Raises Refusal if the PDF cannot be made.
        """
        with self._lock:
            one, _ = self._scored(photo)
            picture = one.pictures()[0].read_bytes()
            made = photo_report(
                one.reading, one.now, one.score, picture, players.names, language, players.before
            )
            board, ranges = one.now, points_ranges(one.score, made.scores, players.before)
        if form == "picture":
            return shared_picture(picture, board, made, ranges)
        try:
            return REPORTS[f".{form}"](made)
        except ReportError as error:
            raise Refusal("no_report", message_of(error)) from None

    def keep(
        self,
        photo: str,
        players: PhotoPlayers,
        *,
        over: bool,
        keep_labels: bool = False,
        again: bool = False,
    ) -> str:
        """Save the board as a table log; return the log's id, which follows from the first photograph.

        With ``over`` the game is finished, else it can be continued. With ``keep_labels``, `tilesight learn`
        may use it. A board that is kept already stays one game: the same one is not written again, and
        another one takes its place with ``again``. Raises Refusal without it, if the rules do not allow the
        board, or the log cannot be written.
        """
        with self._lock:
            one, pack = self._scored(photo)
            picture = one.pictures()[0].read_bytes()
            board, jpeg = one.now, small_photo(plain_jpeg(picture))
            names = {color: name or color for color, name in players.names.items()}
            seated = Seated(names, players.to, players.before, one.asked.rules)
        try:
            path = kept_path(str(pack.game), picture)
            entries = kept_entries(board, pack, seated, jpeg, over=over, keep_labels=keep_labels)
            with self._keeping:
                keep_log(path, entries, again=again)
        except KeepError as error:
            raise Refusal("illegal", message_of(error)) from None
        except StoreError as error:
            raise _no_room() from error
        return path.name.removesuffix(SUFFIX)

    def forget(self, photo: str) -> None:
        """Delete a board and its photographs; no effect if it is not held."""
        with self._lock:
            one = self._photos.pop(photo, None)
        if one is not None:
            shutil.rmtree(one.folder, ignore_errors=True)

    def _known(self, photo: str) -> _Photo:
        with self._lock:
            if photo not in self._photos:
                raise Refusal("unknown_photo", Message("this photograph is not held any more; take it again"))
            one = self._photos.pop(photo)
            self._photos[photo] = one  # most recently used last
            return one

    def _scored(self, photo: str) -> tuple[_Photo, Pack]:
        one = self._known(photo)
        pack = one.reading.pack
        if pack is None or pack.quarters:
            raise Refusal("unknown_edition", Message("the edition of these tiles is not known"))
        return one, pack

    def _count(self, one: _Photo) -> None:
        reading, pack = one.reading, one.reading.pack
        if pack is not None and one.edits:
            one.board = edited(reading.board, one.edits, pack, partial(reading.quad, 0))
        else:
            one.board = None
        one.score = score_photograph(one.now, pack, one.asked.rules)


def _game_shown(picture: bytes, expected: Pack | None) -> Message | None:
    """Return what a photograph shows that cannot be joined, if it is another edition than ``expected``."""
    with tempfile.TemporaryDirectory(prefix="tilesight-photo-") as folder:
        path = Path(folder) / "0.jpg"
        try:
            path.write_bytes(picture)
            reading = read_in_subprocess([path], ReadingOptions())
        except (ReadingError, OSError):
            return None
    shown = reading.pack if reading.choice is not None and reading.choice.recognised else None
    if shown is None or expected is None or shown.id == expected.id:
        return None
    return Message(
        "this photograph shows {pack_shown}, not {pack_board}", pack_shown=shown.id, pack_board=expected.id
    )


def _no_room() -> Refusal:
    return Refusal("no_room", Message("this computer's disk takes nothing more"))


def _edit_of(correction: TileCorrection | PieceCorrection, board: SolvedBoard) -> Edit:
    """Return a correction from the page as an edit, which names pieces by their place on the board.

    Raises Refusal if there is no piece of that number.
    """
    if isinstance(correction, TileCorrection):
        return TileEdit(
            correction.cell, None if correction.tile is None else Face(correction.tile, correction.rot)
        )
    if correction.number is None:
        return PieceEdit(
            None, correction.kind, correction.color, correction.pose, correction.cell, correction.feature
        )
    if correction.number >= len(board.pieces):
        raise Refusal("unknown_piece", Message("there is no such piece"))
    at = place_of(board, board.pieces[correction.number])
    return PieceEdit(
        at, correction.kind, correction.color, correction.pose, correction.cell, correction.feature
    )


def _picture_json(reading: PhotoReading, number: int, board: SolvedBoard) -> dict[str, Any]:
    """Return the pixel positions in photograph ``number`` as JSON.

    A quad for each tile, a point for each piece, and the empty cells next to tiles with their quads; None
    instead of each if the photograph shows no board.
    """
    cells = {tile.cell for tile in board.tiles}
    beside = {neighbour(cell, edge) for cell in cells for edge in EDGES} - cells

    def corners(cell: Cell) -> list[list[float]] | None:
        quad = reading.quad(number, cell)
        return None if quad is None else np.round(quad.astype(float), 1).tolist()

    def point(xy: tuple[float, float]) -> list[float] | None:
        at = reading.point(number, xy)
        return None if at is None else [round(at[0], 1), round(at[1], 1)]

    return {
        "size_wh": list(reading.looks[number].size_wh),
        "tiles": [corners(tile.cell) for tile in board.tiles],
        "pieces": [point(place_of(board, piece)) for piece in board.pieces],
        "free": [{"cell": list(cell), "corners_px": corners(cell)} for cell in sorted(beside)],
    }


def _rules_json(pack: Pack | None, board: SolvedBoard) -> dict[str, Any]:
    """Return the game's colours, the pieces that each kind of feature takes, rule editions, and whether all
    tiles lie on the board, as JSON.

    All are empty if the pack is not a tile game's.
    """
    if pack is None or pack.game not in tile_game_names():
        return {"colors": [], "takes": {}, "presets": [], "complete": False}
    game = tile_game_named(pack.game)
    takes = {kind: sorted(list(sort) for sort in sorts) for kind, sorts in game.takes.items()}
    return {
        "colors": list(game.colors),
        "takes": takes,
        "presets": list(game.presets),
        "complete": is_complete(board, pack),
    }
