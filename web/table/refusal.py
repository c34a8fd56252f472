"""Refusals: a command that the table cannot carry out now, and a request that cannot be put on the disk."""

from __future__ import annotations


class NotKept(Exception):
    """Request that cannot be put on the disk; nothing was changed, and it may be asked again."""


class Refusal(ValueError):
    """A command that the table cannot carry out now.

    ``code`` is a short word for programs (``"nothing_to_undo"``), the message one line for people.
    It becomes HTTP 409, or 404 where ``code`` begins with ``"unknown_"``; neither may name a path or a stack.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
