"""Bodies of the write requests, checked before the table sees them."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from engine.squares_game import Figure
from web.table.correction import Correction, Opened, SetUp

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

    def value(self) -> Opened:
        """The position as the table takes it."""
        return Opened(self.to, self.scores, {c: tuple(hand) for c, hand in self.hands.items()}, self.extra)


class CorrectBody(Body):
    """``POST /api/correct``: another line for one turn (a record line, docs/formats.md, 'Game record'), the
    turn removed, moved or given to another player, lines inserted before it, it and later
    ones in another order, or the scores as they should be.
    The number after the last turn adds one. Where the set-up is read from the table: what it should be, or
    that all stands right which is told to stand wrongly. Where the camera found a game under way: what people
    say of the position before turn 1."""

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
    def _says_something(self) -> CorrectBody:
        edits = [self.line, self.insert, self.order, self.move_to, self.player, self.remove or None]
        said = sum(one is not None for one in edits)
        if (self.turn is None) != (said == 0):
            raise ValueError("turn belongs with line, remove, insert, order, move_to or player")
        if said > 1:
            raise ValueError("say one thing of a turn: line, remove, insert, order, move_to or player")
        others = (self.scores, self.set_up, self.opened, self.agreed or None, self.let_go or None)
        if self.turn is None and all(item is None for item in others):
            raise ValueError("give a turn with its line, scores, the set-up, agreed, opened, or let_go")
        return self

    def value(self) -> Correction:
        """The correction as the table takes it."""
        return Correction(
            turn_no=self.turn,
            line=self.line,
            scores=self.scores,
            remove=self.remove,
            set_up=None if self.set_up is None else self.set_up.value(),
            agreed=self.agreed,
            opened=None if self.opened is None else self.opened.value(),
            inserted=tuple(self.insert or ()),
            order=tuple(self.order or ()),
            move_to=self.move_to,
            player=self.player,
            let_go=self.let_go,
        )


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
