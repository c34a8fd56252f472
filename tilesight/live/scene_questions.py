"""Questions of a live table about what else has happened at it: a turn taken back, a board cleared away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.message import Message, counted
from tilesight.inference.protocols import UnderstoodT
from tilesight.inference.scene import Change, Scene
from tilesight.live.board import Ledger, Order, said
from tilesight.table_log.event_fold import EntryKind
from web.table.question import Option, Question

SCENE = "scene-"
"""Prefix of the ids of such questions."""
BACK, END, GO_ON, UNDO = "back", "end", "go-on", "undo"
"""Ids of the answers."""
ASKED_AFTER_S = 5.0
"""Seconds after which people are asked about a board that is not there."""


class SceneQuestions:
    """The question about the present scene, until people say that the game goes on.

    They are not asked again before the board was seen as before, or another turn was played.
    """

    def __init__(self) -> None:
        self._let_go: tuple[Change, Any] | None = None

    def questions(self, scene: Scene | None, turns: Sequence[Any]) -> tuple[Question, ...]:
        """Return the question about ``scene``; ``turns`` are the game's. Empty without a question."""
        if scene is None:
            self._let_go = None
        if scene is None or not turns or self._let_go == (scene.change, turns[-1]):
            return ()
        number = len(turns)
        if scene.change == Change.LAST_GONE:
            text = Message("Turn {turn} is no longer on the table: was it taken back?", turn=number)
            options = (Option(BACK, Message("Yes, take it back")), Option(GO_ON, Message("No, go on")))
        elif scene.change != Change.COVERED and scene.lasted_s >= ASKED_AFTER_S:
            text = Message("{scene}: is the game over?", scene=message_of_scene(scene))
            options = (
                Option(GO_ON, Message("Go on")),
                Option(END, Message("End and score")),
                Option(UNDO, Message("Undo the last turn")),
            )
        else:
            return ()
        return (Question(f"{SCENE}{scene.change.name.lower()}-{number}", text, options, scene.cells),)

    def order(
        self, question: Question, option_id: str, understood: UnderstoodT, ledger: Ledger
    ) -> Order[UnderstoodT]:
        """Return the order for the answer ``option_id`` to such a question."""
        turns = ledger.turns
        if option_id == BACK:
            about = {"what": "remove", "turn": len(turns)}
            return said(turns, turns[:-1], turns[-1:], about)
        if option_id == UNDO:
            return Order(EntryKind.UNDONE)
        if option_id == END:
            return Order(EntryKind.ENDED, {"by": "people"}, lambda: understood)
        scene = understood.scene
        self._let_go = None if scene is None else (scene.change, turns[-1])
        return Order(track=lambda: understood)


def message_of_scene(scene: Scene) -> Message:
    """Return what the camera sees, in words."""
    match scene.change:
        case Change.ELSEWHERE:
            return Message("the camera shows another table")
        case Change.CLEARED if not scene.in_sight:
            return Message("the board is not in view")
        case Change.CLEARED:
            return Message(
                "{number} of {tiles} tiles are covered or gone", number=len(scene.cells), tiles=scene.tiles
            )
        case _:
            return counted(len(scene.cells), "1 tile is covered", "{number} tiles are covered")
