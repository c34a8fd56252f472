"""Board strategy of games on squares: how their table is followed, shown and corrected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from engine.game import GameError, IllegalTurn, Opening
from engine.geometry import Cell
from engine.jsonvalue import FieldError
from engine.message import Message, message_of
from engine.pack import Pack
from engine.record import header_from_json, header_to_json
from engine.squares_game import SquareGame, SquarePosition
from tilesight.inference.squares.tracker import SquareTracker
from tilesight.inference.squares.understanding import SquaresUnderstood, SquareTurn
from tilesight.live.album import RecognisedPicture
from tilesight.live.asking.scene import SCENE, SceneQuestions
from tilesight.live.board import Confirm, Ledger, Order, SeatPlayers, kept_from, scene_order
from tilesight.live.squares.pictures import board_to_px, cells_around, picture_of
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.history import Bare, Edited, Reseat, still_unkept
from vision.observation import Frame, Observation
from vision.squares.reading import SeenSquares, see_squares
from web.table.correction import BoardCorrection, Overrule, SetOpening, SetScores, SetUp
from web.table.pictures import Picture
from web.table.question import Option, Question
from web.table.refusal import Refusal
from web.table.squares import SquareTurnPlayed, SquareView

SET_UP_QUESTION, YES, AGAIN = "set-up", "yes", "again"
"""Ids of the question about the set-up and of its answers."""
ASK_SET_UP = Message("Is the table set up as it is drawn here?")


class SquaresBoard:
    """A board of squares (`tilesight.live.board.BoardStrategy`).

    ``opening`` is the game's header; if it has no set-up, that is read from the table.
    """

    def __init__(self, game: SquareGame, pack: Pack, opening: Opening) -> None:
        self.reseat: Reseat = _no_reseating
        self.bare: Bare = _no_bare_turn
        self.confirm: Confirm[SquaresUnderstood] | None = None
        self.seated: SeatPlayers = partial(_no_seating, game)
        self.tracker = SquareTracker(game, pack, opening)
        self._game = game
        self._pack = pack
        self._pictured: tuple[object, Picture] | None = None
        self._scene = SceneQuestions()

    @property
    def start(self) -> SquarePosition | None:
        """The position before turn 1; None until the set-up is read."""
        return self.tracker.start

    # -- the camera

    def look(
        self, frame: Frame, observation: Observation, understood: SquaresUnderstood
    ) -> RecognisedPicture[SeenSquares | None]:
        """Return a picture with the figures recognised in it, for the album.

        Its ``seen`` is None if the board was not found.
        """
        seen = see_squares(observation, self._pack, self._game.walker, self._game.pawn)
        return RecognisedPicture(frame, seen, None if seen is None else board_to_px(seen))

    def picture(self, look: RecognisedPicture[SeenSquares | None], view: SquareView) -> Picture:
        """Return a picture with its overlay, computed once per ``look``."""
        made = self._pictured
        if made is None or made[0] is not look:
            made = (look, picture_of(look))
            self._pictured = made
        return made[1]

    def unclear(self, understood: SquaresUnderstood) -> tuple[Message, tuple[Cell, ...]] | None:
        """Return the message of the first misplaced piece or illegal move, with no cells; else None."""
        return (understood.messages[0], ()) if understood.messages else None

    # -- the log

    def resume(self, ledger: Ledger) -> SquaresUnderstood | None:
        """Make the tracker continue the game of the log, with its set-up, and return its understanding.

        None if the log holds no game.
        """
        if ledger.set_up is None:
            return None
        opening = header_from_json(dict(ledger.set_up))
        understood = self.tracker.fix(ledger.turns, ledger.not_these, opening, _confirmed(ledger))
        return self.tracker.confirm() if ledger.confirmed else understood

    def follow(self, ledger: Ledger) -> SquaresUnderstood:
        """Make the tracker take the log's turns as certain, and return its understanding.

        Without a set-up, return the tracker's latest understanding.
        """
        if self.start is None:
            return self.tracker.finish()
        return self.tracker.fix(ledger.turns, ledger.not_these, confirmed=_confirmed(ledger))

    def news(self, understood: SquaresUnderstood, ledger: Ledger) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the entry (kind and data) for the set-up, when it is first read or changes."""
        if understood.opening is not None:
            header = header_to_json(understood.opening)
            if header != ledger.set_up:
                yield EntryKind.SET_UP, {"header": header, "confirmed": False, "keep": 0}

    def frame_of(self, turn: SquareTurn, latest: int | None) -> int | None:
        """Return ``latest``, the latest picture's index.

        A turn is reported before its figures have moved, so no earlier picture decides it.
        """
        return latest

    def header(self, ledger: Ledger) -> Mapping[str, Any] | None:
        """Return the record's header, with the set-up; None until it is read."""
        return ledger.set_up

    # -- the view

    def shown(self, understood: SquaresUnderstood, ledger: Ledger) -> Mapping[str, Any]:
        """Return the view's fields for a board of squares, by name."""
        state = understood.state
        played = tuple(
            SquareTurnPlayed(
                one.turn.to_json(), one.step, frame_index, round(_confidence(one, number, ledger), 4)
            )
            for number, (one, frame_index) in enumerate(zip(understood.turns, ledger.frames, strict=True), 1)
        )
        return {
            "start": self.start,
            "state": state,
            "phase": "waiting" if state is None else "playing",
            "played": played,
            "guide": tuple(step.to_json() for step in understood.guide),
            "misplaced": tuple(one.to_json() for one in understood.misplaced),
            "faults": understood.faults,
            "history": still_unkept(ledger.history, lambda line: False),
            "missing": understood.missing,
            "outcome": "" if state is None else self._game.records.outcome(state).text,
            "winners": (),
            "confirmed": ledger.confirmed,
        }

    def faults(self, understood: SquaresUnderstood) -> tuple[Mapping[str, Any], ...]:
        """Return the misplaced pieces and illegal moves as JSON: each a message, in English and as data."""
        return tuple({"message": text, "said": text.to_json()} for text in understood.messages)

    def camera_note(self, view: SquareView) -> tuple[Message, object]:
        """Return the camera's message or the missing parts of the set-up, and a value for comparison.

        The value has everything that no other event carries. Its change triggers the event ``camera``.
        """
        drawn = (view.missing, view.guide, view.phase, view.start, view.confirmed)
        return view.camera.message or view.missing, drawn

    def ending(self, view: SquareView) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the view's fields at the end of the game, and the data of the event ``end``."""
        value: Mapping[str, Any] = {}
        if view.state is not None:
            value = self._game.records.outcome(view.state).value
        winner = value.get("winner")
        changes = {
            "guide": (),
            "misplaced": (),
            "faults": (),
            "winners": () if winner is None else (winner,),
        }
        return changes, {**value, "outcome": view.outcome}

    def turn_cells(self, view: SquareView, turn_no: int) -> Sequence[Cell]:
        """Return the pawn's squares before and after turn ``turn_no`` (from 1), with their neighbours."""
        before = view.played[turn_no - 2].step.state if turn_no > 1 else view.start
        after = view.played[turn_no - 1].step.state
        assert before is not None
        squares = [
            figure.square
            for state in (before, after)
            for figure in state.figures
            if figure.kind == self._game.pawn and figure.name == before.player
        ]
        return cells_around(squares, len(before.terrain))

    # -- commands

    def questions(self, understood: SquaresUnderstood, ledger: Ledger) -> tuple[Question, ...]:
        """Return the question whether the set-up is right, until people confirm it or a turn is played.

        Then: whether the last turn was taken back, or the game is over, if it looks so.
        """
        if understood.turns:
            return self._scene.questions(understood.scene, ledger.turns)
        if understood.state is None or ledger.confirmed:
            return ()
        options = (Option(YES, Message("Yes, begin")), Option(AGAIN, Message("No, read it again")))
        return (Question(SET_UP_QUESTION, ASK_SET_UP, options),)

    def answer(
        self, question: Question, option_id: str, understood: SquaresUnderstood, ledger: Ledger
    ) -> Order[SquaresUnderstood]:
        """Return the order for the answer ``option_id``; about the set-up: confirm it, or read it again."""
        if question.id.startswith(SCENE):
            return scene_order(self._scene, option_id, understood, ledger)
        if option_id == AGAIN:
            return Order(track=self.tracker.forget)
        data = {"header": ledger.set_up, "confirmed": True, "keep": 0}
        return Order(EntryKind.SET_UP, data, self.tracker.confirm)

    def correct_board(
        self, correction: BoardCorrection, understood: SquaresUnderstood | None, ledger: Ledger
    ) -> Order[SquaresUnderstood]:
        """Return the order for another set-up, or for overruling the camera on misplaced figures.

        Raises Refusal for any other correction, and for a set-up that is not legal.
        """
        match correction:
            case SetUp():
                return _set_up_corrected(self._game, self._pack, self.tracker, correction, ledger)
            case Overrule():
                return Order(track=self.tracker.overrule)
            case SetScores():
                raise Refusal(
                    "no_scores", Message("points follow from the moves here: correct the move instead")
                )
            case SetOpening():
                raise Refusal("no_opening", Message("this game was followed from its beginning"))

    def read_turn(self, line: Mapping[str, object]) -> Any:
        """Return a record line as the game's turn. Raises FieldError if it is invalid."""
        return self._game.records.read_line(line)

    def refused_turns(self, known: Sequence[Any], at: int, kept: Sequence[Any]) -> Sequence[Any]:
        """Return the turn at index ``at`` of ``known`` if ``kept`` lacks it there; otherwise an empty list.

        Its pawn may still be on that square.
        """
        gone = at < len(known) and known[at] not in kept[at : at + 1]
        return [known[at]] if gone else ()


