"""Headers, positions, results of turns and scoring events of tile games.

The protocol of all games is in engine.game, the base of tile games in engine.tiles.tile_game.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

from engine.fault import Fault
from engine.game import GameError, IllegalTurn, Opening
from engine.geometry import Cell, Corner
from engine.message import Message
from engine.pack import Design, Pack
from engine.tiles.actions import Action, Put, TurnPart
from engine.tiles.board import Laid, Standing, TileGrid
from engine.tiles.common_rules import GAME_OVER, may_be_laid, without_one
from engine.tiles.features import Composition, FeatureUse, Landscape, Spot
from engine.tiles.foreign import face, is_foreign
from engine.tiles.turn import Turn

__all__ = [
    "Action", "Composition", "Fault", "FeatureUse", "Final", "GameError", "GameState", "Header",
    "IllegalTurn", "Laid", "ScoreEvent", "Spot", "Standing", "Step", "Turn", "Worth",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Header(Opening):
    """The first line of a tile game's record.
    ``hands`` (animal tiles by player) and ``rangers`` are None if the record does not give them; ``river`` is
    the edition of the river tiles, None without a river."""

    hands: Mapping[str, tuple[str, ...]] | None = None
    rangers: tuple[Cell, ...] | None = None
    river: str | None = None

    @classmethod
    def of(cls, start: GameState, game: str, rules: str) -> Header:
        """Return the header of a game that began with ``start``, without hands and rangers."""
        river = getattr(start, "edition", None)  # only positions of games with a river have it
        return cls(game, start.pack.id, start.players, rules, river=river)

    @property
    def opening_fields(self) -> tuple[str, ...]:
        """Names of the header fields among hands, rangers and river that are given."""
        given = {"hands": self.hands, "rangers": self.rangers, "river": self.river}
        return tuple(name for name, value in given.items() if value is not None)


@dataclass(frozen=True, slots=True)
class Worth:
    """Points, and their reason."""

    points: int
    why: Message


@dataclass(frozen=True, slots=True)
class ScoreEvent:
    """Points (possibly 0) for one player, and ``of`` what: the feature or piece that scores.
    ``turn`` counts from 1; ``at_end`` marks the final scoring."""

    turn: int
    player: str
    points: int
    kind: str
    of: Composition
    at_end: bool = False

    @property
    def why(self) -> Message:
        """The reason."""
        return self.of.why

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells of the feature or piece that scores."""
        return self.of.cells

    @property
    def feature(self) -> str | None:
        """The feature's id on the first cell; None if it is no feature."""
        return self.of.feature

    def to_json(self) -> dict[str, Any]:
        """Return the event as a JSON object (docs/formats.md, 'Output of check')."""
        value: dict[str, Any] = {
            "turn": self.turn,
            "player": self.player,
            "points": self.points,
            "kind": self.kind,
            **self.of.to_json(),
        }
        if self.at_end:
            value["at_end"] = True
        return value


@dataclass(frozen=True, slots=True)
class Final:
    """Result of a game: total scores, and the events of the final scoring.
    ``spots`` are the features with pieces, if the board was only seen."""

    scores: Mapping[str, int]
    events: tuple[ScoreEvent, ...]
    spots: tuple[Spot, ...] = ()

    @classmethod
    def after(
        cls, scores: Mapping[str, int], events: Iterable[ScoreEvent], spots: tuple[Spot, ...] = ()
    ) -> Final:
        """Return the result with the events of the final scoring added to the scores before it."""
        total, events = dict(scores), tuple(events)
        for event in events:
            total[event.player] += event.points
        return cls(total, events, spots)

    def plus(self, points: Mapping[str, int]) -> Final:
        """Return the result with points by colour, such as those set by hand, added to the scores."""
        return replace(self, scores={color: n + points.get(color, 0) for color, n in self.scores.items()})

    @property
    def winners(self) -> tuple[str, ...]:
        """The players with the most points; ties share the victory."""
        best = max(self.scores.values())
        return tuple(player for player, points in self.scores.items() if points == best)


Pick = Callable[[str, Mapping[str, int]], str]
"""Chooses a drawn animal tile: (player, maximum number of each animal face down) -> animal or "?"."""


@dataclass(frozen=True, slots=True)
class Step:
    """Result of a turn.
    ``laid`` are the pieces on the table after tile and action, before features score and pieces go home
    (bonus tiles lie on their features; a displaced ranger is off the board); ``state.standing`` are those
    after the turn."""

    state: GameState
    events: tuple[ScoreEvent, ...] = ()
    laid: tuple[Standing, ...] = ()


class TurnRun(Protocol):
    """One turn executed in one position (`engine.tiles.turn_runner.TileRun`)."""

    faults: list[Fault]

    def step(self) -> Step:
        """Return the result of the turn. Raises IllegalTurn if it has faults."""

    def forced_step(self) -> Step:
        """Return the result of the turn, whatever its faults."""


