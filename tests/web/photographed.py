"""A photographed board without a camera: the document of a game's table, as the lobby gives it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from PIL import Image

from engine.games import tile_game_named
from engine.geometry import EDGES, Cell, neighbour
from engine.pack import Pack
from engine.tiles.board import Standing
from engine.tiles.game import GameState
from tests.web.test_lobby_photo import FakePhotographs
from web.lobby_photo import Json
from web.views.tile_json import piece_point

SIDE_PX = 100
MARGIN_PX = 150


class PhotographedTable(FakePhotographs):
    """A photograph of the table of ``state``, taken from above; corrections are remembered, not made.
    ``changes`` replace fields of the document; ``standing`` are the pieces on the table, ``unknown`` cells
    those of tiles that are not recognised."""

    def __init__(self, state: GameState, game: str, **changes: Any) -> None:
        super().__init__()
        self.state, self.game, self.changes = state, tile_game_named(game), changes
        self.standing: Sequence[Standing] = state.standing
        self.unknown: Sequence[Cell] = ()
        self.left = min(x for x, _ in state.board)
        self.top = min(y for _, y in state.board)

    def document(self, photo: str) -> Json:
        return self._document("document")

    def pack(self, photo: str) -> Pack:
        return self.state.pack

    def choices(self, photo: str, cell: Cell) -> list[Json]:
        self.asked.append(("choices", cell))
        designs = [design for design in self.state.pack.designs.values() if design.count]
        return [
            {"tile": one.id, "rot": 0, "rots": [0, 90], "probability": None, "left": 1} for one in designs
        ]

    def picture(self, photo: str, number: int) -> bytes:
        file = io.BytesIO()
        Image.new("RGB", self.size_wh, (150, 120, 80)).save(file, "JPEG")
        return file.getvalue()

    @property
    def size_wh(self) -> tuple[int, int]:
        """Size of the photograph, in pixels."""
        width = max(x for x, _ in self.state.board) - self.left + 1
        height = max(y for _, y in self.state.board) - self.top + 1
        return SIDE_PX * width + 2 * MARGIN_PX, SIDE_PX * height + 2 * MARGIN_PX

    def px(self, x: float, y: float) -> list[float]:
        """A point of the board in the photograph, in pixels."""
        return [MARGIN_PX + SIDE_PX * (x - self.left), MARGIN_PX + SIDE_PX * (y - self.top)]

    def corners(self, cell: Cell) -> list[list[float]]:
        """The corners of a cell in the photograph."""
        x, y = cell
        return [self.px(x, y), self.px(x + 1, y), self.px(x + 1, y + 1), self.px(x, y + 1)]

    def _document(self, *asked: Any) -> Json:
        self.asked.append(asked)
        state = self.state
        final = self.game.final_seen(state.pack, state.board, self.standing)
        cells = set(state.board)
        beside = {neighbour(cell, edge) for cell in cells for edge in EDGES} - cells
        owned = [piece for piece in self.standing if piece.kind in ("meeple", "hut", "token")]
        at = [self.px(*piece_point(state.pack, state.board, piece)) for piece in owned]
        document: dict[str, Any] = {
            "id": "a",
            "game": self.game.name,
            "pack": state.pack.id,
            "tiles": [
                {
                    "tile": None if cell in self.unknown else laid.design.id,
                    "cell": list(cell),
                    "rot": laid.rot,
                    "confidence": 0.97,
                }
                for cell, laid in state.board.items()
            ],
            "pieces": [
                {
                    "kind": piece.kind,
                    "color": piece.color,
                    "pose": piece.pose,
                    "cell": list(piece.cell),
                    "feature": piece.feature,
                    "corner": piece.corner,
                    "confidence": 0.97,
                    **({"animal": piece.animal} if piece.animal else {}),
                }
                for piece in owned
            ],
            "faults": [],
            "hangs_on": [],
            "if_ended_now": dict(final.scores),
            "if_ended_ranges": {color: [points, points] for color, points in final.scores.items()},
            "if_ended_probability": 0.9,
            "if_ended_events": [event.to_json() for event in final.events],
            "spots": [spot.to_json() for spot in final.spots],
            "presets": list(self.game.presets),
            "rules": None,
            "colors": list(self.game.colors),
            "takes": {kind: sorted(list(sort) for sort in sorts) for kind, sorts in self.game.takes.items()},
            "said": 0,
            "other_edition": None,
            "trouble": None,
            "mirrored": False,
            "pictures": [
                {
                    "size_wh": list(self.size_wh),
                    "tiles": [self.corners(cell) for cell in state.board],
                    "pieces": at,
                    "free": [
                        {"cell": list(cell), "corners_px": self.corners(cell)} for cell in sorted(beside)
                    ],
                }
            ],
        }
        return document | self.changes
