"""Notation of tile games: turns, and the common part of positions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from engine.game import Game, GameError, Written
from engine.geometry import EDGES, ROTS, Cell
from engine.pack import Feature, Pack, PackError, load_pack
from engine.text_span import NotationError, PositionWords, Span, cell_text, counts_text, name_text
from engine.tiles.actions import Action, TurnPart, known_actions, known_parts
from engine.tiles.board import Laid, Standing, TileGrid
from engine.tiles.common_rules import may_be_laid, without_one
from engine.tiles.features import Landscape, Region, replace_region
from engine.tiles.foreign import ForeignError, face, is_foreign
from engine.tiles.game import GameState, Header
from engine.tiles.meeple_run import pose_on
from engine.tiles.pieces import Takes
from engine.tiles.record import BY_HAND, ByHand, Unplaceable
from engine.tiles.turn import FeatureRef, Turn

UNPLACEABLE = "unplaceable"
TILE_FIELDS = ("pack", "players", "to", "aside")
"""Fields of every tile game's position: pack, players with their points, whose turn, tiles put aside."""


class TileNotation:
    """Base of the notations of tile games (engine.game.Notation): turns, and what is common to positions.

    ``title`` names the game in errors, ``fields`` are the keys of its positions, ``state`` is the class of
    its positions, ``presets`` are its rule editions.
    """

    title: ClassVar[str]
    fields: ClassVar[tuple[str, ...]]
    state: ClassVar[type[GameState]]
    presets: ClassVar[Mapping[str, Any]]

    def write_turn(self, event: Written) -> str:
        """Return a record line as one word. Raises NotationError if it is no line of a tile game."""
        return _turn_word(event)

    def read_turn(self, word: Span) -> Written:
        """Parse a turn, a tile put aside or points set by hand. Raises NotationError."""
        return _read_turn(word)

    def write_position(self, position: object) -> tuple[str, list[str]]:
        """Return the edition and the words of a position.
        Supplies and tiles to come follow from the rest and are not written. Raises NotationError if it is
        another game's or its rules are no edition."""
        if not isinstance(position, self.state):
            raise NotationError(f"that is no position of {self.title}")
        edition = next((name for name, rules in self.presets.items() if rules == position.rules), None)
        if edition is None:
            raise NotationError("this game is played by rules that are no edition, so it cannot be written")
        words = [*_opening_words(position), *self.own_words(position)]
        return edition, words + board_words(position.pack, position.board, position.standing)

    def own_words(self, state: Any) -> list[str]:
        """Return the fields that only this game has."""
        raise NotImplementedError

    def read_position(self, game: Game, rules: str, words: PositionWords, pack: Pack | None) -> Any:
        """Parse a position. Raises NotationError if it is impossible.
        ``pack`` None loads the pack that the words name."""
        start = start_position(game, rules, words, pack, self.river_of(words))
        state = self.state_of(start, words)
        field = words.field("to")
        if field.name("a player") != state.player:
            raise field.fault(f"after these tiles it is {state.player}'s turn")
        return state

    def river_of(self, words: PositionWords) -> str | None:
        """Parse `Header.river` of a position; None in a game without rivers. Raises NotationError."""
        return None

    def state_of(self, start: StartPosition, words: PositionWords) -> GameState:
        """Parse the tiles, pieces and own fields of a position, without checking the player to move.
        ``start`` is the position before the first turn. Raises NotationError."""
        raise NotImplementedError


def _turn_word(event: Written) -> str:
    """Return a turn, a tile put aside or points set by hand as one word. Raises NotationError for others."""
    if isinstance(event, Unplaceable):
        return f"{UNPLACEABLE}={name_text(event.tile)}"
    if isinstance(event, ByHand):
        given = ",".join(f"{name_text(player)}:{points}" for player, points in event.points.items())
        return f"{BY_HAND}={given}"
    if not isinstance(event, Turn):
        raise NotationError("that is no turn of a tile game")
    head = f"{name_text(event.player)}:{_laid_text(event.tile, event.cell, event.rot)}"
    before = [f"{part.type}={part.word()}" for part in event.parts if part.before_action]
    after = [f"{part.type}={part.word()}" for part in event.parts if not part.before_action]
    action = () if event.action is None else (f"{event.action.type}={event.action.word()}",)
    return "/".join((head, *before, *action, *after))