def _confirmed(ledger: Ledger) -> int:
    """Return the number of the last turn that people confirmed; 0 without one."""
    return max(ledger.sure, default=0)


def _confidence(turn: SquareTurn, number: int, ledger: Ledger) -> float:
    """Return the current confidence in a turn.

    It is the log's doubt, otherwise 1 if people confirmed the turn, otherwise the tracker's confidence.
    """
    doubt = ledger.doubts.get(number)
    return doubt.confidence if doubt is not None else 1.0 if number in ledger.sure else turn.confidence


def _no_reseating(turn: Any, player: str, *, recolored: bool) -> None:
    """Return None, because no turn can go to another player: the pawn determines the player."""


def _no_seating(
    game: SquareGame, players: tuple[str, ...], turns: Sequence[Any], ledger: Ledger, /
) -> Edited[Any]:
    """Raise Refusal: the rules fix the players and their order."""
    message = Message("in this game the order is always {player}", player=game.colors)
    raise Refusal("players", message)


def _no_bare_turn(position: Any, turn: Any, /) -> None:
    """Return None, because turns lay no pieces on squares."""


def _set_up_corrected(
    game: SquareGame, pack: Pack, tracker: SquareTracker, told: SetUp, ledger: Ledger
) -> Order[SquaresUnderstood]:
    """Return the order for the set-up ``told``, corrected by people; turns that stay legal are kept.

    Raises Refusal if it cannot be read or is not legal, or if a turn that people confirmed does not stay.
    """
    try:
        seen = game.opening_seen(tracker.opening, told.terrain, told.figures)
        opening = header_from_json(header_to_json(seen))  # input from people is validated like a record
        state = game.start(opening, pack)
    except IllegalTurn as error:
        raise Refusal("illegal", message_of(error)) from None
    except (FieldError, GameError) as error:
        message = Message("this set-up cannot be read: {reason}", reason=message_of(error))
        raise Refusal("unreadable", message) from None
    kept = kept_from(state, ledger)

    def track() -> SquaresUnderstood:
        tracker.confirm()
        return tracker.fix(kept, (), opening, _confirmed(ledger))

    data = {"header": header_to_json(opening), "confirmed": True, "keep": len(kept)}
    return Order(EntryKind.SET_UP, data, track)
