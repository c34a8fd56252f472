"""Text spans: parts of a line with their columns, so that a parse error can point at one.

The engine's notation (docs/notation.md) is parsed with them. Words are split at separators; names are
percent-encoded, so that they contain no separator.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from engine.geometry import CORNERS, Cell, Corner
from engine.jsonvalue import MAX_COORDINATE, shown

MAX_CHARS = 100_000
"""Maximum length of a line of notation in characters; a longer one is refused unread."""
_NAME = re.compile(r"(?:[A-Za-z0-9?-]|%[0-9A-F]{2})+")
_PLAIN = re.compile(r"[A-Za-z0-9?-]")
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,8}")


class NotationError(ValueError):
    """A turn or position that cannot be parsed or written; the message is one line.

    ``text`` is the whole line, ``column`` the position of the fault in it, from 1 (None while writing).
    """

    def __init__(self, message: str, text: str = "", column: int | None = None) -> None:
        super().__init__(message if column is None else f"column {column}: {message}")
        self.message = message
        self.text = text
        self.column = column


def name_text(name: str) -> str:
    """Percent-encode a name.
    Letters, digits, ``-`` and ``?`` are kept, all else becomes ``%`` and two hex digits for each byte of its
    UTF-8. Raises NotationError if the name is empty or cannot be encoded."""
    try:
        data = [(sign, sign.encode()) for sign in name]
    except UnicodeEncodeError:
        raise NotationError(f"the name {shown(name)} cannot be written") from None
    if not data:
        raise NotationError("a name is empty")
    return "".join(
        sign if _PLAIN.match(sign) else "".join(f"%{byte:02X}" for byte in code) for sign, code in data
    )


def cell_text(cell: Cell) -> str:
    """Return a cell as in notation: ``-2,0``."""
    return f"{cell[0]},{cell[1]}"


def place_text(place: tuple[Cell, str]) -> str:
    """Return a feature of a laid tile as in notation: ``t0@-2,0``. Raises NotationError as `name_text`."""
    return f"{name_text(place[1])}@{cell_text(place[0])}"


def counts_text(counts: Mapping[str, int]) -> str:
    """Return a number for each name as in notation: ``lion:2,zebra:1``."""
    return ",".join(f"{name_text(name)}:{number}" for name, number in counts.items())


def names_text(names: Mapping[str, Sequence[str]]) -> str:
    """Return a list of names for each name as in notation: ``red:lion,zebra;blue:``."""
    return ";".join(f"{name_text(key)}:{','.join(map(name_text, items))}" for key, items in names.items())


@dataclass(frozen=True, slots=True)
class Span:
    """The part ``line[start:end]`` of a line. Its methods parse it; NotationError points at the column."""

    line: str
    start: int
    end: int

    @classmethod
    def of(cls, line: str) -> Span:
        """Return the span of a whole line. Raises NotationError if it is longer than MAX_CHARS."""
        if len(line) > MAX_CHARS:
            raise NotationError("is too long to be a turn or a position", line, 1)
        return cls(line, 0, len(line))

    @property
    def text(self) -> str:
        """Text of the span."""
        return self.line[self.start : self.end]

    def fault(self, message: str) -> NotationError:
        """Return, for the caller to raise, a NotationError with the span's column."""
        return NotationError(message, self.line, self.start + 1)

    def words(self) -> list[Span]:
        """Return the parts between white space."""
        return [
            Span(self.line, self.start + match.start(), self.start + match.end())
            for match in re.finditer(r"\S+", self.text)
        ]

    def split(self, mark: str) -> list[Span]:
        """Return the parts between occurrences of ``mark``; [] for an empty span."""
        spans = []
        start = self.start
        for part in self.text.split(mark) if self.text else ():
            spans.append(Span(self.line, start, start + len(part)))
            start += len(part) + 1
        return spans

    def cut(self, mark: str, what: str) -> tuple[Span, Span]:
        """Return the parts before and after the first ``mark``. Raises NotationError if there is none.
        ``what`` describes the expected text in the error."""
        at = self.line.find(mark, self.start, self.end)
        if at < 0:
            raise self.fault(f"{shown(self.text)} should be {what}")
        return Span(self.line, self.start, at), Span(self.line, at + 1, self.end)

    def name(self, what: str) -> str:
        """Parse a percent-encoded name. Raises NotationError; ``what`` describes it there ('a player')."""
        if not _NAME.fullmatch(self.text):
            raise self.fault(f"{shown(self.text)} is no name of {what}")
        try:
            data = re.sub(rb"%(..)", lambda code: bytes([int(code[1], 16)]), self.text.encode())
            name = data.decode()
        except UnicodeDecodeError:
            name = ""
        if not name or not name.isprintable():
            raise self.fault(f"{shown(self.text)} is no name of {what}")
        return name

    def one_of(self, names: Collection[str], what: str) -> str:
        """Parse a name that must be one of ``names``. Raises NotationError; ``what`` describes it there."""
        name = self.name(what)
        if name not in names:
            raise self.fault(f"there is no {what} {shown(name)} here (known: {', '.join(names)})")
        return name

    def integer(self) -> int:
        """Parse an integer of at most nine digits. Raises NotationError."""
        if not _INTEGER.fullmatch(self.text):
            raise self.fault(f"{shown(self.text)} should be a whole number")
        return int(self.text)

    def cell(self) -> Cell:
        """Parse a cell: ``-2,0``. Raises NotationError."""
        x, y = (part.integer() for part in self.cut(",", "a cell such as -2,0"))
        if max(abs(x), abs(y)) > MAX_COORDINATE:
            raise self.fault(f"{shown(self.text)} is too far away")
        return (x, y)

    def place(self) -> tuple[str, Cell]:
        """Parse a feature of a laid tile, ``t0@-2,0``, as (feature id, cell). Raises NotationError."""
        feature, cell = self.cut("@", "a feature and its cell such as t0@-2,0")
        return feature.name("a feature"), cell.cell()

    def corner(self) -> tuple[Corner, Cell]:
        """Parse a corner of a laid tile, ``se@-2,0``, as (corner, cell). Raises NotationError."""
        corner, cell = self.cut("@", "a corner and its cell such as se@-2,0")
        for known in CORNERS:
            if corner.text == known:
                return known, cell.cell()
        raise corner.fault(f"{shown(corner.text)} should be a corner: nw, ne, se or sw")

    def counts(self, what: str) -> Iterator[tuple[Span, str, int]]:
        """Parse ``lion:2,zebra:1``: yield (span of the name, name, number).
        Raises NotationError, also if a name occurs twice; ``what`` describes a name there."""
        seen = set()
        for item in self.split(","):
            key, number = item.cut(":", f"{what} and a number such as lion:2")
            name = key.name(what)
            if name in seen:
                raise key.fault(f"{shown(name)} stands here twice")
            seen.add(name)
            yield key, name, number.integer()

    def names(self, what: str, whose: str) -> Iterator[tuple[Span, str, tuple[str, ...]]]:
        """Parse ``red:lion,zebra;blue:``: yield (span of the key, key, names).

        Raises NotationError, also if a key occurs twice; ``whose`` describes a key and ``what`` a name there.
        """
        seen = set()
        for item in self.split(";"):
            key, rest = item.cut(":", f"{whose} and names such as red:lion,zebra")
            name = key.name(whose)
            if name in seen:
                raise key.fault(f"{shown(name)} stands here twice")
            seen.add(name)
            yield key, name, tuple(part.name(what) for part in rest.split(","))


