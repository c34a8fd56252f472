"""Questions about the turns of a live tile game."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from engine.message import Message
from engine.pack import Pack
from engine.tiles.turn import described
from tilesight.inference.params import QUESTIONS
from tilesight.inference.understanding import Doubt, Understanding, UnderstoodTurn
from web.table.question import Option, Question

OTHER = "other"
"""Id of the answer 'none of these'."""
ORDERED_AT_MOST = 12
"""Maximum number of turns in a question about their order."""


def turn_questions(understood: Understanding, pack: Pack, confirmed: Collection[int]) -> tuple[Question, ...]:
    """Return the question which of a few turns was played; empty if the tracker has no doubt, or one about a
    turn that people ``confirmed`` (numbers)."""
    doubt = understood.doubt
    if doubt is None or doubt.number in confirmed:
        return ()
    options = [Option(str(i), described(turn, pack), turn) for i, (turn, _) in enumerate(doubt.options)]
    return (
        Question(
            id=f"turn-{doubt.number}-{doubt.frame_index}",
            text=doubt.why or Message("What was turn {turn}?", turn=doubt.number),
            options=(*options, Option(OTHER, Message("none of these"))),
            cells=doubt.cells,
            frame=doubt.frame_index,
            player=doubt.options[0][0].player,
            turn_no=doubt.number,
            order=_open_order(doubt, understood.turns),
        ),
    )


def _open_order(doubt: Doubt, turns: Sequence[UnderstoodTurn]) -> tuple[int, ...]:
    """Return the numbers of the turns whose order is open, from the doubtful one to the last unsure one.

    Empty if more than the order is open, or for more than `ORDERED_AT_MOST` turns.
    """
    if len({turn.cell for turn, _ in doubt.options}) < 2:
        return ()
    unsure = [number for number, turn in enumerate(turns, 1) if turn.confidence < QUESTIONS.sure]
    order = range(doubt.number, max(unsure, default=0) + 1)
    return tuple(order) if 1 < len(order) <= ORDERED_AT_MOST else ()
