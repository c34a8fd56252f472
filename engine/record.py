"""Game records: reading, writing and checking `*.game.jsonl` (FORMATS, 'Game record').

Reading is strict and whole: a record is read before any of it is played, and what is wrong is said
with file, line and field.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine import jsonvalue as jv
from engine.fault import Fault
from engine.game import GameError, GameState, Header, IllegalTurn, ScoreEvent, game_named
from engine.pack import FORMAT_VERSION, Pack, PackError, load_pack
from engine.turn import TURN_KEYS, Turn, action_to_json

MAX_BYTES = 64 * 1024 * 1024
HEADER_KEYS = frozenset(
    {"tilesight", "game", "pack", "rules", "players", "hands", "rangers", "expect", "frame"}
)
LINE_KEYS = frozenset({"expect", "frame", "confidence"})
EXPECT_KEYS = frozenset({"scores", "placements", "actions", "final"})


class RecordError(ValueError):
    """A record that cannot be read. ``file`` is what a person calls it, ``line`` counts from 1 (None
    where no line is at fault), ``field`` is the path of the value or ''."""

    def __init__(self, file: str, line: int | None, field: str, message: str) -> None:
        where = file if line is None else f"{file}, line {line}"
        super().__init__(f"{where}: {field}: {message}" if field else f"{where}: {message}")
        self.file = file
        self.line = line
        self.field = field
        self.message = message


@dataclass(frozen=True, slots=True)
class Unplaceable:
    """The drawn tile fitted nowhere and was put aside; the same player drew again."""

    tile: str


@dataclass(frozen=True, slots=True)
class End:
    """The game is scored as it then stands."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line after the header: what happened, what a check expects of it, and the first frame of a
    session that shows it finished and at rest."""

    number: int
    event: Turn | Unplaceable | End
    expect: Mapping[str, Any] = field(default_factory=dict)
    frame: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """A game as it was played, not yet checked against the rules. ``file`` names it in messages,
    ``first_line`` is the header's line there."""

    header: Header
    lines: tuple[Line, ...]
    file: str = "record"
    first_line: int = 1

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns alone."""
        return tuple(line.event for line in self.lines if isinstance(line.event, Turn))


@dataclass(frozen=True, slots=True)
class Unmet:
    """An ``expect`` value that the engine does not agree with. ``line`` counts from the header."""

    line: int
    key: str
    expected: Any
    got: Any

    def to_json(self) -> dict[str, Any]:
        """The unmet expectation as FORMATS writes it."""
        return {"line": self.line, "key": self.key, "expected": self.expected, "got": self.got}


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a check found. ``line`` (from the header, which is 1) and ``faults`` are those of the first
    illegal line; ``state`` is the last legal position, None if the header is at fault."""

    turns: int
    scores: Mapping[str, int]
    final: Mapping[str, int]
    events: tuple[ScoreEvent, ...]
    line: int | None = None
    faults: tuple[Fault, ...] = ()
    unmet: tuple[Unmet, ...] = ()
    state: GameState | None = None

    @property
    def valid(self) -> bool:
        """Whether every line is legal and every expectation met."""
        return not self.faults and not self.unmet

    def to_json(self) -> dict[str, Any]:
        """The result as FORMATS' ``check --json`` gives it, without the format's version."""
        if self.faults:
            return {"valid": False, "line": self.line, "faults": [fault.to_json() for fault in self.faults]}
        value: dict[str, Any] = {
            "valid": self.valid,
            "turns": self.turns,
            "scores": dict(self.scores),
            "final": dict(self.final),
            "events": [event.to_json() for event in self.events],
        }
        if self.unmet:
            value["expect_failed"] = [item.to_json() for item in self.unmet]
        return value


def read_record(source: str | Path) -> Record:
    """The one record in a file (a Path) or a text (a str). RecordError if it cannot be read."""
    if isinstance(source, Path):
        file, text = str(source), read_text(source)
    else:
        file, text = "record", source
    first, *others = read_records(text, file)
    if isinstance(first, RecordError):
        raise first
    for other in others:
        line = other.first_line if isinstance(other, Record) else other.line
        raise RecordError(file, line, "", "a second header: a record should end before it")
    return first


