"""Tracker of a game that may be under way when the camera first looks.

A board that is already there becomes the opening position; no turns are invented for it. It is read from the
first pictures at rest. People say whose turn it is, the points so far and the hands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from engine.games import tile_game_named
from engine.geometry import Cell
from engine.message import Message
from engine.text_span import NotationError
from engine.tiles.board import Laid
from engine.tiles.game import GameState, Header
from engine.tiles.seen_position import SeenTable, UnseenState
from engine.tiles.turn import Turn
from tilesight.inference.opening.position import legal_position
from tilesight.inference.opening.reading import ReadTable, TableReader
from tilesight.inference.params import OPENING, SCENES
from tilesight.inference.protocols import Tracker
from tilesight.inference.scenes.steady_tracker import SteadyTracker
from tilesight.inference.stories.tracker import StoryTracker
from tilesight.inference.understanding import SeenOpening, Unclear, Understanding
from vision.observation import Observation


class OpeningTracker:
    """Follows a game from ``start``, or from the table as the camera finds it.

    ``told`` is what people say about a game under way beyond what is seen. ``start`` is the position before
    turn 1; it is replaced once an opening position is read. ``tracker`` makes the tracker that follows the
    turns.
    """

    def __init__(
        self,
        start: GameState,
        told: UnseenState | None = None,
        tracker: Callable[[GameState], Tracker[Understanding]] = StoryTracker,
    ) -> None:
        self.start = start
        self._first = start
        self._game = tile_game_named(str(start.pack.game))
        self._told = told or UnseenState()
        self._tracker = tracker
        self._inner = SteadyTracker(start, tracker)
        self._reader = TableReader(start.pack, start.players, start.board)
        self._opening: SeenOpening | None = None
        self._table: ReadTable | None = None
        self._looks = 0
        self._last_s = -math.inf
        self._held: list[Observation] = []
        self._open = True  # whether the opening may still be read, or change

    @property
    def opening(self) -> SeenOpening | None:
        """The opening position that was read or stated; None if the game began in front of the camera."""
        return self._opening

    def see(self, observation: Observation) -> Understanding:
        """Take in one picture, and return the understanding after it.

        Until it is clear whether a game is under way, the understanding has no turns.
        """
        unclear = None
        if self._open:
            if self._opening is None:
                waits, unclear = self._look_first(observation)
                if waits:
                    return self._waiting(observation, unclear)
            else:
                self._look_again(observation)
        understood = self._inner.see(observation)
        if self._open and self._opening is None and understood.turns:
            self._decide()  # the game is followed from its beginning, whatever the table looks like later
        return replace(understood, opening=self._opening)

    def fix(
        self, turns: Sequence[Turn], not_these: Collection[Turn] = (), *, confirmed: int | None = None
    ) -> Understanding:
        """Take ``turns`` as the game's turns so far, with certainty; return the understanding.

        ``not_these`` are ruled out as the next turn. People ``confirmed`` the first turns, None for all:
        another last one may still be moved. The opening position is then no longer read. Raises
        IllegalTurn if ``turns`` are not a legal game.
        """
        if turns or not_these:
            self._decide()
        told = self._inner.fix(turns, tuple(not_these), confirmed=confirmed)
        return replace(told, opening=self._opening)

    def begin(self, state: GameState, turns: Sequence[Turn]) -> Understanding:
        """Take ``state`` as the opening position and ``turns`` as the turns so far, with certainty.

        Returns the understanding. Raises IllegalTurn if ``turns`` are not legal from there.
        """
        self._decide()
        frame = self._opening.frame_index if self._opening is not None else 0
        self._opening = SeenOpening(state, frame)
        self._follow_from(state)
        return replace(self._inner.fix(turns), opening=self._opening)

    def position_told(self, told: UnseenState) -> GameState:
        """Return the position before turn 1, with its pieces and tiles as now and the rest from ``told``.

        Raises NotationError if no game can reach it.
        """
        table = SeenTable(self.start.board, self.start.standing)
        return self._game.position_seen(self._header(), self._first.pack, table, told)

    def _header(self) -> Header:
        """Return the header of the game's start, without the pieces on the table."""
        rules = self._game.notation.write_position(self._first)[0]
        return Header.of(self._first, self._game.name, rules)

    def forget(self) -> Understanding:
        """Forget the opening position and all turns, and read the table again. Returns the understanding."""
        self._reader.forget()
        self._opening = self._table = None
        self._open, self._looks = True, 0
        self._follow_from(self._first)
        return self._inner.fix(())

    def finish(self) -> Understanding:
        """Return the final understanding, once no more pictures come.

        A table read only in part becomes the opening position, if a game can reach it.
        """
        if self._opening is None and self._table is not None:
            with suppress(NotationError):  # without a legal position there are no turns
                self._take(self._table)
        return replace(self._inner.finish(), opening=self._opening)

    # -- the first looks

    def _look_first(self, observation: Observation) -> tuple[bool, Unclear | None]:
        """Read the table in one of the first pictures.

        Return whether more pictures are needed before the game is followed, and the reason if no legal game
        leads to this table, else None.
        """
        if observation.pose is None or self._moving(observation):
            return True, None
        table = self._reader.read(observation)
        if table is None or not self._is_under_way(table):
            self._hand_over()
            self._open = table is None
            return False, None
        same = table.same_tiles(self._table)
        self._table, self._looks = table, self._looks + 1 if same else 1
        self._held = [*self._held, observation][-OPENING.held :]
        if self._looks < OPENING.steady_looks:
            return True, None
        try:
            self._take(table)
        except NotationError as error:
            message = Message(
                "{number} tiles are on the table, but no game comes to this: {reason}",
                number=len(table.board), reason=error.message,
            )  # fmt: skip
            return True, Unclear(message, tuple(sorted(table.board)))
        self._held = []
        return False, None

    def _moving(self, observation: Observation) -> bool:
        """Whether the picture as a whole differs from one taken less than `SCENES.moving_s` before."""
        elapsed_s, self._last_s = observation.t_s - self._last_s, observation.t_s
        return observation.unsettled > SCENES.unsettled_tiles and elapsed_s < SCENES.moving_s

    def _look_again(self, observation: Observation) -> None:
        """Refine the opening position with a further look.

        It becomes final once a tile is laid or ``looks_at_most`` looks are used.
        """
        assert self._table is not None
        if observation.pose is None or self._moving(observation):
            return
        table = self._reader.read(observation)
        if table is None:
            return
        if not table.same_tiles(self._table):
            self._decide()
            return
        self._looks += 1
        if self._looks > OPENING.looks_at_most:
            self._decide()
            return
        self._table = table
        with_before = self._opening
        try:
            self._take(table)
        except NotationError:
            self._opening = with_before

    def _take(self, table: ReadTable) -> None:
        """Make the table as read the opening position. Raises NotationError if no game can reach it.

        The tracker of turns starts anew if its tiles or pieces differ from those of the opening before.
        """
        read = legal_position(self._game, self._header(), self._first.pack, table, self._told)
        before = self._opening
        self._opening = SeenOpening(read.state, table.frame_index, read.left_out, table.doubtful)
        if before is None or not same_table(before.state, read.state):
            self._follow_from(read.state)
        else:
            self._opening = replace(self._opening, state=before.state)

    def _is_under_way(self, table: ReadTable) -> bool:
        """Whether the table has at least ``least_tiles`` tiles more than the known start."""
        known = self._first.board
        return len(table.board.keys() - known.keys()) >= OPENING.least_tiles

    def _hand_over(self) -> None:
        """Follow the game from its known start, beginning with the pictures held back so far."""
        held, self._held, self._table = self._held, [], None
        for observation in held:
            self._inner.see(observation)

    def _decide(self) -> None:
        """Stop reading an opening position; the one known, or the start, is kept."""
        self._open, self._held = False, []

    def _follow_from(self, state: GameState) -> None:
        """Make ``state`` the start, and follow the turns from there with a new tracker."""
        self.start = state
        self._inner = SteadyTracker(state, self._tracker)

    def _waiting(self, observation: Observation, unclear: Unclear | None) -> Understanding:
        """Return an understanding without turns, while the opening position is still being read.

        ``unclear`` is the reason if no game leads to the table.
        """
        table = self._table
        return Understanding(
            (),
            0,
            self.start,
            board_seen=observation.pose is not None and table is not None,
            busy=unclear is None,
            unclear=unclear,
            lattice=None if table is None or observation.pose is None else table.lattice,
        )


def same_table(one: GameState, other: GameState) -> bool:
    """Whether two positions have the same tiles (faces and rotations) and pieces."""
    return _faces(one.board) == _faces(other.board) and set(one.standing) == set(other.standing)


def _faces(board: Mapping[Cell, Laid]) -> dict[Cell, tuple[str, int]]:
    """Return the design and rotation of each tile."""
    return {cell: (laid.design.id, laid.rot) for cell, laid in board.items()}