@dataclass(frozen=True, slots=True)
class TilePosition:
    """Board, players and tiles to come of an immutable position of a tile game.

    ``players`` are the colours in turn order, ``rules`` is the game's rule edition, ``turn_no`` the number of
    turns played so far, ``landscape`` the unfinished features, ``supply`` the number of meeples that each
    player has left. ``stacks`` are the number of tiles to come by design, stack by stack; designs with 0 are
    left out.
    """

    pack: Pack
    players: tuple[str, ...]
    rules: Any
    turn_no: int
    scores: Mapping[str, int]
    grid: TileGrid
    landscape: Landscape
    supply: Mapping[str, int]
    stacks: tuple[Mapping[str, int], ...]

    @property
    def player(self) -> str:
        """Player whose turn it is."""
        return self.players[self.turn_no % len(self.players)]

    @property
    def board(self) -> Mapping[Cell, Laid]:
        """The laid tiles by cell, in laying order, start tile included."""
        return self.grid.tiles

    @property
    def standing(self) -> tuple[Standing, ...]:
        """Every piece on the table."""
        raise NotImplementedError

    @property
    def due(self) -> int | None:
        """Index of the stack from which this turn's tile is drawn, the first that is not empty.
        None if no turn can follow."""
        for number, stack in enumerate(self.stacks):
            if stack:
                return number
        return None

    @property
    def bag(self) -> Mapping[str, int]:
        """Number of tiles of each design from which this turn's tile is drawn."""
        due = self.due
        return {} if due is None else self.stacks[due]

    @property
    def left(self) -> Mapping[str, int]:
        """Number of tiles to come of each design, of all stacks."""
        return {name: number for stack in self.stacks for name, number in stack.items()}

    @property
    def whole_bag(self) -> Mapping[str, int]:
        """Number of tiles of each design that are drawn in a whole game."""
        return self.pack.bag

    @property
    def over(self) -> bool:
        """Whether the last tile is played or put aside."""
        return self.due is None

    @property
    def hands(self) -> Mapping[str, tuple[str, ...]]:
        """Animal tiles in hand by player, '?' if unknown; empty in a game without hands."""
        return {}

    def pieces_left(self, kind: str) -> Mapping[str, int]:
        """Return the number of pieces of a kind in each player's supply; {} if players own none."""
        return self.supply if kind == "meeple" else {}

    def design(self, design_id: str) -> Design:
        """Return the face of that id. Raises GameError if it is not drawn in this game."""
        if design_id not in self.whole_bag and not is_foreign(design_id):
            raise GameError(f"{design_id} is no tile to draw in this game of pack {self.pack.id}")
        return face(self.pack, design_id)

    def placements(self, design_id: str) -> tuple[tuple[Cell, int], ...]:
        """Return every (cell, rotation) where that face may be laid, all those of symmetric tiles included.
        Raises GameError for an unknown face."""
        return self.grid.placements(self.design(design_id))

    def fits(self, design: Design, cell: Cell, rot: int) -> bool:
        """Whether that face may be laid at ``cell`` with rotation ``rot``."""
        return not self.grid.faults(design, cell, rot)

    def drawn_faults(self, design_id: str) -> list[Fault]:
        """Return the reasons why that face cannot be drawn now: unknown, used up, or in another stack.
        Empty if it can; for a known face also once the game is over."""
        if design_id in self.bag:
            return []
        if design_id not in self.whole_bag:
            if design_id in self.pack.bag:
                message = Message("there is no tile {tile} to draw in this game", tile=design_id)
            else:
                message = Message(
                    "there is no tile {tile} to draw in pack {pack}", tile=design_id, pack=self.pack.id
                )
            return [Fault("unknown_tile", message)]
        if self.over:
            return []
        if any(design_id in stack for stack in self.stacks):
            return [Fault("wrong_deck", self.reason_not_drawn(design_id))]
        return [Fault("tile_exhausted", Message("every tile {tile} has been drawn already", tile=design_id))]

    def reason_not_drawn(self, design_id: str) -> Message:
        """Return the reason why a tile is not in the stack of this turn; it must be in another one."""
        raise NotImplementedError

    def stacks_without(self, design_id: str) -> tuple[Mapping[str, int], ...]:
        """Return the stacks after a tile of that face is drawn from the first one that has it.
        They are unchanged if none has it, as for a foreign tile."""
        stacks = list(self.stacks)
        for number, stack in enumerate(stacks):
            if design_id in stack:
                stacks[number] = without_one(stack, design_id)
                break
        return tuple(stacks)


