"""Simulated tile games by random and greedy players, and `tilesight play`."""

from __future__ import annotations

import json
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Annotated, Any

import typer

from engine import jsonvalue as jv
from engine.game import OpenGame, Opening
from engine.games import game_named, tile_game_named
from engine.geometry import Cell
from engine.pack import FORMAT_VERSION, Pack, PackError, load_pack
from engine.record import (
    End,
    Line,
    Record,
    Unplaceable,
    header_to_json,
    line_to_json,
    write_record,
)
from engine.tiles.game import GameError, GameState, IllegalTurn
from engine.tiles.pieces import OUTSIDE
from engine.tiles.turn import Turn
from tilesight.settings import SettingsError, WithOption, opening_given
from tilesight.simulation.open_games import random_open_game

_TURNS_LISTED = 400
"""Maximum number of turns listed for one placement, which can have thousands."""
_TURNS_TRIED = 40
"""Maximum number of turns that a greedy player tries out."""


@dataclass(frozen=True, slots=True)
class Style:
    """Play style of a simulated game.

    ``allow`` names the permitted actions and parts of turns (`PieceUse.type`), None for all (a displaced
    piece is always put back). ``greedy`` is the share of turns in which the player takes the turn with the
    best gain, ``idle`` the probability that a random player places no piece. ``span`` limits the board's
    width and height in cells, pieces beside it included. ``cells`` are the cells that may get a tile, None
    for all.
    """

    allow: Collection[str] | None = None
    greedy: float = 0.0
    idle: float = 0.1
    span: tuple[int, int] | None = None
    cells: Collection[Cell] | None = None


def random_game(
    pack: Pack,
    players: int | tuple[str, ...] = 2,
    seed: int = 0,
    *,
    turns: int | None = None,
    rules: str | None = None,
    style: Style | None = None,
    hands_seen: bool = True,
    expect: bool = False,
    opening: Mapping[str, Any] | None = None,
    begun: Sequence[Turn] = (),
) -> Record:
    """Return a random legal game as a record that ends with ``{"end":true}``; deterministic by ``seed``.

    ``players`` is a number or the colours in turn order; ``turns`` ends the game early. With ``hands_seen``,
    the record names the animal tiles in players' hands, otherwise they are '?'. With ``expect``, each line
    has the values that `check` verifies (points, scores). ``opening`` are header fields as in a record,
    ``begun`` the first turns. Raises GameError if the pack has no game or the number of players is invalid.
    """
    if pack.game is None:
        raise GameError(f"pack {pack.id} has no rules to play by")
    game = tile_game_named(pack.game)
    rng = random.Random(seed)
    colors = game.colors[:players] if isinstance(players, int) else players
    if isinstance(players, int) and players != len(colors):
        raise GameError(f"{game.name} is for at most {len(game.colors)} players, not {players}")
    plain = Opening(game.name, pack.id, colors, rules or game.presets[0])
    header = game.records.read_header(plain, opening or {})
    state = game.start(header, pack)
    if hands_seen and pack.tokens:
        header = replace(header, hands=_dealt_hands(state, pack.tokens, rng))
        state = game.start(header, pack)
    lines = [Line(number, turn) for number, turn in enumerate(begun, 2)]
    stuck: set[str] = set()
    player = _Player(rng, style or Style(), hands_seen=hands_seen)
    for known in begun:
        state = state.apply(known).state
    while not state.over and (turns is None or state.turn_no < turns):
        tile = rng.choices(list(state.bag), list(state.bag.values()))[0]
        before, number = state, len(lines) + 2
        if not state.placements(tile):
            state = state.unplaceable(tile)
            lines.append(Line(number, Unplaceable(tile)))
            continue
        turn = player.turn(state, tile)
        if turn is None:  # no turn within the style's span; a game that is stuck there ends early
            stuck.add(tile)
            if stuck >= state.bag.keys():
                break
            continue
        stuck.clear()
        state = state.apply(turn).state
        found = game.records.expected(turn, before) if expect else {}
        if expect and not state.over:  # the last turn's points show in the final scores
            found["scores"] = dict(state.scores)
        lines.append(Line(number, turn, found))
    final = {"final": dict(state.final().scores)} if expect else {}
    lines.append(Line(len(lines) + 2, End(), final))
    return Record(header, tuple(lines), file=f"game {seed}")


def _dealt_hands(
    state: GameState, tokens: Mapping[str, int], rng: random.Random
) -> dict[str, tuple[str, ...]]:
    stock = [animal for animal, number in tokens.items() for _ in range(number)]
    rng.shuffle(stock)
    return {player: tuple(stock.pop() for _ in hand) for player, hand in state.hands.items()}