def _read_turn(word: Span) -> Written:
    """Parse a turn, a tile put aside or points set by hand. Raises NotationError."""
    if word.text.startswith(f"{UNPLACEABLE}="):
        return Unplaceable(word.cut("=", "")[1].name("a tile"))
    if word.text.startswith(f"{BY_HAND}="):
        given = word.cut("=", "")[1].counts("a player")
        return ByHand({player: points for _, player, points in given})
    actions, kinds = known_actions(), known_parts()
    head, *rest = word.split("/") or [word]
    player, laid = head.cut(":", "a player and a tile such as red:CS13-G@0,1e")
    name = player.name("a player")
    tile, cell, rot = _read_laid(laid)
    action: Action | None = None
    parts: dict[str, list[TurnPart]] = {kind: [] for kind in kinds}
    for span in rest:
        key, value = span.cut("=", "a part of a turn such as meeple=t0")
        if key.text in actions:
            if action is not None:
                raise span.fault("a turn has one action")
            action = actions[key.text].from_word(value)
        elif key.text in kinds:
            part = kinds[key.text].from_word(value)
            if any(part.excludes(other) for other in parts[key.text]):
                raise span.fault(f"{key.text}= stands here twice")
            parts[key.text].append(part)
        else:
            known = ", ".join((*actions, *kinds))
            raise span.fault(f"there is no {key.text or 'such'} part of a turn (known: {known})")
    return Turn(name, tile, cell, rot, action, tuple(part for kind in kinds for part in parts[kind]))


def _laid_text(tile: str, cell: Cell, rot: int) -> str:
    """Return a placement as in notation: ``CS13-G@0,1e``. Raises NotationError for an impossible ``rot``."""
    if rot not in ROTS:
        raise NotationError(f"a tile cannot be turned by {rot} degrees")
    return f"{name_text(tile)}@{cell_text(cell)}{EDGES[ROTS.index(rot)]}"


def _read_laid(span: Span) -> tuple[str, Cell, int]:
    """Parse a placement ``CS13-G@0,1e`` as (tile, cell, rotation in degrees). Raises NotationError."""
    what = "a tile, its cell and where its top points, such as CS13-G@0,1e"
    tile, where = span.cut("@", what)
    edge = where.text[-1:]
    if edge not in EDGES or not edge:
        raise where.fault(f"{where.text!r} should end with n, e, s or w: where the tile's top points")
    cell = Span(where.line, where.start, where.end - 1).cell()
    return tile.name("a tile"), cell, ROTS[EDGES.index(edge)]


# positions


@dataclass(frozen=True, slots=True)
class Piece:
    """A meeple or hut written with the tile of its turn. ``span`` is its text, for errors."""

    kind: str
    color: str
    feature: str
    span: Span


def _opening_words(state: GameState) -> list[str]:
    """Return the fields TILE_FIELDS of a position.
    Tiles of the whole bag that are neither left nor on the board were put aside."""
    left = state.left
    not_laid = dict(state.whole_bag)
    for laid in _drawn_tiles(state.pack, state.board).values():
        if not is_foreign(laid.design.id):
            not_laid[laid.design.id] -= 1
    aside = {name: number - left.get(name, 0) for name, number in not_laid.items()}
    words = [f"pack={name_text(state.pack.id)}", f"players={counts_text(state.scores)}"]
    words.append(f"to={name_text(state.player)}")
    if any(aside.values()):
        words.append("aside=" + counts_text({name: number for name, number in aside.items() if number}))
    return words


def board_words(pack: Pack, board: Mapping[Cell, Laid], standing: Iterable[Standing]) -> list[str]:
    """Return a word for every tile except the start tile, in laying order.
    It has the player's piece on a feature of the tile, if any."""
    pieces = {p.cell: (p.kind, p.color, p.feature) for p in standing if p.color and p.feature}
    words = []
    for cell, laid in _drawn_tiles(pack, board).items():
        word = _laid_text(laid.design.id, cell, laid.rot)
        if cell in pieces:
            kind, color, feature = pieces[cell]
            word += f"/{kind}={name_text(color)},{name_text(feature)}"
        words.append(word)
    return words


