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
    """``POST /api/correct``: another line for one turn (a record line, FORMATS.md), or the scores as they
    should be."""

    turn: Annotated[int, Field(ge=1, le=10_000)] | None = None
    line: dict[str, Any] | None = None
    scores: Annotated[dict[Word, Annotated[int, Field(ge=0, le=10_000)]], Field(max_length=10)] | None = None

    @model_validator(mode="after")
    def _says_something(self) -> CorrectBody:
        if (self.turn is None) != (self.line is None):
            raise ValueError("turn and line belong together")
        if self.turn is None and self.scores is None:
            raise ValueError("give a turn with its line, or scores")
        return self
