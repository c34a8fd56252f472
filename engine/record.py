"""Game records: reading, writing and checking `*.game.jsonl` (docs/formats.md, 'Game record').

Reading is strict: the whole record is parsed before any of it is played. Errors name file, line and field.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine import jsonvalue as jv
from engine.fault import Fault
from engine.game import Event, Game, GameError, IllegalTurn, Opening, Outcome, Position, Written
from engine.games import game_named, load_games
from engine.pack import FORMAT_VERSION, Pack, PackError
from engine.tiles.record import Unplaceable as Unplaceable
from engine.tiles.turn import Turn

MAX_BYTES = 64 * 1024 * 1024
"""Maximum size of a file in bytes."""
MAX_LINE_CHARS = 1024 * 1024
"""Maximum length of a line in characters; lines of real games have some hundreds."""
MAX_LINES = 20_000
"""Maximum number of lines of a record; real games have fewer than a hundredth of it."""
HEADER_KEYS = frozenset({"tilesight", "game", "pack", "rules", "players", "position"})
"""Header keys common to all games; the others are the game's (Records.header_keys)."""
LINE_KEYS = frozenset({"expect", "frame", "confidence"})
"""Keys that any line may have besides those of its event."""


class RecordError(ValueError):
    """A record that cannot be read.
    ``file`` is its name for messages, ``line`` counts from 1 (None if no single line is at fault), ``field``
    is the path of the value or ''."""

    def __init__(self, file: str, line: int | None, field: str, message: str) -> None:
        where = file if line is None else f"{file}, line {line}"
        super().__init__(f"{where}: {field}: {message}" if field else f"{where}: {message}")
        self.file = file
        self.line = line
        self.field = field
        self.message = message


@dataclass(frozen=True, slots=True)
class End:
    """The end line of a record: final scoring of the current position."""

    def to_json(self) -> dict[str, Any]:
        """Return the line as a JSON object."""
        return {"end": True}


@dataclass(frozen=True, slots=True)
class Line:
    """One line after the header.
    ``number`` counts from the header, which is 1; ``expect`` holds the values that `check` compares;
    ``frame`` is the first frame of a session that shows the finished turn at rest."""

    number: int
    event: Written
    expect: Mapping[str, Any] = field(default_factory=dict)
    frame: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A parsed game, not yet checked against the rules.
    ``file`` names it in messages, ``first_line`` is the header's line in it, ``expect`` holds the values that
    `check` compares before the first turn."""

    header: Opening
    lines: tuple[Line, ...]
    file: str = "record"
    first_line: int = 1
    expect: Mapping[str, Any] = field(default_factory=dict)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns (of a tile game), without all other lines."""
        return tuple(line.event for line in self.lines if isinstance(line.event, Turn))


@dataclass(frozen=True, slots=True)
class Unmet:
    """An ``expect`` value that differs from the engine's. ``line`` counts from the header, which is 1."""

    line: int
    key: str
    expected: Any
    got: Any

    def to_json(self) -> dict[str, Any]:
        """Return the value as a JSON object (docs/formats.md, 'Output of check')."""
        return {"line": self.line, "key": self.key, "expected": self.expected, "got": self.got}


@dataclass(frozen=True, slots=True)
class CheckResult:
    """Result of `check`; ``line`` (the header is 1) and ``faults`` are those of the first illegal line.
    ``state`` is the last legal position, None if the header has faults. ``outcome`` is that after the last
    line, empty if a line is illegal."""

    turns: int = 0
    outcome: Outcome = field(default_factory=Outcome)
    events: tuple[Event, ...] = ()
    line: int | None = None
    faults: tuple[Fault, ...] = ()
    unmet: tuple[Unmet, ...] = ()
    state: Position | None = None

    @property
    def scores(self) -> Mapping[str, int]:
        """The scores before the final scoring; empty in a game without scores."""
        scores: Mapping[str, int] = self.outcome.value.get("scores", {})
        return scores

    @property
    def final(self) -> Mapping[str, int]:
        """The scores after the final scoring; empty in a game without scores."""
        final: Mapping[str, int] = self.outcome.value.get("final", {})
        return final

    @property
    def valid(self) -> bool:
        """Whether every line is legal and every expectation met."""
        return not self.faults and not self.unmet

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON (docs/formats.md, 'Output of check'), without the format version."""
        if self.faults:
            return {"valid": False, "line": self.line, "faults": [fault.to_json() for fault in self.faults]}
        value: dict[str, Any] = {
            "valid": self.valid,
            "turns": self.turns,
            **self.outcome.value,
            "events": [event.to_json() for event in self.events],
        }
        if self.unmet:
            value["expect_failed"] = [item.to_json() for item in self.unmet]
        return value


def read_record(source: str | Path) -> Record:
    """Return the only record of a file (a Path) or a text (a str). Raises RecordError if it has none."""
    if isinstance(source, Path):
        file, text = str(source), read_text(source)
    else:
        file, text = "record", source
    records = read_records(text, file)
    first = next(records)
    if isinstance(first, RecordError):
        raise first
    for other in records:
        line = other.first_line if isinstance(other, Record) else other.line
        raise RecordError(file, line, "", "a second header: a record should end before it")
    return first


def read_text(path: Path) -> str:
    """Return the text of a record file. Raises RecordError if unreadable, not UTF-8, or over MAX_BYTES."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise RecordError(str(path), None, "", f"cannot be read ({error.strerror or error})") from None
    except ValueError as error:
        raise RecordError(str(path), None, "", f"cannot be read ({error})") from None
    return decoded(data, str(path))