def read_text(path: Path) -> str:
    """A record file's text; RecordError where it is no readable UTF-8 file of sensible size."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise RecordError(str(path), None, "", f"cannot be read ({error.strerror or error})") from None
    except ValueError as error:
        raise RecordError(str(path), None, "", f"cannot be read ({error})") from None
    return decoded(data, str(path))


def decoded(data: bytes, file: str) -> str:
    """Bytes of a record as text; RecordError with the line that is not UTF-8."""
    if len(data) > MAX_BYTES:
        raise RecordError(file, None, "", "is too large for a game record")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RecordError(file, line, "", "is not UTF-8 text") from None


def read_records(text: str, file: str = "record") -> list[Record | RecordError]:
    """Every record of a text, in which each header line starts the next one. In the place of a record
    that cannot be read stands its first error; there is at least one item."""
    found: list[Record | RecordError] = []
    reading: _Reading | None = None
    error: RecordError | None = None
    for number, raw in enumerate(text.split("\n"), start=1):
        if not raw.strip():
            continue
        try:
            value = jv.object_at(jv.parse(raw), "")
            if "tilesight" in value or "game" in value:
                found += _closed(reading, error, file)
                reading, error = None, None
                reading = _Reading(header_from_json(value), number, [])
            elif error is None:
                if reading is None:
                    raise jv.FieldError("", 'the first line must be a header with "tilesight" and "game"')
                reading.read(value, number)
        except jv.FieldError as fault:
            error = error or RecordError(file, number, fault.field, fault.message)
    found += _closed(reading, error, file)
    return found or [RecordError(file, None, "", "is empty: the first line must be a header")]


@dataclass(frozen=True, slots=True)
class _Reading:
    header: Header
    first_line: int
    lines: list[Line]

    def read(self, value: dict[str, Any], number: int) -> None:
        if self.lines and isinstance(self.lines[-1].event, End):
            raise jv.FieldError("", 'nothing may follow {"end":true}')
        self.lines.append(_line(value, number - self.first_line + 1))


def _closed(reading: _Reading | None, error: RecordError | None, file: str) -> list[Record | RecordError]:
    if error is not None:
        return [error]
    if reading is not None:
        return [Record(reading.header, tuple(reading.lines), file, reading.first_line)]
    return []


def header_from_json(value: Mapping[str, Any]) -> Header:
    """A header line's value; jsonvalue.FieldError names the field that is wrong."""
    source = jv.object_at(value, "", HEADER_KEYS)
    version = jv.integer_at(jv.get(source, "tilesight"), "tilesight")
    if version != FORMAT_VERSION:
        raise jv.FieldError("tilesight", f"must be {FORMAT_VERSION}, is {version}")
    rules, hands, rangers = source.get("rules"), source.get("hands"), source.get("rangers")
    _expect(source)
    _frame(source)
    return Header(
        game=jv.text_at(jv.get(source, "game"), "game"),
        pack=jv.text_at(jv.get(source, "pack"), "pack"),
        players=jv.texts_at(jv.get(source, "players"), "players"),
        rules=None if rules is None else jv.text_at(rules, "rules"),
        hands=None
        if hands is None
        else {
            player: jv.texts_at(animals, f"hands.{player}")
            for player, animals in jv.object_at(hands, "hands").items()
        },
        rangers=None
        if rangers is None
        else tuple(
            jv.cell_at(item, f"rangers[{i}]") for i, item in enumerate(jv.list_at(rangers, "rangers"))
        ),
    )


def header_to_json(header: Header) -> dict[str, Any]:
    """A header as a record's first line."""
    value: dict[str, Any] = {"tilesight": FORMAT_VERSION, "game": header.game, "pack": header.pack}
    if header.rules is not None:
        value["rules"] = header.rules
    value["players"] = list(header.players)
    if header.hands is not None:
        value["hands"] = {player: list(animals) for player, animals in header.hands.items()}
    if header.rangers is not None:
        value["rangers"] = [list(cell) for cell in header.rangers]
    return value


def line_to_json(line: Line) -> dict[str, Any]:
    """A line as a record writes it."""
    match line.event:
        case Turn():
            value = line.event.to_json()
        case Unplaceable(tile):
            value = {"unplaceable": tile}
        case End():
            value = {"end": True}
    if line.frame is not None:
        value["frame"] = line.frame
    if line.expect:
        value["expect"] = dict(line.expect)
    return value


