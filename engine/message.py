"""Message: an English sentence that carries its template and arguments, so that pages can translate it.

The template is the key of the catalogues ``web/static/js/words/<language>.json``. Every template is a literal
in the call of `Message` or `counted`; a test collects them and compares them with the catalogues.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

Argument = str | int | Sequence[Any] | Mapping[str, Any]
"""Value of one placeholder: a word, a number, a `Message`, a cell, a sequence of these, or the JSON of a
message."""


class Message(str):
    """An immutable English sentence with its parts.

    ``Message("no river {river}", river="c9")`` equals ``"no river c9"``. The first part of an argument's
    name, up to ``_``, is its kind: the values of ``player``, ``animal``, ``kind``, ``tile``, ``face`` (a tile
    with all that is on it) and ``cell`` are ids that a page names in its own language. A sequence is joined
    by commas, the sequence ``faults`` by semicolons.
    """

    __slots__ = ("_arguments", "_template")
    _template: str
    _arguments: dict[str, Argument]

    def __new__(cls, template: str, **arguments: Argument) -> Self:
        text = (
            template.format_map({k: _english(k, v) for k, v in arguments.items()}) if arguments else template
        )
        self = super().__new__(cls, text)
        self._template = template
        self._arguments = arguments
        return self

    @property
    def template(self) -> str:
        """The sentence with ``{placeholders}``."""
        return self._template

    @property
    def arguments(self) -> Mapping[str, Argument]:
        """The values of the placeholders, by name."""
        return self._arguments

    def to_json(self) -> dict[str, Any]:
        """Return template and arguments as JSON (docs/http.md, 'Messages')."""
        return {"template": self._template, "args": {k: _json(v) for k, v in self._arguments.items()}}

    @classmethod
    def told(cls, text: str, said: Mapping[str, Any] | None) -> Message:
        """Return the message that another process sent: its English text and its `to_json`.
        ``said`` None gives an untranslated text. The template is not filled in again, so it may be
        untrusted."""
        if said is None:
            return plain(text)
        self = super().__new__(cls, text)
        self._template = str(said["template"])
        self._arguments = dict(said["args"])
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Message.told, (str(self), {"template": self._template, "args": self._arguments})


NO_MESSAGE = Message("")
"""The empty message."""


def counted(number: int, one: str, many: str, **arguments: Argument) -> Message:
    """Return the message with template ``one`` if ``number`` is 1, else ``many``.
    ``{number}`` is a placeholder of both, ``arguments`` are the values of others."""
    return Message(one if number == 1 else many, number=number, **arguments)


def plain(text: str) -> Message:
    """Return a text that no catalogue translates as a message; a message itself is returned unchanged."""
    return text if isinstance(text, Message) else Message("{text}", text=text)


def message_of(error: Exception) -> Message:
    """Return the Message that an exception was raised with; otherwise its text as an untranslated one."""
    text = error.args[0] if error.args else ""
    return text if isinstance(text, Message) else plain(str(error))


def _english(name: str, value: Argument) -> str:
    """Return the English text of the argument called ``name``."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return str(value)
    if name.partition("_")[0] == "cell":
        return f"[{value[0]}, {value[1]}]"
    return ("; " if name == "faults" else ", ").join(map(str, value))


def _json(value: Argument) -> Any:
    """Return an argument as JSON, messages in it as of `Message.to_json`."""
    if isinstance(value, Message):
        return value.to_json()
    return [_json(one) for one in value] if isinstance(value, list | tuple) else value
