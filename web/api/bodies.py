"""Bodies of the write requests, checked before the table sees them."""

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

_NO_SIGN = r"\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069"
NAME = rf"^[^{_NO_SIGN}]*[^{_NO_SIGN}\s][^{_NO_SIGN}]*$"
"""A name: something to see, and nothing that moves a terminal's cursor, breaks a line or turns the
direction."""
NAME_LENGTH = 30
"""Characters of a name at most."""
Word = Annotated[str, Field(min_length=1, max_length=100)]
"""A text of 1 to 100 characters: an id, a colour, the name of a square."""
TurnNumber = Annotated[int, Field(ge=1, le=10_000)]
"""A turn's number, from 1."""
INSERTED_AT_MOST = 12
"""Number of turns that one request inserts, or puts in another order, at most."""


class Body(BaseModel):
    """Unknown fields are refused: a typing error must not look like a success."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _can_be_written(cls, value: Any) -> Any:
        """Refuse text that the log cannot keep: UTF-8 has no lone surrogates, and what is nested too
        deep cannot be read back."""
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except (UnicodeEncodeError, RecursionError, TypeError):
            raise ValueError("this is no JSON that can be kept") from None
        return value


class AnswerBody(Body):
    """``POST /api/answer``: which option of which open question."""

    question: Word
    option: Word


class FigureBody(Body):
    """A figure or pawn on a square."""

    kind: Word
    name: Word
    cell: Word
    facing: Literal["n", "e", "s", "w"] | None = None


class SetUpBody(Body):
    """Set-up of a board of squares: its rows of signs, north first, and what stands where."""

    terrain: Annotated[list[Word], Field(min_length=1, max_length=40)]
    figures: Annotated[list[FigureBody], Field(max_length=100)]

    def value(self) -> SetUp:
        """The set-up as the table takes it."""
        figures = tuple(Figure(one.kind, one.name, one.cell, one.facing) for one in self.figures)
        return SetUp(tuple(self.terrain), figures)


class OpenedBody(Body):
    """Position in which the camera found the game, as far as no camera sees it: whose turn it was, the points
    and the animal tiles in hand then (``?`` where unseen), and whether it was an extra turn. What is left out
    stays as it is."""

    to: Word | None = None
    scores: Annotated[dict[Word, Annotated[int, Field(ge=0, le=10_000)]], Field(max_length=10)] = {}
    hands: Annotated[dict[Word, Annotated[list[Word], Field(max_length=60)]], Field(max_length=10)] = {}
    extra: bool | None = None

    def value(self) -> SetOpening:
        """The position as the table takes it."""
        hands = {color: tuple(hand) for color, hand in self.hands.items()}
        return SetOpening(self.to, self.scores, hands, self.extra)


class CorrectBody(Body):
    """``POST /api/correct``: one correction.

    With ``turn``, one edit of the turns: its ``line`` (a record line, docs/formats.md, 'Game record'; the
    number after the last turn adds one), ``remove``, lines to ``insert`` before it, the ``order`` of it and
    the next ones, the number to ``move_to``, or its ``player``. Without, one of ``let_go``, ``scores``,
    ``set_up``, ``agreed`` (all stands right that is told to stand wrongly), and ``opened``, the position
    before turn 1 of a game that the camera found under way."""

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
        """The correction as the table takes it."""
        return self._said()[0]

    def _said(self) -> list[Correction]:
        """Everything that the body says."""
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
    """``POST /api/seat``: what people call the player of a colour."""

    color: Word
    name: Annotated[str, Field(min_length=1, max_length=NAME_LENGTH, pattern=NAME)]


class SeatedBody(SeatBody):
    """A player; ``was`` is the colour with which their turns are told until now, where that is wrong."""

    was: Word | None = None


class SeatsBody(Body):
    """``POST /api/seats``: who plays, in turn order."""

    players: Annotated[list[SeatedBody], Field(min_length=1, max_length=8)]

    def recolored(self) -> dict[str, str]:
        """New colours by those that the players had."""
        return {one.was: one.color for one in self.players if one.was is not None}


class PauseBody(Body):
    """``POST /api/pause``: whether the game is paused from now on."""

    paused: bool


class CameraShownBody(Body):
    """``POST /api/host/camera``: whether those without a key see the camera's pictures."""

    spectators: bool


class HintsBody(Body):
    """``POST /api/host/hints``: whether players get hints."""

    on: bool