@dataclass(frozen=True, slots=True)
class GameState(TilePosition):
    """An immutable position of a tile game, with its turns and scoring. Each game derives its own."""

    def actions(
        self, design_id: str, cell: Cell, rot: int, parts: Sequence[TurnPart] = ()
    ) -> tuple[Action, ...]:
        """Return the legal actions that put a piece on the tile laid at ``cell`` with rotation ``rot``.
        ``parts`` are the other parts of the turn. Ranger moves and animal tiles are not listed."""
        raise NotImplementedError

    def turns_for(
        self,
        design_id: str,
        cell: Cell,
        rot: int,
        corners: Collection[tuple[Cell, Corner]] | None = None,
    ) -> Iterator[Turn]:
        """Yield the legal turns with that placement, those without a piece first; draws are unknown.
        There are none if the tile does not fit there or no tile of that face can be drawn. With ``corners``
        only turns that lay an animal tile on one of them; if it is empty, only turns that lay none on a
        corner."""
        if self.over or not may_be_laid(self.bag, design_id):
            return
        design = self.design(design_id)
        if self.fits(design, cell, rot):
            yield from self.turns_with(design, cell, rot, corners)

    def turns_with(
        self, design: Design, cell: Cell, rot: int, corners: Collection[tuple[Cell, Corner]] | None
    ) -> Iterator[Turn]:
        """Yield the turns of `turns_for`, for a face that may be laid there.
        In a game without animal tiles they are the turn without a piece, then one for each action."""
        if not corners:
            yield Turn(self.player, design.id, cell, rot)
            for action in self.actions(design.id, cell, rot):
                yield Turn(self.player, design.id, cell, rot, action)

    def run(self, turn: Turn, *, forced: bool = False) -> TurnRun:
        """Execute a turn, legal or not; the result has its faults. ``forced`` is as in `forced`."""
        raise NotImplementedError

    def forced(self, turn: Turn) -> tuple[Step, tuple[Fault, ...]]:
        """Play the turn as players did who accepted it, and return its result and its faults.

        A tile whose edges do not match lies there, a second meeple stands on its feature; what cannot be
        done has no effect. Scores stay. A legal turn has the same result as with `apply` but for its points.
        """
        run = self.run(turn, forced=True)
        return run.forced_step(), tuple(run.faults)

    def faults(self, turn: Turn) -> tuple[Fault, ...]:
        """Return every reason why the turn is illegal; () if it is legal."""
        return tuple(self.run(turn).faults)

    def apply(self, turn: Turn) -> Step:
        """Play the turn. Raises IllegalTurn, with all faults, if it is illegal."""
        return self.run(turn).step()

    def dealt(self, turn: Turn, pick: Pick) -> Turn:
        """Return the turn with its draws of animal tiles chosen by ``pick``; itself in a game without any."""
        return turn

    def drawn(self, turn: Turn, after: GameState) -> Mapping[str, tuple[str, ...]]:
        """Return the animal tiles that each player drew in ``turn``, in order; '?' for those not recorded.
        Players without draws are left out. ``after`` is the position after the turn."""
        return {}

    def feature_uses(self, cell: Cell, laid: Laid) -> tuple[FeatureUse, ...]:
        """Return the actions that put a piece on a feature of ``laid`` at ``cell``, legal or not.
        There is one for each place of each kind of piece, whatever the supplies."""
        raise NotImplementedError

    def actions_putting(self, turn: Turn, piece: Put) -> tuple[Action, ...]:
        """Return the actions by which ``turn`` may put ``piece``, legal or not.
        They put it elsewhere than on a feature of the tile just laid."""
        return ()

    def parts_putting(self, turn: Turn, piece: Put) -> tuple[TurnPart, ...]:
        """Return the parts by which ``turn`` may put ``piece`` besides its action, legal or not."""
        return ()

    def parts_taking(self, turn: Turn) -> tuple[TurnPart, ...]:
        """Return the parts by which ``turn`` may take a piece off the table that no feature scores."""
        return ()

    def unplaceable_faults(self, design_id: str) -> tuple[Fault, ...]:
        """Return the reasons why the drawn face may not be put aside; () if it fits nowhere."""
        if self.over:
            return (GAME_OVER,)
        if faults := self.drawn_faults(design_id):
            return tuple(faults)
        places = self.placements(design_id)
        if places:
            cell, rot = places[0]
            message = Message(
                "{tile} does fit, for instance at {cell} turned by {rot}°", tile=design_id, cell=cell, rot=rot
            )
            return (Fault("tile_fits", message, cell),)
        return ()

    def unplaceable(self, design_id: str) -> Self:
        """Put the drawn face aside; the same player draws again. Raises IllegalTurn if it is not allowed."""
        if faults := self.unplaceable_faults(design_id):
            raise IllegalTurn(faults)
        return self.put_aside(design_id)

    def put_aside(self, design_id: str) -> Self:
        """Return the position after a face that fits nowhere is put aside, into the box."""
        return replace(self, stacks=self.stacks_without(design_id))

    def final(self) -> Final:
        """Return the final scoring if the game ended now."""
        raise NotImplementedError

    def spots(self) -> tuple[Spot, ...]:
        """Return the value of every feature that has not scored yet."""
        raise NotImplementedError