def edition_of(line: Span) -> tuple[Span, Span]:
    """Return the spans of a position's game and rule edition, which its first word names: ``safari/zman``.
    Raises NotationError if it is empty or has no edition."""
    words = line.words()
    if not words:
        raise line.fault("is empty: a position begins with its game")
    return words[0].cut("/", "a game and its edition such as safari/zman")


class PositionWords:
    """The words of a position after its first; ``line`` is the whole line.
    They are the fields ``key=value``, each once and in any order, and ``bare``, the other words in order."""

    def __init__(self, line: Span, words: Sequence[Span], known: Collection[str]) -> None:
        self.line = line
        self.bare: list[Span] = []
        self._fields: dict[str, Span] = {}
        for word in words:
            key, mark, _ = word.text.partition("=")
            if not mark or not key.isalpha():
                self.bare.append(word)
            elif key not in known:
                raise word.fault(f"{shown(key)} is not known here (known: {', '.join(known)})")
            elif key in self._fields:
                raise word.fault(f"{shown(key)} stands here twice")
            else:
                self._fields[key] = Span(word.line, word.start + len(key) + 1, word.end)

    def field(self, key: str) -> Span:
        """Return the value of a required field. Raises NotationError if it is missing."""
        if key not in self._fields:
            raise self.line.fault(f"{key}= is missing")
        return self._fields[key]

    def optional(self, key: str) -> Span:
        """Return the value of an optional field; an empty span if it is missing."""
        return self._fields.get(key) or Span(self.line.line, self.line.end, self.line.end)