def decoded(data: bytes, file: str) -> str:
    """Decode a record, called ``file`` in messages. Raises RecordError if it is too large or not UTF-8."""
    if len(data) > MAX_BYTES:
        raise RecordError(file, None, "", "is too large for a game record")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RecordError(file, line, "", "is not UTF-8 text") from None


def read_records(text: str, file: str = "record") -> Iterator[Record | RecordError]:
    """Yield every record of a text, at least one item; each header line starts a new one.
    For a record that cannot be read its first error is yielded. ``file`` is its name in messages."""
    load_games()
    reading: _RecordBuilder | None = None
    error: RecordError | None = None
    for number, raw in enumerate(_lines(text), start=1):
        if not raw.strip():
            continue
        try:
            if len(raw) > MAX_LINE_CHARS:
                raise jv.FieldError("", "is too long for a line of a record")
            value = jv.object_at(jv.parse(raw), "")
            if "tilesight" in value or "game" in value:
                yield from _record_or_error(reading, error, file)
                reading, error = None, None
                header = header_from_json(value)
                expect = _expect(value, _game_named_in(header))
                reading = _RecordBuilder(header, _game_named_in(header), number, [], expect)
            elif error is None:
                if reading is None:
                    raise jv.FieldError("", 'the first line must be a header with "tilesight" and "game"')
                reading.read(value, number)
        except jv.FieldError as fault:
            error = error or RecordError(file, number, fault.field, fault.message)
    if reading is None and error is None:
        error = RecordError(file, None, "", "is empty: the first line must be a header")
    yield from _record_or_error(reading, error, file)


def _lines(text: str) -> Iterator[str]:
    """Yield the lines of a text without copying them all, to save memory."""
    at = 0
    while (end := text.find("\n", at)) >= 0:
        yield text[at:end]
        at = end + 1
    yield text[at:]


@dataclass(frozen=True, slots=True)
class _RecordBuilder:
    header: Opening
    game: Game
    first_line: int
    lines: list[Line]
    expect: Mapping[str, Any]

    def read(self, value: dict[str, Any], number: int) -> None:
        """Add a parsed line, number ``number`` of the file, to ``lines``.
        Raises FieldError if it is invalid or follows the end line."""
        if self.lines and isinstance(self.lines[-1].event, End):
            raise jv.FieldError("", 'nothing may follow {"end":true}')
        if len(self.lines) >= MAX_LINES:
            raise jv.FieldError("", "no game has so many lines")
        self.lines.append(_line(value, number - self.first_line + 1, self.game))


def _record_or_error(
    reading: _RecordBuilder | None, error: RecordError | None, file: str
) -> list[Record | RecordError]:
    """Return a list of the finished record, or of its first error; [] if there is neither."""
    if error is not None:
        return [error]
    if reading is not None:
        return [Record(reading.header, tuple(reading.lines), file, reading.first_line, reading.expect)]
    return []


def header_keys(game: object) -> frozenset[str]:
    """Return the keys allowed in a header of that game; for an unknown game the common ones."""
    try:
        return HEADER_KEYS | game_named(str(game)).records.header_keys
    except GameError:
        return HEADER_KEYS


def header_from_json(value: Mapping[str, Any]) -> Opening:
    """Return the header of a header line. Raises FieldError, with the field at fault."""
    source = jv.object_at(value, "")
    version = jv.integer_at(jv.get(source, "tilesight"), "tilesight")
    if version != FORMAT_VERSION:
        raise jv.FieldError("tilesight", f"must be {FORMAT_VERSION}, is {jv.shown(version)}")
    rules, position = source.get("rules"), source.get("position")
    opening = Opening(
        game=jv.text_at(jv.get(source, "game"), "game"),
        pack=jv.text_at(jv.get(source, "pack"), "pack"),
        players=jv.texts_at(jv.get(source, "players"), "players"),
        rules=None if rules is None else jv.text_at(rules, "rules"),
        position=None if position is None else jv.text_at(position, "position"),
    )
    records = _game_named_in(opening).records
    jv.object_at(source, "", HEADER_KEYS | records.header_keys | LINE_KEYS)
    _frame(source)
    return records.read_header(opening, source)


