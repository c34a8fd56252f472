"""Tracker for boards of squares: from pictures to turns (for tiles: `tilesight.inference.tracker`).

Every piece is in view, so a picture gives the place of each; a place counts once it is steady over pictures.
A turn is the legal one that explains where the pawns are. The moves that the rules then require of the
figures are errands for the players: each figure is tracked, and a wrong square or facing is reported until
the table agrees.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.fault import Fault
from engine.game import GameError, Opening
from engine.pack import Pack
from engine.squares_game import Errand, Figure, SquareGame, SquarePlayed, SquarePosition
from tilesight.inference.scenes.scene import Change, Scene, SceneClock
from tilesight.inference.squares.params import PARAMS
from tilesight.inference.squares.set_up import SetUpReading
from tilesight.inference.squares.sightings import FigurePlace, Hand, Sights
from tilesight.inference.squares.turn_search import fewest_turns, mostly_done, place_of, places
from tilesight.inference.squares.understanding import (
    Guide,
    Misplaced,
    SquaresUnderstood,
    SquareTurn,
    misplaced,
)
from vision.observation import Observation
from vision.squares.reading import SeenSquares, see_squares


@dataclass(slots=True)
class _Errands:
    """Moves of figures that the rules require of the players after the last turn.

    ``before`` and ``after`` map the figures' names to the old and the required place; ``late`` counts
    pictures in a row that show play going on without them.
    """

    before: dict[str, FigurePlace]
    after: dict[str, FigurePlace]
    errands: tuple[Errand, ...]
    late: int = 0


class SquareTracker:
    """Follows one game through the pictures of its table (`tilesight.inference.protocols.Tracker`).

    ``opening`` is the game's header; if it has no set-up, that is read from the table.
    """

    def __init__(self, game: SquareGame, pack: Pack, opening: Opening) -> None:
        self.game = game
        self.pack = pack
        self._set_up = SetUpReading(game, pack, opening)
        self._states: list[SquarePosition] = []
        self._turns: list[SquareTurn] = []
        self._confirmed = 0
        self._sights = Sights()
        self._hand = Hand()
        self._errands: _Errands | None = None
        self._not_these: tuple[Any, ...] = ()
        self._last: SquaresUnderstood | None = None
        self._clock = SceneClock()
        if not self._set_up.may_change:
            self._begin(opening)

    @property
    def state(self) -> SquarePosition | None:
        """The position after the last turn; None until the set-up was read."""
        return self._states[-1] if self._states else None

    @property
    def opening(self) -> Opening:
        """The game's header, with its set-up once that is read."""
        return self._set_up.opening

    def see(self, observation: Observation) -> SquaresUnderstood:
        """Take in one picture, and return the understanding after it.

        A picture without the board, or with a hand over it, changes nothing and counts as busy.
        """
        seen = see_squares(observation, self.pack, self.game.walker, self.game.pawn)
        if seen is None:
            scene = self._clock.lasting(observation.t_s, Change.CLEARED)
            return self._understood(board_seen=False, busy=True, scene=scene)
        if self.state is not None and not seen.shows(self.state.terrain):
            scene = self._clock.lasting(observation.t_s, Change.ELSEWHERE)
            return self._understood(board_seen=True, busy=True, scene=scene)
        calm = observation.motion <= PARAMS.rest_motion
        if self._hand.over(seen.covered, observation.t_s):
            faults = self._last.faults if self._last is not None else ()
            return self._understood(board_seen=True, busy=True, misplaced=self._misplaced(), faults=faults)
        least = {self.game.walker: PARAMS.walker_sure, self.game.pawn: PARAMS.pawn_sure}
        sure = [one for one in seen.figures if one.reading.confidence >= least[one.figure.kind]]
        self._sights.note(sure, (observation.frame_index, observation.t_s), calm)
        self._read_set_up(seen, calm)
        if self.state is None:
            return self._understood(board_seen=True, busy=not calm)
        self._finish_errands()
        faults, change = (), None
        if self._errands is None:
            faults, change = self._turn()
            self._finish_errands()
        scene = self._clock.lasting(observation.t_s, change)
        return self._understood(
            board_seen=True, busy=not calm, misplaced=self._misplaced(), faults=faults, scene=scene
        )

    def fix(
        self,
        turns: Sequence[Any],
        not_these: Sequence[Any] = (),
        opening: Opening | None = None,
        confirmed: int | None = None,
    ) -> SquaresUnderstood:
        """Take ``turns`` as the game's turns so far, with certainty, and ``opening`` as its set-up.

        Without ``opening`` the known set-up is kept. ``not_these`` are ruled out as the next turn, whatever
        the pawns show now; the first ``confirmed`` turns (None: 0) stay, whatever they show later. Returns
        the understanding. Raises IllegalTurn if the turns are not a legal game, GameError if
        the set-up is not known yet; then nothing has changed.
        """
        first = self.game.start(opening, self.pack) if opening is not None else None
        if first is None and not self._states:
            raise GameError("the set-up was not read yet")
        state, understood = first or self._states[0], []
        states = [state]
        for number, turn in enumerate(turns):
            known = self._turns[number] if number < len(self._turns) else None
            same = known is not None and known.turn == turn
            step = state.apply(turn)
            frame, t_s = (known.frame_index, known.t_s) if known is not None and same else (None, None)
            understood.append(SquareTurn(turn, step, frame, t_s, 1.0))
            state = step.state
            states.append(state)
        if opening is not None:
            self._set_up.take(opening)
        self._states, self._turns, self._confirmed = states, understood, confirmed or 0
        self._errands = _errands_of(understood[-1].step) if understood else None
        self._not_these = tuple(not_these)
        self._sights.trust(self.game.pawn)
        for turn in not_these:
            after = state.apply(turn).state if not state.faults(turn) else state
            for name, where in places(after, self.game.pawn).items():
                if places(state, self.game.pawn)[name] != where:
                    self._sights.overrule(self.game.pawn, name, where)
        for name in {turn.player for turn in not_these}:
            sight = self._sights.get(self.game.pawn, name)
            if sight is not None and sight.where != places(state, self.game.pawn).get(name):
                self._sights.overrule(self.game.pawn, name, sight.where)
        self._finish_errands()
        return self._understood(board_seen=True, busy=False, misplaced=self._misplaced())

    def finish(self) -> SquaresUnderstood:
        """Return the latest understanding."""
        return self._last or self._understood(board_seen=False, busy=True)

    @property
    def start(self) -> SquarePosition | None:
        """The position before the first turn; None until the set-up is read."""
        return self._states[0] if self._states else None

    def forget(self) -> SquaresUnderstood:
        """Forget a wrong set-up and read it again.

        Returns the understanding. Raises GameError after a turn.
        """
        if self._turns:
            raise GameError("the game has begun")
        self._states = []
        self._set_up.forget()
        self._sights.clear()
        return self._understood(board_seen=True, busy=False)

    def confirm(self) -> SquaresUnderstood:
        """Take the set-up as certain: it is not read again, whatever moves. Returns the understanding."""
        self._set_up.may_change = False
        return self._understood(board_seen=True, busy=False, misplaced=self._misplaced())

    def overrule(self) -> SquaresUnderstood:
        """Take the misplaced figures as correctly placed, against the camera, and return the understanding.

        Each is ignored where it is now, until it is seen elsewhere.
        """
        for one in self._misplaced():
            kind, name = one.expected.kind, one.expected.name
            self._sights.overrule(kind, name, self._sights[kind, name].where)
        self._finish_errands()
        return self._understood(board_seen=True, busy=False, misplaced=self._misplaced())

    # -- places ---------------------------------------------------------------------------------

    def _steady(self, kind: str) -> dict[str, FigurePlace]:
        """Return the places, by name, of the pieces of a kind that are seen steadily now.

        Overruled ones keep the game's place. A player whose pawn has moved on may play a refused turn again.
        """
        known = places(self.state, kind) if self.state is not None else {}
        found, gone_on = self._sights.steady(kind, known)
        # A player whose pawn has moved on may play the refused turn again.
        self._not_these = tuple(turn for turn in self._not_these if turn.player not in gone_on)
        return found

    # -- the set-up -----------------------------------------------------------------------------

    def _read_set_up(self, seen: SeenSquares, calm: bool) -> None:
        """Start the game once everything is steadily in view.

        Until the first turn, and until people confirm the set-up, it follows the figures on the table. A
        pawn's start is read only once: a later move of it is a turn.
        """
        walker, pawn = self.game.walker, self.game.pawn
        opening = None
        if self.state is None:
            found = {kind: self._steady(kind) for kind in (walker, pawn)}
            opening = self._set_up.read(seen.terrain, _figures(found), calm)
        elif self._set_up.may_change and not self._turns and calm:
            found = {walker: self._steady(walker), pawn: places(self.state, pawn)}
            opening = self._set_up.read_again(self.state.terrain, _figures(found))
        if opening is not None:
            self._begin(opening)

    def _begin(self, opening: Opening) -> None:
        """Make an opening with its set-up the game's first position."""
        self._states = [self.game.start(opening, self.pack)]
        self._set_up.take(opening)

    # -- turns ----------------------------------------------------------------------------------

    def _turn(self) -> tuple[tuple[Fault, ...], Change | None]:
        """Apply the turns that the pawns show. Return the faults if no legal turn explains them, else ().

        The last turn is replaced if the pawns show that it was changed; that it was taken back is only told.
        """
        assert self.state is not None
        pawns = self._steady(self.game.pawn)
        now = places(self.state, self.game.pawn)
        moved = {name: where for name, where in pawns.items() if name in now and now[name] != where}
        walkers = self._steady(self.game.walker)
        line = None
        if moved or self._figures_moved(walkers):
            line = fewest_turns(self.game, self.state, moved, walkers, self._not_these)
        if line is None and moved and len(self._turns) > self._confirmed:
            line = self._replace_last_turn(moved)
            if line == []:
                return (), Change.LAST_GONE
        for turn in line or []:
            self._apply(turn)
        if line is not None or not moved:
            return (), None
        player = self.state.player if self.state.player in moved else next(iter(moved))
        return self.state.faults(self.game.turn_seen(player, moved[player][0])), None

    def _figures_moved(self, walkers: Mapping[str, FigurePlace]) -> bool:
        """Whether a figure is seen elsewhere than in the position: the player may have passed.

        ``walkers`` are the steadily seen places by name.
        """
        assert self.state is not None
        now = places(self.state, self.game.walker)
        return any(now.get(name) != where for name, where in walkers.items())

    def _replace_last_turn(self, moved: Mapping[str, FigurePlace]) -> list[Any] | None:
        """Remove the last turn if ``moved``, the new places of pawns, shows that it was changed.

        Return the turn in its place; [] if the pawn was put back, None if neither explains the pawns.
        """
        last, before = self._turns[-1], self._states[-2]
        player = before.player
        if set(moved) != {player}:
            return None
        if last.step.errands and mostly_done(last.step, self._steady(self.game.walker)):
            return None
        if places(before, self.game.pawn)[player] == moved[player]:
            return []
        turn = self.game.turn_seen(player, moved[player][0])
        if before.faults(turn) or turn in self._not_these:
            return None
        self._turns.pop()
        self._states.pop()
        self._errands = None
        return [turn]

    def _apply(self, turn: Any) -> None:
        """Play a turn, and append it to ``self._turns`` with the picture that shows its pawn.

        A turn with errands (required moves of figures) has no picture until these are done. It allows refused
        turns again.
        """
        assert self.state is not None
        player = self.state.player
        step = self.state.apply(turn)
        sight = self._sights.get(self.game.pawn, player)
        frame, t_s = sight.since if sight is not None else (None, None)
        sure = min(1.0, sight.confidence + 0.5) if sight is not None else 0.9
        self._not_these = ()
        self._states.append(step.state)
        self._errands = _errands_of(step)
        done = frame if self._errands is None else None
        self._turns.append(SquareTurn(turn, step, done, t_s if done is not None else None, sure))

    # -- errands --------------------------------------------------------------------------------

    def _finish_errands(self) -> None:
        """End the errands (required moves of figures) and date the last turn, once the table shows them done.

        All but ``hidden_figures`` of the figures must be seen in their required places, none elsewhere.
        Otherwise count whether play goes on without them.
        """
        errands = self._errands
        if errands is None:
            return
        seen = self._steady(self.game.walker)
        right = [name for name, where in errands.after.items() if seen.get(name) == where]
        wrong = [
            name for name, where in seen.items() if name in errands.after and errands.after[name] != where
        ]
        assert self.state is not None
        pawns = self._steady(self.game.pawn)
        gone_on = any(
            where != pawns.get(name, where) for name, where in places(self.state, self.game.pawn).items()
        )
        errands.late = errands.late + 1 if gone_on else 0
        if (
            wrong
            or self._sights.unsteady(self.game.walker)
            or len(right) < len(errands.after) - PARAMS.hidden_figures
        ):
            return
        last = self._turns[-1]
        frame, t_s = max(self._sights[self.game.walker, name].since for name in right)
        self._turns[-1] = SquareTurn(last.turn, last.step, frame, t_s, last.confidence)
        self._errands = None

    def _misplaced(self) -> tuple[Misplaced, ...]:
        """Return the figures seen at neither their old nor their required place; empty before the set-up.

        A figure still at its old place counts once play has gone on for ``forgotten_after`` pictures.
        """
        if self.state is None:
            return ()
        errands = self._errands
        seen = self._steady(self.game.walker)
        found = []
        for figure in self.state.figures:
            where = seen.get(figure.name)
            if figure.kind != self.game.walker or where is None or where == place_of(figure):
                continue
            waits = errands is not None and where == errands.before.get(figure.name)
            if waits and errands is not None and errands.late < PARAMS.forgotten_after:
                continue
            found.append(misplaced(figure, Figure(figure.kind, figure.name, *where), forgotten=waits))
        return tuple(found)

    def _understood(
        self,
        *,
        board_seen: bool,
        busy: bool,
        misplaced: tuple[Misplaced, ...] = (),
        faults: tuple[Fault, ...] = (),
        scene: Scene | None = None,
    ) -> SquaresUnderstood:
        """Return the understanding after the latest picture, and keep it as ``self._last``."""
        seen = self._steady(self.game.walker)
        guide = () if self._errands is None else self._errands.errands
        self._last = SquaresUnderstood(
            opening=self.opening if self.state is not None else None,
            state=self.state,
            turns=tuple(self._turns),
            guide=tuple(Guide(e, seen.get(e.after.name) == place_of(e.after)) for e in guide),
            misplaced=misplaced,
            faults=faults,
            missing=self._set_up.missing,
            board_seen=board_seen,
            busy=busy,
            scene=scene,
        )
        return self._last


def _figures(found: Mapping[str, Mapping[str, FigurePlace]]) -> list[Figure]:
    """Return figures built from their places, by kind and name."""
    return [Figure(kind, name, *where) for kind, at in found.items() for name, where in at.items()]


def _errands_of(step: SquarePlayed) -> _Errands | None:
    """Return the errands (required moves of figures) after a turn with result ``step``; None without any."""
    if not step.errands:
        return None
    return _Errands(
        {errand.before.name: place_of(errand.before) for errand in step.errands},
        {errand.after.name: place_of(errand.after) for errand in step.errands},
        step.errands,
    )