def _drawn_tiles(pack: Pack, board: Mapping[Cell, Laid]) -> dict[Cell, Laid]:
    """Return the tiles laid in turns, without the start tile's cells."""
    start = {cell for cell, _ in pack.start_designs}
    return {cell: laid for cell, laid in board.items() if cell not in start}


@dataclass(frozen=True, slots=True)
class StartPosition:
    """Starting point for parsing a position: ``state`` is the position before the first turn.
    ``scores`` are the points of the parsed position."""

    pack: Pack
    state: Any
    players: tuple[str, ...]
    scores: Mapping[str, int]


def start_position(
    game: Game, rules: str, words: PositionWords, pack: Pack | None, river: str | None = None
) -> StartPosition:
    """Return the start of the game of a parsed position, by its pack and players.
    ``pack`` None loads the pack that the words name; ``river`` is `Header.river`. Raises NotationError."""
    named = words.field("pack")
    if pack is None:
        try:
            pack = load_pack(named.name("a pack"))
        except PackError as error:
            raise named.fault(str(error)) from None
    elif named.name("a pack") != pack.id:
        raise named.fault(f"the position is of pack {named.text}, not of {pack.id}")
    field = words.field("players")
    scores = {name: points for _, name, points in field.counts("a player")}
    players = tuple(scores)
    try:
        state = game.start(Header(game.name, pack.id, players, rules, river=river), pack)
    except GameError as error:
        raise (field if pack.game == game.name else named).fault(str(error)) from None
    return StartPosition(pack, state, players, scores)


def _bag_after_put_aside(words: PositionWords, bag: Mapping[str, int]) -> Mapping[str, int]:
    """Return ``bag`` without the tiles that the field ``aside`` lists.
    Raises NotationError if it lists more of a tile than there are."""
    for span, name, number in words.optional("aside").counts("a tile"):
        if not 0 < number <= bag.get(name, 0):
            raise span.fault(f"{number} of {name} cannot have been put aside")
        for _ in range(number):
            bag = without_one(bag, name)
    return bag


def laid_tiles(
    words: PositionWords, pack: Pack, kinds: tuple[str, ...], players: tuple[str, ...]
) -> Iterator[tuple[Span, Cell, Laid, Piece | None]]:
    """Parse the tiles of a position in order: yield (span, cell, tile, piece), without checking the fit.
    ``kinds`` are the kinds of piece that the game has. Raises NotationError."""
    for word in words.bare:
        head, *parts = word.split("/")
        design_id, cell, rot = _read_laid(head)
        if design_id not in pack.bag and not is_foreign(design_id):
            raise head.fault(f"there is no tile {design_id} to draw in pack {pack.id}")
        try:
            design = face(pack, design_id)
        except ForeignError as error:
            raise head.fault(str(error)) from None
        if len(parts) > 1:
            raise parts[1].fault("one piece at most comes with a tile")
        yield word, cell, Laid(design, rot), _piece(parts, kinds, players)


def _piece(parts: list[Span], kinds: tuple[str, ...], players: tuple[str, ...]) -> Piece | None:
    """Parse the piece of a tile; None without ``parts``.
    It must be of ``kinds`` and of one of ``players``; else raises NotationError."""
    for part in parts:
        key, value = part.cut("=", f"a piece such as {kinds[0]}={players[0]},t0")
        if key.text not in kinds:
            raise part.fault(f"there is no such piece here (known: {', '.join(kinds)})")
        color, feature = value.cut(",", f"a colour and a feature such as {players[0]},t0")
        return Piece(key.text, color.one_of(players, "player"), feature.name("a feature"), part)
    return None


def take_from_supply(supply: Mapping[str, int], color: str, span: Span, what: str) -> Mapping[str, int]:
    """Return the supply minus one piece of that colour; ``what`` names the pieces in the error.
    Raises NotationError at ``span`` if there is none left."""
    if not supply[color]:
        raise span.fault(f"{color} has not so many {what}")
    return {**supply, color: supply[color] - 1}


