"""What the write requests carry, checked before the table sees it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

Word = Annotated[str, Field(min_length=1, max_length=100)]


class Body(BaseModel):
    """Unknown fields are refused: a typing error must not look like a success."""

    model_config = ConfigDict(extra="forbid", strict=True)


class AnswerBody(Body):
    """``POST /api/answer``: which option of which open question."""

    question: Word
    option: Word


class CorrectBody(Body):
    """``POST /api/correct``: another line for one turn (a record line, FORMATS.md), the turn removed, or
    the scores as they should be. The number after the last turn adds one."""

    turn: Annotated[int, Field(ge=1, le=10_000)] | None = None
    line: dict[str, Any] | None = None
    remove: bool = False
    scores: Annotated[dict[Word, Annotated[int, Field(ge=0, le=10_000)]], Field(max_length=10)] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> CorrectBody:
        if (self.turn is None) != (self.line is None and not self.remove):
            raise ValueError("turn belongs with line, or with remove")
        if self.remove and self.line is not None:
            raise ValueError("a turn is either removed or replaced by a line")
        if self.turn is None and self.scores is None:
            raise ValueError("give a turn with its line, or scores")
        return self


class SeatBody(Body):
    """``POST /api/seat``: what people call the player of a colour."""

    color: Word
    name: Annotated[str, Field(min_length=1, max_length=30, pattern=r"\S")]
