"""Stray colours of a live tile game: questions about pieces on the board in a colour that no player has."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from engine.geometry import Cell
from engine.message import Message, plain
from engine.tiles.pieces import OWNED
from tilesight.inference.understanding import Understanding
from tilesight.live.board import Order
from tilesight.table_log.event_fold import EntryKind
from vision.observation import Observation, PieceReading
from web.table.question import Option, Question
from web.table.seats import Seat

QUESTION, NOBODY = "stray-", "nobody"
"""Prefix of the ids of such questions, and the id of the answer that the pieces belong to no player."""
LEAST_SHARE = 0.9
"""Minimum probability of a piece's colour."""
LEAST_SURE = 0.8
"""Minimum probability that a detection is a piece."""
LASTING: tuple[tuple[int, float], ...] = ((3, 0.7), (2, 5.0))
"""Numbers of pictures at rest with the colour, and seconds from the first to the last of them. A colour is
asked about when one of these pairs is reached."""
GONE_AFTER, GONE_AFTER_S = 4, 60.0
"""Number of pictures at rest without the colour after which its sightings are forgotten. A lasting colour is
forgotten only if its last sighting is also this many seconds ago."""


@dataclass(slots=True)
class _Seen:
    """Sightings of pieces of one colour.

    The first was in picture ``frame`` at ``since_s``, the latest at ``last_s`` (seconds). ``missed`` counts
    the pictures at rest without such a piece since then.
    """

    cells: tuple[Cell, ...]
    since_s: float
    last_s: float
    frame: int
    looks: int = 0
    missed: int = 0
    lasting: bool = False


class StrayColors:
    """Tracks the colours of the pieces on the board, including those of the players."""

    def __init__(self, colors: Collection[str]) -> None:
        """Track no pieces yet; ``colors`` are all colours with which the game can be played."""
        self._colors = frozenset(colors)
        self._seen: dict[str, _Seen] = {}

    def see(self, observation: Observation, understood: Understanding) -> None:
        """Count the pieces on the board in one picture, by colour, if the table is at rest in it."""
        if understood.busy or not understood.board_seen or understood.lattice is None:
            return
        t_s = observation.t_s
        found: dict[str, list[tuple[Cell, PieceReading]]] = {}
        for piece in observation.pieces:
            cell = understood.lattice.cell(piece.cell)
            color = _color_of(piece)
            if color in self._colors and cell in understood.state.board:
                found.setdefault(color, []).append((cell, piece))
        for color in found.keys() - self._seen.keys():
            cells = tuple(sorted({cell for cell, _ in found[color]}))
            self._seen[color] = _Seen(cells, t_s, t_s, observation.frame_index)
        for color, seen in list(self._seen.items()):
            if color not in found:
                seen.missed += 1
                gone_s = GONE_AFTER_S if seen.lasting else 0.0
                if seen.missed >= GONE_AFTER and t_s - seen.last_s >= gone_s:
                    del self._seen[color]
                continue
            seen.looks, seen.missed, seen.last_s = seen.looks + 1, 0, t_s
            lasted_s = t_s - seen.since_s
            seen.lasting |= any(seen.looks >= looks and lasted_s >= least_s for looks, least_s in LASTING)

    def questions(self, seats: Sequence[Seat], ignored: Collection[str]) -> tuple[Question, ...]:
        """Return a question for each lasting colour that no player has: whose pieces are they?

        Players without a piece in view come first among the answers. ``ignored`` are colours that, according
        to people, belong to no player.
        """
        free = [color for color in self._seen if color not in ignored]
        free = [color for color in free if color not in [seat.color for seat in seats]]
        likely = sorted(seats, key=lambda seat: seat.color in self._seen)
        options = (
            *(Option(seat.color, plain(seat.name)) for seat in likely),
            Option(NOBODY, Message("nobody's")),
        )
        return tuple(
            Question(
                f"{QUESTION}{color}",
                Message(
                    "there are pieces on the board and nobody plays {player}: whose are they?", player=color
                ),
                tuple(options),
                seen.cells,
                seen.frame,
            )
            for color, seen in sorted(self._seen.items())
            if color in free and seen.lasting
        )


def stray_order(
    question: Question, option_id: str, names: Mapping[str, str], understood: Understanding
) -> Order[Understanding]:
    """Return the order for an answer: the colour belongs to the player ``option_id``, or to no player.

    ``names`` maps colours to players' names.
    """
    color = question.id.removeprefix(QUESTION)
    if option_id == NOBODY:
        return Order(EntryKind.STRAY, {"color": color}, track=lambda: understood)
    data = {"colors": {option_id: color}, "names": {color: names.get(option_id, option_id)}}
    return Order(EntryKind.RECOLORED, data)


def _color_of(piece: PieceReading) -> str | None:
    """Return the colour of a player's piece.

    None if the piece or its colour is uncertain, or if the piece belongs to no player.
    """
    if piece.kind not in OWNED or piece.color is None or piece.confidence < LEAST_SURE:
        return None
    return piece.color if piece.color_probs.get(piece.color, 1.0) >= LEAST_SHARE else None
