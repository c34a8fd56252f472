"""Errors of commands: the table refuses a command, or cannot store its effect."""

from __future__ import annotations

from engine.message import Message


class NotKept(Exception):
    """A request could not be stored on the disk. Nothing was changed; the request may be repeated."""


class LogGone(NotKept):
    """The log's files were removed from the disk while the table wrote them, and no other could be begun."""


class Refusal(ValueError):
    """The table cannot carry out a command now.

    ``code`` is a short word for programs (``"nothing_to_undo"``), ``message`` one line for people. It becomes
    HTTP 409, or 404 if ``code`` begins with ``"unknown_"``. Neither may contain a path or a stack trace.
    """

    def __init__(self, code: str, message: Message) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
