"""Tracker for boards of squares: from pictures to turns (for tiles: `tilesight.inference.tracker`).

Everything stands in view, so a picture says where each thing stands; what counts is steady over pictures. A
turn is the legal one that puts the pawns where they are seen. What the rules then make the figures do is
the players' errand: it is followed figure by figure, and a wrong square or facing is said until the table
agrees.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.fault import Fault
from engine.game import GameError, IllegalTurn, Opening
from engine.grid_game import Errand, Figure, SquareGame, SquarePlayed, SquarePosition
from engine.pack import Pack
from tilesight.inference.grid.sightings import STEADY, Hand, Sights, Where
from tilesight.inference.grid.understanding import Guide, Misplaced, SquaresUnderstood, SquareTurn, misplaced
from vision.grid.reading import SeenFigure, SeenSquares, see_squares
from vision.observation import Observation

CALM = 0.004
"""Share of the board that may change between pictures of a table at rest."""
LEAST_SURE = 0.6
LEAST_PAWN = 0.3
"""A reading less sure than this is none."""
LATE = 6
"""After so many readings beside a pawn that went on, a figure that has not moved was forgotten."""
AHEAD = 3
"""So many turns may have been made since the table was last seen at rest."""
UNSEEN_BORNE = 2
"""So many figures may be hidden when the table is taken to agree."""


@dataclass(slots=True)
class _Errands:
    """What figures must still do after the last turn."""

    before: dict[str, Where]
    after: dict[str, Where]
    errands: tuple[Errand, ...]
    late: int = 0


@dataclass(slots=True)
class SquareTracker:
    """Follows one game through the pictures of its table. ``opening`` may hold a set-up or leave it to be
    read."""

    game: SquareGame
    pack: Pack
    opening: Opening
    state: SquarePosition | None = None
    _states: list[SquarePosition] = field(default_factory=list)
    _turns: list[SquareTurn] = field(default_factory=list)
    _sights: Sights = field(default_factory=Sights)
    _hand: Hand = field(default_factory=Hand)
    _terrain: tuple[tuple[str, ...], int] = ((), 0)
    _errands: _Errands | None = None
    _missing: str = "the board"
    _not_these: tuple[Any, ...] = ()
    _set_up_open: bool = True
    _faults: tuple[Fault, ...] = ()
    _last: SquaresUnderstood | None = None

    def __post_init__(self) -> None:
        if type(self.opening) is not Opening:  # the game's own: with its set-up
            self._begin(self.opening)
            self._set_up_open = False

    def see(self, observation: Observation) -> SquaresUnderstood:
        """Take one picture into account."""
        seen = see_squares(observation, self.pack, self.game.walker, self.game.pawn)
        if seen is None:
            return self._understood(board_seen=False, busy=True)
        calm = observation.motion <= CALM
        if self._hand.over(seen.covered, observation.t_s):
            return self._understood(
                board_seen=True, busy=True, misplaced=self._misplaced(), faults=self._faults
            )
        self._sights.note(self._sure(seen), (observation.frame_index, observation.t_s), calm)
        if self.state is None:
            self._set_up(seen, calm)
        if self.state is None:
            return self._understood(board_seen=True, busy=not calm)
        if self._set_up_open and not self._turns and calm:
            self._set_up_again()
        self._carry_out()
        self._faults = ()
        if self._errands is None:
            self._faults = self._turn()
            self._carry_out()
        return self._understood(
            board_seen=True, busy=not calm, misplaced=self._misplaced(), faults=self._faults
        )

    def fix(
        self, turns: Sequence[Any], not_these: Sequence[Any] = (), opening: Opening | None = None
    ) -> SquaresUnderstood:
        """Take ``turns`` for the game's turns so far, for certain, and ``opening``, if given, for its set-up.
        ``not_these`` do not come next, whatever the pawns show now. IllegalTurn where they are no legal game,
        GameError where the set-up is not known yet; nothing has changed then."""
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
            self.opening, self._missing = opening, ""
        self.state, self._states, self._turns = state, states, understood
        self._errands = _errands_of(understood[-1].step) if understood else None
        self._not_these, self._faults = tuple(not_these), ()
        self._sights.trust(self.game.pawn)
        for turn in not_these:
            after = state.apply(turn).state if not state.faults(turn) else state
            for name, where in _places(after, self.game.pawn).items():
                if _places(state, self.game.pawn)[name] != where:
                    self._sights.overrule(self.game.pawn, name, where)
        for name in {turn.player for turn in not_these}:
            sight = self._sights.get(self.game.pawn, name)
            if sight is not None and sight.where != _places(state, self.game.pawn).get(name):
                self._sights.overrule(self.game.pawn, name, sight.where)
        self._carry_out()
        return self._understood(board_seen=True, busy=False, misplaced=self._misplaced())

    def finish(self) -> SquaresUnderstood:
        """No more pictures come: what is known now is how it was."""
        return self._last or self._understood(board_seen=False, busy=True)

    @property
    def start(self) -> SquarePosition | None:
        """The position before the first turn; None until the set-up was read."""
        return self._states[0] if self._states else None

    def forget(self) -> SquaresUnderstood:
        """The set-up was read wrongly: before the first turn it is read anew, from the next pictures."""
        if self._turns:
            raise GameError("the game has begun")
        self.state, self._states, self._missing = None, [], "the board"
        self._terrain = ((), 0)
        self._sights.clear()
        self._set_up_open = True
        return self._understood(board_seen=True, busy=False)

    def confirm(self) -> SquaresUnderstood:
        """The set-up is as it was read: it is not read again, whatever moves."""
        self._set_up_open = False
        return self._understood(board_seen=True, busy=False, misplaced=self._misplaced())

    def overrule(self) -> SquaresUnderstood:
        """What is said to stand wrongly stands right: the camera erred, until it sees them elsewhere."""
        for one in self._misplaced():
            kind, name = one.expected.kind, one.expected.name
            self._sights.overrule(kind, name, self._sights[kind, name].where)
        self._carry_out()
        return self._understood(board_seen=True, busy=False, misplaced=self._misplaced())

    # -- what stands where ----------------------------------------------------------------------

    def _sure(self, seen: SeenSquares) -> list[SeenFigure]:
        least = {self.game.walker: LEAST_SURE, self.game.pawn: LEAST_PAWN}
        return [one for one in seen.figures if one.reading.confidence >= least[one.figure.kind]]

    def _steady(self, kind: str) -> dict[str, Where]:
        """Where things of a kind are seen steadily now; what people overruled is as the game has it."""
        known = _places(self.state, kind) if self.state is not None else {}
        found, gone_on = self._sights.steady(kind, known)
        # Who went on may do again what was taken back.
        self._not_these = tuple(turn for turn in self._not_these if turn.player not in gone_on)
        return found

    # -- the set-up -----------------------------------------------------------------------------

    def _set_up(self, seen: SeenSquares, calm: bool) -> None:
        """Begin once everything that the game needs is steadily in view."""
        before, count = self._terrain
        self._terrain = (seen.terrain, (count if before == seen.terrain else 0) + (STEADY if calm else 1))
        figures = [
            Figure(kind, name, *where)
            for kind in (self.game.walker, self.game.pawn)
            for name, where in self._steady(kind).items()
        ]
        try:
            if self._terrain[1] >= STEADY:
                self._begin(self.game.opening_seen(self.opening, seen.terrain, figures))
        except IllegalTurn as error:
            self._missing = "; ".join(fault.message for fault in error.faults)

    def _set_up_again(self) -> None:
        """Before the first turn, and before somebody has confirmed it, figures may still be put right. A pawn
        that moves is played: where it began is read once, or said."""
        assert self.state is not None
        places = {
            self.game.walker: self._steady(self.game.walker),
            self.game.pawn: _places(self.state, self.game.pawn),
        }
        figures = [Figure(kind, name, *where) for kind, at in places.items() for name, where in at.items()]
        try:
            seen = self.game.opening_seen(self.opening, self.state.terrain, figures)
            if seen != self.opening:
                self._begin(seen)
        except IllegalTurn:
            pass  # a hand is in the way, or somebody is at it

    def _begin(self, opening: Opening) -> None:
        self.state = self.game.start(opening, self.pack)
        self.opening, self._states, self._missing = opening, [self.state], ""

    # -- turns ----------------------------------------------------------------------------------

    def _turn(self) -> tuple[Fault, ...]:
        """Apply what the pawns show; the reasons where no legal turn puts them there."""
        assert self.state is not None
        pawns = self._steady(self.game.pawn)
        now = _places(self.state, self.game.pawn)
        moved = {name: where for name, where in pawns.items() if name in now and now[name] != where}
        line = self._line(self.state, moved, AHEAD) if moved or self._pass_shows() else None
        if line is None and moved and self._turns:
            line = self._second_thought(moved)
            if line == []:
                return ()
        for turn in line or []:
            self._apply(turn)
        if line is not None or not moved:
            return ()
        player = self.state.player if self.state.player in moved else next(iter(moved))
        return self.state.faults(self.game.turn_seen(player, moved[player][0]))

    def _line(self, state: SquarePosition, moved: Mapping[str, Where], ahead: int) -> list[Any] | None:
        """The fewest legal turns that put the pawns where they stand, and the figures no farther than they
        are."""
        for length in range(1, ahead + 1):
            for line in self._lines(state, moved, length):
                return line
        return None

    def _lines(self, state: SquarePosition, moved: Mapping[str, Where], length: int) -> Iterator[list[Any]]:
        if state.over:
            return
        player = state.player
        square = moved[player][0] if player in moved else None  # a pawn that was moved did not pass
        turn = self.game.turn_seen(player, square)
        if state.faults(turn) or turn in self._not_these:
            return
        step = state.apply(turn)
        left = {name: where for name, where in moved.items() if name != player}
        shown = not step.errands or self._carried_out(step)
        if length > 1:
            if shown:
                yield from ([turn, *rest] for rest in self._lines(step.state, left, length - 1))
        elif not left and (square is not None or (shown and step.errands)):
            yield [turn]

    def _pass_shows(self) -> bool:
        """Whether figures moved without a pawn: somebody may have passed."""
        assert self.state is not None
        now = _places(self.state, self.game.walker)
        return any(now.get(name) != where for name, where in self._steady(self.game.walker).items())

    def _carried_out(self, step: SquarePlayed) -> bool:
        """Whether the table shows most of what figures had to do after a turn."""
        seen = self._steady(self.game.walker)
        done = [e for e in step.errands if seen.get(e.after.name) == _where(e.after)]
        return bool(step.errands) and len(done) > len(step.errands) // 2

    def _second_thought(self, moved: Mapping[str, Where]) -> list[Any] | None:
        """The last turn changed: another in its place, or [] where the pawn was put back. None where that
        explains nothing."""
        last, before = self._turns[-1], self._states[-2]
        player = before.player
        if set(moved) != {player}:
            return None
        if last.step.errands and self._carried_out(last.step):
            return None
        if _places(before, self.game.pawn)[player] == moved[player]:
            self._take_back()
            return []
        turn = self.game.turn_seen(player, moved[player][0])
        if before.faults(turn) or turn in self._not_these:
            return None
        self._take_back()
        return [turn]

    def _take_back(self) -> None:
        self._turns.pop()
        self._states.pop()
        self.state = self._states[-1]
        self._errands = None

    def _apply(self, turn: Any) -> None:
        assert self.state is not None
        player = self.state.player
        step = self.state.apply(turn)
        sight = self._sights.get(self.game.pawn, player)
        frame, t_s = sight.since if sight is not None else (None, None)
        sure = min(1.0, sight.confidence + 0.5) if sight is not None else 0.9
        self.state = step.state
        self._not_these = ()
        self._states.append(step.state)
        self._errands = _errands_of(step)
        done = frame if self._errands is None else None
        self._turns.append(SquareTurn(turn, step, done, t_s if done is not None else None, sure))

    # -- errands --------------------------------------------------------------------------------

    def _carry_out(self) -> None:
        """The errands are over once the table agrees."""
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
            where != pawns.get(name, where) for name, where in _places(self.state, self.game.pawn).items()
        )
        errands.late = errands.late + 1 if gone_on else 0
        if wrong or self._sights.restless(self.game.walker) or len(right) < len(errands.after) - UNSEEN_BORNE:
            return
        last = self._turns[-1]
        frame, t_s = max(self._sights[self.game.walker, name].since for name in right)
        self._turns[-1] = SquareTurn(last.turn, last.step, frame, t_s, last.confidence)
        self._errands = None

    def _misplaced(self) -> tuple[Misplaced, ...]:
        """Figures that stand neither where they were nor where they should be; those not moved at all count
        once play goes on without them."""
        if self.state is None:
            return ()
        errands = self._errands
        seen = self._steady(self.game.walker)
        found = []
        for figure in self.state.figures:
            where = seen.get(figure.name)
            if figure.kind != self.game.walker or where is None or where == _where(figure):
                continue
            waits = errands is not None and where == errands.before.get(figure.name)
            if waits and errands is not None and errands.late < LATE:
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
    ) -> SquaresUnderstood:
        seen = self._steady(self.game.walker)
        guide = () if self._errands is None else self._errands.errands
        self._last = SquaresUnderstood(
            opening=self.opening if self.state is not None else None,
            state=self.state,
            turns=tuple(self._turns),
            guide=tuple(Guide(e, seen.get(e.after.name) == _where(e.after)) for e in guide),
            misplaced=misplaced,
            faults=faults,
            missing=self._missing,
            board_seen=board_seen,
            busy=busy,
        )
        return self._last


def _places(state: SquarePosition, kind: str) -> dict[str, Where]:
    return {figure.name: _where(figure) for figure in state.figures if figure.kind == kind}


def _where(figure: Figure) -> Where:
    return (figure.square, figure.facing)


def _errands_of(step: SquarePlayed) -> _Errands | None:
    if not step.errands:
        return None
    return _Errands(
        {errand.before.name: _where(errand.before) for errand in step.errands},
        {errand.after.name: _where(errand.after) for errand in step.errands},
        step.errands,
    )
