"""Text spans: pieces of a line with their columns, so that an error can point at one.

The engine's notation is read with it (docs/notation.md): words are split at marks, and names are written
so that no mark can occur in them.
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
    """A turn or position that cannot be read or written. ``text`` is the whole line and ``column`` where
    in it the fault is, from 1 (None where there is no line yet); the message is one line."""

    def __init__(self, message: str, text: str = "", column: int | None = None) -> None:
        super().__init__(message if column is None else f"column {column}: {message}")
        self.message = message
        self.text = text
        self.column = column


def name_text(name: str) -> str:
    """A name as notation writes it: letters, digits, ``-`` and ``?`` stand for themselves, all else is
    ``%`` and two hex digits for each byte of its UTF-8. NotationError for what is no name."""
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
    """A cell as notation writes it: ``-2,0``."""
    return f"{cell[0]},{cell[1]}"


def counts_text(counts: Mapping[str, int]) -> str:
    """Numbers by name: ``lion:2,zebra:1``."""
    return ",".join(f"{name_text(name)}:{number}" for name, number in counts.items())


def names_text(names: Mapping[str, Sequence[str]]) -> str:
    """Lists of names by name: ``red:lion,zebra;blue:``."""
    return ";".join(f"{name_text(key)}:{','.join(map(name_text, items))}" for key, items in names.items())


@dataclass(frozen=True, slots=True)
class Span:
    """``text[start:end]`` of a line."""

    line: str
    start: int
    end: int

    @classmethod
    def of(cls, line: str) -> Span:
        """The whole line; NotationError if it is too long to be notation."""
        if len(line) > MAX_CHARS:
            raise NotationError("is too long to be a turn or a position", line, 1)
        return cls(line, 0, len(line))

    @property
    def text(self) -> str:
        """Text of the span."""
        return self.line[self.start : self.end]

    def fault(self, message: str) -> NotationError:
        """An error that points here."""
        return NotationError(message, self.line, self.start + 1)

    def words(self) -> list[Span]:
        """Spans between white space of any kind."""
        return [
            Span(self.line, self.start + match.start(), self.start + match.end())
            for match in re.finditer(r"\S+", self.text)
        ]

    def split(self, mark: str) -> list[Span]:
        """Spans between the marks; none at all where there is no text."""
        spans = []
        start = self.start
        for part in self.text.split(mark) if self.text else ():
            spans.append(Span(self.line, start, start + len(part)))
            start += len(part) + 1
        return spans

    def cut(self, mark: str, what: str) -> tuple[Span, Span]:
        """Spans before the first mark and after it; ``what`` names the whole in an error."""
        at = self.line.find(mark, self.start, self.end)
        if at < 0:
            raise self.fault(f"{shown(self.text)} should be {what}")
        return Span(self.line, self.start, at), Span(self.line, at + 1, self.end)

    def name(self, what: str) -> str:
        """A name; ``what`` says whose."""
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
        """A name that is among those; ``what`` says whose."""
        name = self.name(what)
        if name not in names:
            raise self.fault(f"there is no {what} {shown(name)} here (known: {', '.join(names)})")
        return name

    def integer(self) -> int:
        """A whole number."""
        if not _INTEGER.fullmatch(self.text):
            raise self.fault(f"{shown(self.text)} should be a whole number")
        return int(self.text)

    def cell(self) -> Cell:
        """A cell: ``-2,0``."""
        x, y = (part.integer() for part in self.cut(",", "a cell such as -2,0"))
        if max(abs(x), abs(y)) > MAX_COORDINATE:
            raise self.fault(f"{shown(self.text)} is too far away")
        return (x, y)

    def place(self) -> tuple[str, Cell]:
        """A feature of a laid tile: ``t0@-2,0``."""
        feature, cell = self.cut("@", "a feature and its cell such as t0@-2,0")
        return feature.name("a feature"), cell.cell()

    def corner(self) -> tuple[Corner, Cell]:
        """A corner of a laid tile: ``se@-2,0``."""
        corner, cell = self.cut("@", "a corner and its cell such as se@-2,0")
        for known in CORNERS:
            if corner.text == known:
                return known, cell.cell()
        raise corner.fault(f"{shown(corner.text)} should be a corner: nw, ne, se or sw")

    def counts(self, what: str) -> Iterator[tuple[Span, str, int]]:
        """Numbers by name, each name once: ``lion:2,zebra:1``."""
        seen = set()
        for item in self.split(","):
            key, number = item.cut(":", f"{what} and a number such as lion:2")
            name = key.name(what)
            if name in seen:
                raise key.fault(f"{shown(name)} stands here twice")
            seen.add(name)
            yield key, name, number.integer()

    def names(self, what: str, whose: str) -> Iterator[tuple[Span, str, tuple[str, ...]]]:
        """Lists of names by name, each name once: ``red:lion,zebra;blue:``."""
        seen = set()
        for item in self.split(";"):
            key, rest = item.cut(":", f"{whose} and names such as red:lion,zebra")
            name = key.name(whose)
            if name in seen:
                raise key.fault(f"{shown(name)} stands here twice")
            seen.add(name)
            yield key, name, tuple(part.name(what) for part in rest.split(","))


def edition_of(line: Span) -> tuple[Span, Span]:
    """The first word of a position, which names its game and edition."""
    words = line.words()
    if not words:
        raise line.fault("is empty: a position begins with its game")
    return words[0].cut("/", "a game and its edition such as safari/zman")


class Words:
    """The words of a position after its first: fields ``key=value``, each once and in any order, and the
    bare words between them. ``line`` is the whole."""

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
        """The value of a field that must be there."""
        if key not in self._fields:
            raise self.line.fault(f"{key}= is missing")
        return self._fields[key]

    def optional(self, key: str) -> Span:
        """The value of a field; an empty one where it is missing."""
        return self._fields.get(key) or Span(self.line.line, self.line.end, self.line.end)
