"""Scene of a live table: what its camera sees besides turns, as its status and as questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.geometry import Cell
from engine.message import NO_MESSAGE, Message, counted
from tilesight.inference.protocols import Understood
from tilesight.inference.scenes.scene import Change, Scene
from web.table.camera_status import CameraStatus
from web.table.question import Option, Question

SCENE = "scene-"
"""Prefix of the ids of such questions."""
BACK, END, GO_ON, UNDO = "back", "end", "go-on", "undo"
"""Ids of the answers."""
ASKED_AFTER_S = 5.0
"""Seconds after which people are asked about a tile or a board that is not there: hands have gone by then."""


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
        if scene is None or scene.lasted_s < ASKED_AFTER_S or not turns:
            return ()
        if self._let_go == (scene.change, turns[-1]):
            return ()
        number = len(turns)
        if scene.change == Change.LAST_GONE:
            text, cells = (
                Message("Turn {turn} is no longer on the table: was it taken back?", turn=number),
                scene.cells,
            )
            ways = {BACK: Message("Yes, take it back"), GO_ON: Message("No, go on")}
        elif scene.change != Change.COVERED:
            text, cells = Message("{scene}: is the game over?", scene=message_of_scene(scene)), ()
            ways = {
                GO_ON: Message("Go on"),
                END: Message("End and score"),
                UNDO: Message("Undo the last turn"),
            }
        else:
            return ()
        options = tuple(Option(name, label) for name, label in ways.items())
        return (Question(f"{SCENE}{scene.change.name.lower()}-{number}", text, options, cells),)

    def go_on(self, scene: Scene | None, turns: Sequence[Any]) -> None:
        """Ask no more about ``scene``, because people said that the game goes on."""
        self._let_go = None if scene is None else (scene.change, turns[-1])


def camera_status(
    understood: Understood,
    unclear: tuple[Message, tuple[Cell, ...]] | None,
    frame: int | None,
    frames: int | None,
) -> CameraStatus:
    """Return the camera's status after a picture: starting, lost, moving, unclear or watching.

    ``unclear`` says what of the board no legal turn explains, and where. ``frame`` is the picture's index
    (None before the first), ``frames`` the number of all pictures, if known.
    """
    scene = understood.scene
    if frame is None:
        return CameraStatus("starting", NO_MESSAGE, frame, frames)
    if not understood.board_seen:
        reason = Message("the board is not in view") if scene is None else message_of_scene(scene)
        return CameraStatus("lost", reason, frame, frames)
    if scene is not None:
        return CameraStatus("unclear", message_of_scene(scene), frame, frames, scene.cells)
    if understood.busy:
        return CameraStatus("moving", NO_MESSAGE, frame, frames)
    if unclear is not None:
        return CameraStatus("unclear", unclear[0], frame, frames, unclear[1])
    return CameraStatus("watching", NO_MESSAGE, frame, frames)


def message_of_scene(scene: Scene) -> Message:
    """Return what the camera sees, in words."""
    match scene.change:
        case Change.ELSEWHERE:
            return Message("the camera shows another table")
        case Change.CLEARED if len(scene.cells) == scene.tiles:
            return Message("the board is not in view")
        case Change.CLEARED:
            return Message(
                "{number} of {tiles} tiles are covered or gone", number=len(scene.cells), tiles=scene.tiles
            )
        case _:
            return counted(len(scene.cells), "1 tile is covered", "{number} tiles are covered")
