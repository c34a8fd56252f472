"""Rules without a camera: `tilesight.games`, `tilesight.check`, `tilesight.play`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.games import game_named, game_names
from engine.pack import load_pack
from engine.record import Record, read_record, write_record
from engine.record import check as check_record
from tilesight.public.results import Json, Result
from vision.image.whole_file import write_whole


@dataclass(frozen=True, slots=True)
class Game:
    """A supported game.

    ``name`` is its id, ``title`` and ``pack`` are those of its default pack; then its players' colours, and
    its rule editions, the default first.
    """

    name: str
    title: str
    pack: str
    colors: tuple[str, ...]
    rules: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Checked(Result):
    """Result of `check`.

    ``valid`` says that all lines are legal and have the values stated in them; ``turns`` counts the turns.
    ``final`` are the points by colour at the end, ``faults`` the reasons why the first illegal line is
    illegal, one sentence each.
    """

    valid: bool
    turns: int
    final: Mapping[str, int]
    faults: tuple[str, ...]
    document: Mapping[str, Any] = field(repr=False)

    def to_json(self) -> Json:
        """Return the document that ``tilesight check --json`` prints (docs/formats.md, 'Output of check')."""
        return dict(self.document)

    def _rows(self) -> Iterator[Mapping[str, Any]]:
        yield from self.document.get("events", ())


@dataclass(frozen=True, eq=False)
class Played(Result):
    """A simulated game. ``text`` is its game record (JSON Lines), ``lines`` are its parsed lines."""

    game: str
    text: str = field(repr=False)
    lines: tuple[Mapping[str, Any], ...] = field(repr=False)

    def save(self, path: str | Path) -> Path:
        """Write the record to a file; return its path. Raises OSError if it cannot be written."""
        path = Path(path)
        write_whole(path, self.text.encode())
        return path

    def to_json(self) -> Json:
        """Return the document that ``tilesight play --json`` prints."""
        return {"tilesight": 1, "record": [dict(line) for line in self.lines]}

    def _rows(self) -> Iterator[Mapping[str, Any]]:
        return (line for line in self.lines if "player" in line)


def games() -> tuple[Game, ...]:
    """Return all supported games."""
    known = [game_named(name) for name in game_names()]
    return tuple(
        Game(
            one.name,
            load_pack(one.default_pack).title,
            one.default_pack,
            tuple(one.colors),
            tuple(one.presets),
        )
        for one in known
    )


def check(record: str | Path | Played) -> Checked:
    """Check a game record (a file, or a result of `play`) against the rules, and score it.

    An illegal line is reported in the result. Raises ValueError, which names the line, if the record cannot
    be parsed.
    """
    result = check_record(_record(record))
    document = {"tilesight": 1, **result.to_json()}
    faults = tuple(fault.message for fault in result.faults)
    return Checked(result.valid, result.turns, dict(result.final), faults, document)


def _record(record: str | Path | Played) -> Record:
    if isinstance(record, Played):
        return read_record(record.text)
    return read_record(Path(record))


def play(
    game: str, players: int = 2, seed: int = 0, *, rules: str | None = None, greedy: float = 0.0
) -> Played:
    """Play a random legal game, deterministic by ``seed``.

    ``greedy`` is the share of turns, 0 to 1, in which the player takes the turn with the best gain. Raises
    ValueError if the game, the rule edition or the number of players is invalid.
    """
    from tilesight.simulation.tile_games import played_game, record_lines

    record = played_game(game, players, seed, rules=rules, greedy=greedy)
    return Played(game, write_record(record), tuple(record_lines(record)))