def write_record(record: Record) -> str:
    """The record as text, one line each, with a newline at the end."""
    values = [header_to_json(record.header), *(line_to_json(line) for line in record.lines)]
    return "".join(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n" for value in values)


def check(record: Record, pack: Pack | None = None) -> CheckResult:
    """Play a record through the rules: the first illegal line with all its faults, or the scores and
    every unmet expectation. RecordError where its game, rules or pack are not known."""
    state, faults = _start(record, pack)
    if state is None:
        return CheckResult(0, {}, {}, (), 1, faults)
    events: list[ScoreEvent] = []
    unmet: list[Unmet] = []
    turns = 0
    for line in record.lines:
        before = state
        match line.event:
            case Turn() as turn:
                try:
                    step = state.apply(turn)
                except IllegalTurn as error:
                    faults = error.faults
                else:
                    state = step.state
                    events += step.events
                    turns += 1
            case Unplaceable(tile):
                faults = state.unplaceable_faults(tile)
                if not faults:
                    state = state.unplaceable(tile)
            case End():
                pass
        if faults:
            return CheckResult(turns, state.scores, {}, tuple(events), line.number, faults, (), state)
        if line.expect:
            unmet += _compared(line, before, state)
    final = state.final()
    events += final.events
    return CheckResult(turns, state.scores, final.scores, tuple(events), unmet=tuple(unmet), state=state)


def _start(record: Record, pack: Pack | None) -> tuple[GameState | None, tuple[Fault, ...]]:
    header = record.header
    try:
        game = game_named(header.game)
    except GameError as error:
        raise RecordError(record.file, record.first_line, "game", str(error)) from None
    if header.rules is not None and header.rules not in game.presets:
        message = f"no rules {jv.shown(header.rules)} for {header.game} (known: {', '.join(game.presets)})"
        raise RecordError(record.file, record.first_line, "rules", message)
    try:
        return game.start(header, pack or load_pack(header.pack)), ()
    except IllegalTurn as error:
        return None, error.faults
    except (PackError, GameError) as error:
        raise RecordError(record.file, record.first_line, "pack", str(error)) from None


def _compared(line: Line, before: GameState, after: GameState) -> Iterable[Unmet]:
    for key, expected in line.expect.items():
        got = _actual(key, line.event, before, after)
        if key == "actions":
            expected, got = _in_order(expected), _in_order(got)
        if expected != got:
            yield Unmet(line.number, key, expected, got)


def _actual(key: str, event: Turn | Unplaceable | End, before: GameState, after: GameState) -> Any:
    if key == "scores":
        return dict(after.scores)
    if key == "final":
        return dict(after.final().scores)
    if not isinstance(event, Turn):
        return None
    if key == "placements":
        return len(before.placements(event.tile))
    return [action_to_json(item) for item in before.actions(event.tile, event.cell, event.rot)]


def _in_order(actions: Sequence[Any]) -> list[Any]:
    return sorted(actions, key=lambda action: json.dumps(action, sort_keys=True))


def _line(value: dict[str, Any], number: int) -> Line:
    event: Turn | Unplaceable | End
    if "end" in value:
        jv.object_at(value, "", LINE_KEYS | {"end"})
        if value["end"] is not True:
            raise jv.FieldError("end", f"must be true, is {jv.shown(value['end'])}")
        event = End()
    elif "unplaceable" in value:
        jv.object_at(value, "", LINE_KEYS | {"unplaceable"})
        event = Unplaceable(jv.text_at(value["unplaceable"], "unplaceable"))
    else:
        jv.object_at(value, "", LINE_KEYS | TURN_KEYS)
        event = Turn.from_json(value)
    return Line(number, event, _expect(value), _frame(value))


def _frame(value: Mapping[str, Any]) -> int | None:
    frame = value.get("frame")
    return None if frame is None else jv.integer_at(frame, "frame", least=0)


def _expect(value: Mapping[str, Any]) -> Mapping[str, Any]:
    expect = jv.object_at(value.get("expect", {}), "expect", EXPECT_KEYS)
    for key in ("scores", "final"):
        for player, points in jv.object_at(expect.get(key, {}), f"expect.{key}").items():
            jv.integer_at(points, f"expect.{key}.{player}")
    if "placements" in expect:
        jv.integer_at(expect["placements"], "expect.placements", least=0)
    for i, action in enumerate(jv.list_at(expect.get("actions", []), "expect.actions")):
        jv.object_at(action, f"expect.actions[{i}]")
    return expect
