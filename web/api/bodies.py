"""Request bodies of the write routes, validated before the table gets them."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from engine.squares_game import Figure
from web.table.correction import (
    ChangePlayer,
    Correction,
    InsertTurns,
    LetGo,
    MoveTurn,
    Overrule,
    RemoveTurn,
    ReorderTurns,
    ReplaceTurn,
    SetOpening,
    SetScores,
    SetUp,
    TurnEdit,
)
from web.table.seats import NAME, NAME_LENGTH

Word = Annotated[str, Field(min_length=1, max_length=100)]
"""A text of 1 to 100 characters, such as an id, a colour or the name of a square."""
TurnNumber = Annotated[int, Field(ge=1, le=10_000)]
"""Number of a turn, counted from 1."""
INSERTED_AT_MOST = 12
"""Maximum number of turns that one request inserts or reorders."""


class Body(BaseModel):
    """Base class of request bodies. Unknown fields are an error, so that misspelt fields are noticed."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _can_be_written(cls, value: Any) -> Any:
        """Return the value unchanged, or raise ValueError if the log could not store it.

        Lone surrogates cannot be encoded as UTF-8, and JSON that is nested too deeply cannot be read back.
        """
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except (UnicodeEncodeError, RecursionError, TypeError):
            raise ValueError("this is no JSON that can be kept") from None
        return value


class AnswerBody(Body):
    """``POST /api/answer``: the ids of an open question and of the chosen option."""

    question: Word
    option: Word


class FigureBody(Body):
    """A figure or pawn on a square."""

    kind: Word
    name: Word
    cell: Word
    facing: Literal["n", "e", "s", "w"] | None = None


class SetUpBody(Body):
    """Set-up of a board of squares: its rows of signs, north first, and the figures on it."""

    terrain: Annotated[list[Word], Field(min_length=1, max_length=40)]
    figures: Annotated[list[FigureBody], Field(max_length=100)]

    def value(self) -> SetUp:
        """Convert the body to a `SetUp`."""
        figures = tuple(Figure(one.kind, one.name, one.cell, one.facing) for one in self.figures)
        return SetUp(tuple(self.terrain), figures)


class OpenedBody(Body):
    """The parts of an opening position that no camera sees.

    They are the player to move, the scores, the animal tiles in hand (``?`` for an unseen one), and whether
    the turn was an extra turn. Fields that are left out stay unchanged.
    """

    to: Word | None = None
    scores: Annotated[dict[Word, Annotated[int, Field(ge=0, le=10_000)]], Field(max_length=10)] = {}
    hands: Annotated[dict[Word, Annotated[list[Word], Field(max_length=60)]], Field(max_length=10)] = {}
    extra: bool | None = None

    def value(self) -> SetOpening:
        """Convert the body to a `SetOpening`."""
        hands = {color: tuple(hand) for color, hand in self.hands.items()}
        return SetOpening(self.to, self.scores, hands, self.extra)


class CorrectBody(Body):
    """``POST /api/correct``: one correction of what was recorded.

    With ``turn``, one edit of that turn: ``line`` replaces it by a record line (docs/formats.md, 'Game
    record'), ``remove`` deletes it, ``insert`` adds record lines before it, ``order`` reorders it and later
    turns, ``move_to`` renumbers it, and ``player`` gives it to another player. The number after the last turn
    adds a turn. Without ``turn``, one of these: ``scores`` sets the scores; ``set_up`` replaces the set-up
    that was read from the table; ``agreed`` accepts figures that were reported as misplaced; ``opened``
    corrects the position in which the camera found a game under way; ``let_go`` dismisses the list of turns
    that an edit could not keep.
    """

    turn: TurnNumber | None = None
    line: dict[str, Any] | None = None
    remove: bool = False
    insert: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=INSERTED_AT_MOST)] | None = None
    order: Annotated[list[TurnNumber], Field(min_length=2, max_length=INSERTED_AT_MOST)] | None = None
    move_to: TurnNumber | None = None
    player: Word | None = None
    let_go: bool = False
    scores: Annotated[dict[Word, Annotated[int, Field(ge=0, le=10_000)]], Field(max_length=10)] | None = None
    set_up: SetUpBody | None = None
    agreed: bool = False
    opened: OpenedBody | None = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> CorrectBody:
        """Return the body if it has exactly one correction, otherwise raise ValueError.

        An edit of a turn must have ``turn``, and other corrections must not.
        """
        said = self._said()
        if len(said) != 1:
            raise ValueError(
                "say one thing: with turn, line, remove, insert, order, move_to or player; "
                "without, let_go, scores, set_up, agreed or opened"
            )
        if (self.turn is None) == isinstance(said[0], TurnEdit):
            raise ValueError("turn belongs with line, remove, insert, order, move_to or player")
        return self

    def value(self) -> Correction:
        """Convert the body to a `Correction`."""
        return self._said()[0]

    def _said(self) -> list[Correction]:
        """List the corrections in the body; a valid body has one."""
        turn = self.turn or 0
        said: list[Correction | None] = [
            None if self.line is None else ReplaceTurn(turn, self.line),
            RemoveTurn(turn) if self.remove else None,
            None if self.insert is None else InsertTurns(turn, tuple(self.insert)),
            None if self.order is None else ReorderTurns(turn, tuple(self.order)),
            None if self.move_to is None else MoveTurn(turn, self.move_to),
            None if self.player is None else ChangePlayer(turn, self.player),
            LetGo() if self.let_go else None,
            None if self.scores is None else SetScores(self.scores),
            None if self.set_up is None else self.set_up.value(),
            Overrule() if self.agreed else None,
            None if self.opened is None else self.opened.value(),
        ]
        return [one for one in said if one is not None]


class SeatBody(Body):
    """``POST /api/seat``: a new name for the player of a colour."""

    color: Word
    name: Annotated[str, Field(min_length=1, max_length=NAME_LENGTH, pattern=NAME)]


class SeatedBody(SeatBody):
    """A player of a game.

    ``was`` is the wrong colour under which this player's turns were recorded so far, if any.
    """

    was: Word | None = None


class SeatsBody(Body):
    """``POST /api/seats``: all players, in turn order."""

    players: Annotated[list[SeatedBody], Field(min_length=1, max_length=8)]

    def recolored(self) -> dict[str, str]:
        """Return the new colours by the old ones, for the players whose colour changes."""
        return {one.was: one.color for one in self.players if one.was is not None}


class StepBody(Body):
    """``POST /api/undo`` and ``POST /api/redo``: ``entry`` of the state that people saw, if it is known."""

    entry: Annotated[int, Field(ge=0)] | None = None


class PauseBody(Body):
    """``POST /api/pause``: whether the game is paused from now on."""

    paused: bool


class CameraShownBody(Body):
    """``POST /api/host/camera``: whether people without a key may see the camera's pictures."""

    spectators: bool


class HintsBody(Body):
    """``POST /api/host/hints``: whether players get hints."""

    on: bool


class LabelsBody(Body):
    """``POST /api/host/labels``: whether `tilesight learn` may keep labelled pieces of pictures."""

    on: bool


class WebhookBody(Body):
    """``POST /api/host/webhooks``: the address that gets every event from now on."""

    url: Annotated[str, Field(min_length=1, max_length=2000)]