@dataclass(frozen=True, slots=True)
class _Player:
    rng: random.Random
    style: Style
    hands_seen: bool

    def turn(self, state: GameState, tile: str) -> Turn | None:
        """Choose a turn of the player to move with this tile; None if the style allows none.

        With ``hands_seen`` the animal tiles that it draws are chosen too.
        """
        inside = _Inside.of(state, self.style.span)
        cells = self.style.cells
        places = [
            place
            for place in state.placements(tile)
            if place[0] in inside and (cells is None or place[0] in cells)
        ]
        self.rng.shuffle(places)
        greedy = self.rng.random() < self.style.greedy
        turn = (self._greedy if greedy else self._random)(state, tile, places, inside)
        if turn is None or not self.hands_seen:
            return turn
        try:
            return state.dealt(turn, self._pick)
        except IllegalTurn:  # it counted on an animal that was not drawn
            kept = (part for part in turn.parts if part.put is None or part.put.animal is None)
            return state.dealt(replace(turn, parts=tuple(kept)), self._pick)

    def _pick(self, _: str, left: Mapping[str, int]) -> str:
        return self.rng.choices(list(left), [max(0, number) for number in left.values()])[0]

    def _random(
        self, state: GameState, tile: str, places: list[tuple[Cell, int]], inside: _Inside
    ) -> Turn | None:
        for place in places:
            kinds: dict[str, list[Turn]] = {}
            for turn in self._allowed(state, tile, place, inside):
                kinds.setdefault("" if turn.action is None else turn.action.type, []).append(turn)
            if len(kinds) > 1 and self.rng.random() > self.style.idle:
                kinds.pop("", None)
            if kinds:
                return self.rng.choice(self.rng.choice(list(kinds.values())))
        return None

    def _greedy(
        self, state: GameState, tile: str, places: list[tuple[Cell, int]], inside: _Inside
    ) -> Turn | None:
        listed = [turn for place in places[:12] for turn in self._allowed(state, tile, place, inside)]
        tried = self.rng.sample(listed, min(_TURNS_TRIED, len(listed)))
        return max(tried, key=lambda turn: self._gain(state, turn), default=None)

    def _gain(self, state: GameState, turn: Turn) -> float:
        after = state.apply(turn).state
        scores = after.final().scores
        rivals = [points for player, points in scores.items() if player != turn.player]
        return scores[turn.player] - sum(rivals) / max(1, len(rivals)) + 0.5 * self.rng.random()

    def _allowed(self, state: GameState, tile: str, place: tuple[Cell, int], inside: _Inside) -> list[Turn]:
        turns: Iterator[Turn] = islice(state.turns_for(tile, *place), _TURNS_LISTED)
        if self.style.allow is not None:
            allow = frozenset(self.style.allow)
            turns = (turn for turn in turns if _done_by(turn) <= allow)
        if self.style.span is None:
            return list(turns)
        return [turn for turn in turns if all(to in inside for to in _put_outside(turn))]


@dataclass(frozen=True, slots=True)
class _Inside:
    """Set of the cells that keep the board, with the pieces beside it, within a span; None: no limit."""

    columns: range | None
    rows: range | None

    @classmethod
    def of(cls, state: GameState, span: tuple[int, int] | None) -> _Inside:
        if span is None:
            return cls(None, None)
        cells = [*state.board, *(piece.cell for piece in state.standing)]
        return cls(*(cls._room([cell[i] for cell in cells], span[i]) for i in (0, 1)))

    @staticmethod
    def _room(used: list[int], size: int) -> range:
        return range(max(used) - size + 1, min(used) + size)

    def __contains__(self, cell: Cell) -> bool:
        return (self.columns is None or cell[0] in self.columns) and (
            self.rows is None or cell[1] in self.rows
        )


def _done_by(turn: Turn) -> set[str]:
    """Return the types (`Style.allow`) of what a turn does besides laying its tile.

    A displaced piece that is put back does not count.
    """
    return {use.type for use in turn.uses if not use.displaced}


def _put_outside(turn: Turn) -> tuple[Cell, ...]:
    """Return the spaces beside the tiles on which a turn puts pieces."""
    return tuple(put.cell for put in turn.puts if put.kind in OUTSIDE)


def played_game(
    game: str,
    players: int = 2,
    seed: int = 0,
    *,
    rules: str | None = None,
    greedy: float = 0.0,
    given: Sequence[str] = (),
) -> Record:
    """Return a random legal game of any kind with its default pack as a record; deterministic by ``seed``.

    ``greedy`` is the share (0..1) of turns played for the best gain, ``given`` are fields of the header
    (``river=c3``). Raises GameError, PackError, SettingsError or FieldError if the game or an option is
    invalid.
    """
    known = game_named(game)
    if isinstance(known, OpenGame):
        return random_open_game(known, players, seed, rules=rules, greedy=greedy)
    pack = load_pack(known.default_pack)
    opening = opening_given(given, known.records.header_keys)
    return random_game(pack, players, seed, rules=rules, style=Style(greedy=greedy), opening=opening)


def record_lines(record: Record) -> list[dict[str, Any]]:
    """Return the lines of a record as JSON objects, its header first."""
    return [header_to_json(record.header), *(line_to_json(line) for line in record.lines)]


def play_command(
    game: Annotated[str, typer.Option(help="which game to play")],
    players: Annotated[int, typer.Option(min=1, help="number of players")] = 2,
    seed: Annotated[int, typer.Option(help="the same seed gives the same game")] = 0,
    rules: Annotated[str | None, typer.Option(help="the edition of the rules")] = None,
    given: WithOption = None,
    greedy: Annotated[float, typer.Option(min=0, max=1, help="share of turns played for points")] = 0.0,
    json_out: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Print a random legal game as a game record."""
    try:
        record = played_game(game, players, seed, rules=rules, greedy=greedy, given=given or ())
    except (GameError, PackError, SettingsError, jv.FieldError) as error:
        typer.echo(f"tilesight play: {error}", err=True)
        raise typer.Exit(2) from None
    if json_out:
        typer.echo(json.dumps({"tilesight": FORMAT_VERSION, "record": record_lines(record)}))
    else:
        typer.echo(write_record(record), nl=False)