class PositionReader:
    """Parser of the tiles of a position.
    It lays them in order, so that each piece is checked against the board at the time of its turn. Games
    implement ``_lay``.

    ``grid``, ``landscape``, ``supply``, ``meeples`` and ``closed`` (see `MeepleState`) are those after the
    tiles laid so far, ``number`` is their number. ``takes`` are the game's.
    """

    takes: ClassVar[Takes]

    def __init__(self, start: StartPosition, words: PositionWords) -> None:
        self.grid: TileGrid = start.state.grid
        self.landscape: Landscape = start.state.landscape
        self.supply: Mapping[str, int] = start.state.supply
        self.meeples: dict[FeatureRef, Standing] = {}
        self.closed: tuple[Region, ...] = ()
        self.number = 0
        self._start = start
        self._bag = _bag_after_put_aside(words, start.state.left)

    def extended(self, **own: Any) -> Any:
        """Return the start position, updated with the fields that all tile games share and with ``own``."""
        return replace(
            self._start.state,
            turn_no=self.number,
            scores=self._start.scores,
            grid=self.grid,
            landscape=self.landscape,
            supply=self.supply,
            stacks=self.stacks,
            **own,
        )

    @property
    def stacks(self) -> tuple[Mapping[str, int], ...]:
        """The tiles left, stack by stack."""
        stacks = self._start.state.stacks
        return tuple({name: self._bag[name] for name in stack if name in self._bag} for stack in stacks)

    def _lay_all(self, words: PositionWords, kinds: tuple[str, ...] = ("meeple",)) -> None:
        """Lay every tile with its piece, which must be of ``kinds``. Raises NotationError."""
        for word, cell, laid, piece in laid_tiles(words, self._start.pack, kinds, self._start.players):
            self._lay(word, cell, laid, piece)

    def _lay(self, word: Span, cell: Cell, laid: Laid, piece: Piece | None) -> None:
        """Lay one tile with its piece. Raises NotationError if that is impossible."""
        raise NotImplementedError

    def _lay_tile(self, word: Span, cell: Cell, laid: Laid) -> dict[str, Region]:
        """Lay a tile without its piece; return the region of each of its features, by id.
        Raises NotationError at ``word`` if it does not fit or none is left. The position so far is
        updated."""
        if not may_be_laid(self._bag, laid.design.id):
            raise word.fault(f"there are not so many tiles {laid.design.id}")
        for fault in self.grid.faults(laid.design, cell, laid.rot):
            raise word.fault(fault.message)
        self.number += 1
        self.grid = self.grid.lay(cell, laid)
        self._bag = without_one(self._bag, laid.design.id)
        self.landscape, own_regions = self.landscape.lay(cell, laid)
        return own_regions

    def _put_meeple(self, piece: Piece, cell: Cell, laid: Laid, own_regions: dict[str, Region]) -> None:
        """Put a meeple on a feature of the tile just laid; update ``own_regions``, the regions of that tile.
        Features without edges have no region. Raises NotationError if it is taken or the supply is empty."""
        feature = feature_under(piece, laid)
        place, region = (cell, piece.feature), own_regions.get(piece.feature)
        if region is not None and region.meeples:
            raise piece.span.fault(f"there was a meeple on this {region.kind} already")
        self.supply = take_from_supply(self.supply, piece.color, piece.span, "meeples")
        self.meeples[place] = Standing("meeple", piece.color, *place, pose=pose_on(self.takes, feature.kind))
        if region is not None:
            self.landscape, occupied = self.landscape.with_meeple(region, piece.color, place)
            replace_region(own_regions, region, occupied)


def feature_under(piece: Piece, laid: Laid) -> Feature:
    """Return the feature that a piece names on its tile. Raises NotationError if the tile lacks it."""
    feature = laid.design.tile.feature(piece.feature)
    if feature is None:
        raise piece.span.fault(f"{laid.design.id} has no feature {piece.feature}")
    return feature


def refuse_meeples_on_finished(word: Span, region: Region) -> None:
    """Raise NotationError if a region that the tile just finished has meeples, which then went home."""
    if region.meeples:
        raise word.fault(f"this tile finishes a {region.kind}, whose meeples went home")


def position_of(game: Game, rules: str, pack: Pack, words: Sequence[str]) -> Any:
    """Parse the words of a position's notation, without game and edition. Raises NotationError."""
    line = Span.of(" ".join(words))
    return game.notation.read_position(
        game, rules, PositionWords(line, line.words(), game.notation.fields), pack
    )