def header_to_json(header: Opening) -> dict[str, Any]:
    """Return a header as a record's first line, a JSON object."""
    return {**opening_to_json(header), **game_named(header.game).records.header_to_json(header)}


def opening_to_json(header: Opening) -> dict[str, Any]:
    """Return the part of a header that all games have, as a JSON object."""
    value: dict[str, Any] = {"tilesight": FORMAT_VERSION, "game": header.game, "pack": header.pack}
    if header.rules is not None:
        value["rules"] = header.rules
    value["players"] = list(header.players)
    if header.position is not None:
        value["position"] = header.position
    return value


def _game_named_in(header: Opening) -> Game:
    """Return the game of a header. Raises FieldError if it is unknown."""
    try:
        return game_named(header.game)
    except GameError as error:
        raise jv.FieldError("game", str(error)) from None


def line_to_json(line: Line) -> dict[str, Any]:
    """Return a line as a JSON object, with its frame and expectations."""
    value = line.event.to_json()
    if line.frame is not None:
        value["frame"] = line.frame
    if line.expect:
        value["expect"] = dict(line.expect)
    return value


def write_record(record: Record) -> str:
    """Return a record as text: JSON lines."""
    header = header_to_json(record.header)
    if record.expect:
        header["expect"] = dict(record.expect)
    values = [header, *(line_to_json(line) for line in record.lines)]
    return "".join(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n" for value in values)


def check(record: Record, pack: Pack | None = None) -> CheckResult:
    """Play a record through the rules; ``pack`` None loads the pack that the header names.
    The result holds the first illegal line with all its faults, or the scores and every unmet expectation.
    Raises RecordError if the game, rules or pack are unknown."""
    game = _game_of(record)
    try:
        state = _start(record, game, pack)
    except IllegalTurn as error:
        return CheckResult(line=1, faults=error.faults)
    records = game.records
    events: list[Event] = []
    unmet = [Unmet(1, *item) for item in records.unmet(record.expect, None, state, state)]
    for line in record.lines:
        before, event = state, None if isinstance(line.event, End) else line.event
        if event is not None:
            try:
                state, new = records.play(state, event)
            except IllegalTurn as error:
                turns = state.turn_no
                return CheckResult(turns, Outcome(), tuple(events), line.number, error.faults, (), state)
            events += new
        if line.expect:
            unmet += (Unmet(line.number, *item) for item in records.unmet(line.expect, event, before, state))
    outcome = records.outcome(state)
    return CheckResult(state.turn_no, outcome, (*events, *outcome.events), unmet=tuple(unmet), state=state)


def _game_of(record: Record) -> Game:
    """Return the game of a record. Raises RecordError if the game or its rule edition is unknown."""
    header = record.header
    try:
        game = game_named(header.game)
    except GameError as error:
        raise RecordError(record.file, record.first_line, "game", str(error)) from None
    if header.rules is not None and header.rules not in game.presets:
        message = f"no rules {jv.shown(header.rules)} for {header.game} (known: {', '.join(game.presets)})"
        raise RecordError(record.file, record.first_line, "rules", message)
    return game


def _start(record: Record, game: Game, pack: Pack | None) -> Position:
    """Return the start position of a record; ``pack`` None loads the pack that the header names.
    Raises RecordError for a wrong pack, IllegalTurn if the header has faults."""
    try:
        return game.start(record.header, pack or game.records.pack(record.header))
    except IllegalTurn:
        raise
    except (PackError, GameError) as error:
        raise RecordError(record.file, record.first_line, "pack", str(error)) from None


def _line(value: dict[str, Any], number: int, game: Game) -> Line:
    """Return a line after the header; ``number`` counts from the header, 1. Raises FieldError."""
    event: Written
    source = {key: item for key, item in value.items() if key not in LINE_KEYS}
    if "end" in source:
        jv.object_at(source, "", {"end"})
        if source["end"] is not True:
            raise jv.FieldError("end", f"must be true, is {jv.shown(source['end'])}")
        event = End()
    else:
        event = game.records.read_line(source)
    return Line(number, event, _expect(value, game), _frame(value))


def _frame(value: Mapping[str, Any]) -> int | None:
    """Return the key ``frame``, None if missing. Raises FieldError if it is no number from 0."""
    frame = value.get("frame")
    return None if frame is None else jv.integer_at(frame, "frame", least=0)


def _expect(value: Mapping[str, Any], game: Game) -> Mapping[str, Any]:
    """Return the key ``expect``; {} if missing. Raises FieldError if it is invalid."""
    expect = jv.object_at(value.get("expect", {}), "expect")
    game.records.read_expect(expect)
    return expect
