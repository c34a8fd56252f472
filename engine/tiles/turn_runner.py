"""Execution of one turn of a tile game: tile, action, scoring.

Each game's `Run` derives from `TileRun`. The same code plays legal turns and collects the faults of illegal
ones, so that legality and effect cannot disagree. It also plays illegal turns that a table has accepted.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, ClassVar, Generic, TypeVar

from engine.fault import Fault
from engine.game import IllegalTurn
from engine.geometry import Cell, Corner
from engine.message import Message, message_of
from engine.pack import Design, Feature
from engine.tiles.actions import TurnPart
from engine.tiles.board import Laid, Standing
from engine.tiles.common_rules import GAME_OVER, seats_from, unknown_player
from engine.tiles.features import Composition, Region
from engine.tiles.foreign import ForeignError, face, is_foreign
from engine.tiles.game import GameState, ScoreEvent, Step
from engine.tiles.turn import Turn

PositionT = TypeVar("PositionT", bound=GameState)


class TileRun(Generic[PositionT]):
    """One turn in one position.
    After a fault only independent checks are made, so that no fault is reported that is a mere consequence of
    another.

    ``grid``, ``landscape``, ``supply`` and ``scores`` start as those of the position and end as those after
    the turn.
    ``design`` is the face laid, None if it is unknown; ``own_regions`` are the regions of the laid tile's
    features, by feature id. ``laid_pieces`` are `engine.tiles.game.Step.laid`. ``own_parts`` are the kinds of
    part that a turn of the game may have.

    A ``forced`` turn goes on after faults, as far as it can be carried out, and awards no points: see
    `engine.tiles.game.GameState.forced`.
    """

    own_parts: ClassVar[tuple[type[TurnPart], ...]] = ()

    def __init__(self, state: PositionT, turn: Turn, *, forced: bool = False) -> None:
        self.state = state
        self.turn = turn
        self._forced = forced
        self.faults: list[Fault] = []
        self.events: list[ScoreEvent] = []
        self.grid = state.grid
        self.landscape = state.landscape
        self.supply = state.supply
        self.scores = state.scores
        self.design: Design | None = None
        self.own_regions: dict[str, Region] = {}
        self.laid_pieces: tuple[Standing, ...] = ()

    def step(self) -> Step:
        """Return the result of the turn. Raises IllegalTurn if it has faults."""
        if self.faults:
            raise IllegalTurn(self.faults)
        return self.forced_step()

    def forced_step(self) -> Step:
        """Return the result of the turn, whatever its faults."""
        return Step(type(self.state)(**self.after()), tuple(self.events), self.laid_pieces)

    @property
    def player(self) -> str:
        """The player of the turn; the one to move if there is no such player."""
        return self.turn.player if self.turn.player in self.state.players else self.state.player

    @property
    def _stopped(self) -> bool:
        """Whether the rest of the turn is not played: it has faults, and is not forced."""
        return bool(self.faults) and not self._forced

    def after(self) -> dict[str, Any]:
        """Return the fields of the position after the turn, by name."""
        state = self.state
        return {
            "pack": state.pack,
            "players": state.players,
            "rules": state.rules,
            "turn_no": state.turn_no + 1,
            "scores": self.scores,
            "grid": self.grid,
            "landscape": self.landscape,
            "supply": self.supply,
            "stacks": state.stacks_without(self.turn.tile),
        }

    def _place(self) -> Laid | None:
        """Lay the tile and return it; None if the face is unknown or the cell is taken.
        Reasons against it are appended to ``self.faults``."""
        state, turn = self.state, self.turn
        self._check_player()
        faults = self._foreign_faults() if is_foreign(turn.tile) else state.drawn_faults(turn.tile)
        self.faults += faults
        if faults and any(fault.code in ("unknown_tile", "bad_foreign") for fault in faults):
            return None
        self.design = design = face(state.pack, turn.tile)
        self.faults += state.grid.faults(design, turn.cell, turn.rot)
        if turn.cell in state.board:
            return None
        laid = Laid(design, turn.rot)
        self.grid = state.grid.lay(turn.cell, laid)
        self.landscape, self.own_regions = state.landscape.lay(turn.cell, laid)
        return laid

    def _check_player(self) -> None:
        """Append the faults of the turn's player to ``self.faults``.
        They are: game over, unknown player, not this player's turn."""
        state, player = self.state, self.turn.player
        if state.over:
            self.faults.append(GAME_OVER)
        if player not in state.players:
            self.faults.append(unknown_player(player))
        elif player != state.player:
            message = Message(
                "it is {player_due}'s turn, not {player}'s", player_due=state.player, player=player
            )
            self._fault("wrong_player", message, player=player)

    def _foreign_faults(self) -> list[Fault]:
        """Return the fault of a foreign tile's description in a list; [] if it is good.
        The number of foreign tiles is not limited."""
        try:
            face(self.state.pack, self.turn.tile)
        except ForeignError as error:
            return [Fault("bad_foreign", message_of(error), self.turn.cell)]
        return []

    def _refuse_other_parts(self) -> None:
        """Append a fault to ``self.faults`` for each part of the turn that this game lacks."""
        for part in self.turn.parts:
            if not isinstance(part, self.own_parts):
                self.faults.append(part.refused())

    def _feature(self, feature_id: str) -> Feature | None:
        """Return a feature of the laid tile; None if its face is unknown or lacks it.
        If the face lacks it, a fault is appended to ``self.faults``."""
        if self.design is None:
            return None
        feature = self.design.tile.feature(feature_id)
        if feature is None:
            message = Message(
                "{tile} has no feature {feature} (it has {known})",
                tile=self.design.id,
                feature=feature_id,
                known=tuple(one.id for one in self.design.tile.features) or "–",
            )
            self._fault("no_such_feature", message, self.turn.cell, feature=feature_id)
        return feature

    def _check_unoccupied(self, region: Region | None, feature: str) -> None:
        """Append a fault to ``self.faults`` if the region on which a meeple is put already has one."""
        if region is not None and region.meeples:
            message = Message(
                "there is a meeple of {player} on this {kind} already",
                player=sorted(region.counts), kind=region.kind,
            )  # fmt: skip
            self._fault("feature_occupied", message, self.turn.cell, feature=feature)

    def _check_supply(self) -> None:
        """Append a fault to ``self.faults`` if the player has no meeple left before the turn's scoring."""
        if self.supply[self.player] <= 0:
            self._fault(
                "no_meeple", Message("{player} has no meeple left", player=self.player), player=self.player
            )

    def _paid(self, colors: Collection[str]) -> list[str]:
        """Return those of ``colors`` who get points, in turn order; none in a forced turn."""
        if self._forced:
            return []
        return [player for player in seats_from(self.state.players, self.player) if player in colors]

    def _award(self, player: str, points: int, kind: str, of: Composition) -> None:
        """Add points to a player's score, and the scoring event to ``self.events``; not in a forced turn.
        ``of`` is what scores."""
        if self._forced:
            return
        self.scores = {**self.scores, player: self.scores[player] + points}
        self.events.append(ScoreEvent(self.state.turn_no + 1, player, points, kind, of))

    def _fault(
        self,
        code: str,
        message: Message,
        cell: Cell | None = None,
        *,
        corner: Corner | None = None,
        feature: str | None = None,
        player: str | None = None,
    ) -> None:
        """Append a fault to ``self.faults``."""
        self.faults.append(Fault(code, message, cell, None, corner, feature, player))
