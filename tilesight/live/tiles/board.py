"""Board strategy of tile games: tracking, view and corrections of a table of tiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

from engine.games import read_turn, tile_game_named
from engine.geometry import Cell
from engine.message import Message
from engine.notation import write_position
from engine.tiles.game import GameState, ScoreEvent
from engine.tiles.seen_position import UnseenState
from engine.tiles.turn import Turn, tile_of
from tilesight.inference.opening import OpeningTracker
from tilesight.inference.protocols import Tracker
from tilesight.inference.understanding import Understanding, UnderstoodTurn
from tilesight.live.album import RecognisedPicture
from tilesight.live.asking.scene import SCENE, SceneQuestions
from tilesight.live.board import Confirm, Order, SeatPlayers, check_confirmed, said, scene_order
from tilesight.live.tiles.opening import (
    AGAIN,
    OPENING,
    opened_order,
    opening_header,
    opening_questions,
    told_order,
)
from tilesight.live.tiles.pictures import SeenTiles, board_to_px, cells_of, picture_of
from tilesight.live.tiles.seating import Seating, start_of
from tilesight.live.tiles.stray_colors import QUESTION as STRAY
from tilesight.live.tiles.stray_colors import StrayColors, stray_order
from tilesight.live.tiles.turn_questions import turn_questions
from tilesight.table_log.event_fold import EntryKind, Ledger
from tilesight.table_log.history import Bare, Reseat, still_unkept
from vision.observation import Frame, Observation
from web.table.correction import BoardCorrection, Overrule, SetOpening, SetScores, SetUp
from web.table.pictures import Picture
from web.table.question import Question
from web.table.refusal import Refusal
from web.table.view import Alternative, PlayedTurn, TableView

TURNS_LISTED = 400
"""Maximum number of turns that are searched for one without a piece, as a bound on work."""


class TileBoard:
    """A board of tiles laid edge to edge (tilesight.live.board.BoardStrategy).

    ``start`` is the position before turn 1, unless the camera finds a game under way. ``header_line`` is the
    record's first line. ``tracker`` replaces the default one. ``told`` is the information of people about a
    game under way.
    """

    def __init__(
        self,
        start: GameState,
        header_line: Mapping[str, Any],
        tracker: Tracker[Understanding] | None = None,
        told: UnseenState | None = None,
    ) -> None:
        self._start = start
        self.tracker: Tracker[Understanding] = tracker or OpeningTracker(start, told)
        self._seating = Seating(start, header_line, _reseated)
        self.seated: SeatPlayers = self._seating.seated
        self.reseat: Reseat = _reseated
        self.bare: Bare = _without_piece
        self.confirm: Confirm[Understanding] | None = partial(_confirmed, self)
        game = tile_game_named(str(start.pack.game))
        self._strays = StrayColors((*game.colors, *game.more_colors))
        self._told = told
        self._looked = False
        self._scene = SceneQuestions()
        self._pictured: tuple[object, object, Picture] | None = None

    @property
    def start(self) -> GameState:
        """The position before turn 1: the game's own opening, or the one that the camera found."""
        return self.tracker.start if isinstance(self.tracker, OpeningTracker) else self._start

    # -- the camera

    def look(
        self, frame: Frame, observation: Observation, understood: Understanding
    ) -> RecognisedPicture[SeenTiles]:
        """Return a picture with the tiles and pieces recognised in it, for the album.

        Pieces in colours that no player has are recorded for the questions.
        """
        self._strays.see(observation, understood)
        seen = SeenTiles(observation, understood.lattice)
        return RecognisedPicture(frame, seen, board_to_px(observation, understood.lattice))

    def picture(self, look: RecognisedPicture[SeenTiles], view: TableView) -> Picture:
        """Return a picture with its overlay, computed once per ``look`` and position."""
        made = self._pictured
        if made is None or made[0] is not look or made[1] is not view.state:
            made = (look, view.state, picture_of(look, view.state.board))
            self._pictured = made
        return made[2]

    def unclear(self, understood: Understanding) -> tuple[Message, tuple[Cell, ...]] | None:
        """Return (message, cells) of tiles that no legal turn explains; None if there are none."""
        unclear = understood.unclear
        return None if unclear is None else (unclear.message, unclear.cells)

    # -- the log

    def resume(self, ledger: Ledger) -> Understanding | None:
        """Make the tracker continue the game of the log, and return its understanding.

        None if the log holds no game.
        """
        _seat(self, ledger)
        if ledger.set_up is not None and isinstance(self.tracker, OpeningTracker):
            self.tracker.begin(start_of(ledger.set_up, self._start.pack), ledger.turns)
            return _recalled(self, ledger)
        begun = bool(ledger.turns or ledger.not_these or ledger.by_hand or ledger.reseated)
        return _recalled(self, ledger) if begun else None

    def follow(self, ledger: Ledger) -> Understanding:
        """Make the tracker take the log's turns and players as certain, and return its understanding."""
        _seat(self, ledger)
        return self.tracker.fix(ledger.turns, ledger.not_these)

    def news(self, understood: Understanding, ledger: Ledger) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the entries (kind and data) that a picture causes in addition to its turns.

        There is one for the table before turn 1, once it is seen, and one for the opening position of a game
        under way.
        """
        opening = understood.opening
        if opening is not None and not ledger.confirmed:
            header = opening_header(self._seating.header_line, opening.state)
            if header != ledger.set_up:
                self._looked = True
                yield EntryKind.SET_UP, {"header": header, "confirmed": False, "keep": 0}
        if not self._looked and understood.board_seen:
            if not ledger.turns:
                yield EntryKind.LOOKED, {}
            self._looked = True

    def frame_of(self, turn: UnderstoodTurn, latest: int | None) -> int | None:
        """Return the index of the picture that shows a turn finished; None if no picture did."""
        return turn.frame_index

    def header(self, ledger: Ledger) -> Mapping[str, Any] | None:
        """Return the record's header, with the opening position of a game under way."""
        return ledger.set_up or self._seating.header_line

    # -- the view

    def shown(self, understood: Understanding, ledger: Ledger) -> Mapping[str, Any]:
        """Return the view's fields for a board of tiles, by name."""
        laid = {(turn.turn.tile, turn.turn.cell) for turn in understood.turns}
        by_hand: Counter[str] = Counter()
        for event in ledger.by_hand:
            by_hand[event.player] += event.points
        opening = understood.opening
        return {
            "phase": "playing",
            "final": None,
            **self._seating.shown(ledger),
            "start": self.start,
            "opening": "" if opening is None else write_position(str(self._start.pack.game), opening.state),
            "confirmed": opening is None or ledger.confirmed,
            "state": understood.state,
            "played": tuple(_played(turn, number, ledger) for number, turn in enumerate(understood.turns, 1)),
            "events": (*numbered(events_of(understood.turns), self.start), *ledger.by_hand),
            "by_hand": dict(by_hand),
            "faults": understood.unclear.faults if understood.unclear is not None else (),
            "history": still_unkept(
                ledger.history, lambda line: (tile_of(line), tuple(line["cell"])) in laid
            ),
        }

    def faults(self, understood: Understanding) -> tuple[Mapping[str, Any], ...]:
        """Return the faults of an illegal tile on the table as JSON; empty if there are none."""
        unclear = understood.unclear
        return () if unclear is None else tuple(fault.to_json() for fault in unclear.faults)

    def camera_note(self, view: TableView) -> tuple[Message, object]:
        """Return the camera's message twice, because its change triggers the event ``camera``."""
        return view.camera.message, view.camera.message

    def ending(self, view: TableView) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the view's field ``final`` at the end of the game, and the data of the event ``end``.

        The scores include the points added or removed by hand.
        """
        final = view.state.final().plus(view.by_hand)
        data = {
            "final": dict(final.scores),
            "winners": list(final.winners),
            "events": [event.to_json() for event in final.events],
        }
        return {"final": final}, data

    def turn_cells(self, view: TableView, turn_no: int) -> Sequence[Cell]:
        """Return the cells of the tile and of the pieces of turn ``turn_no`` (from 1)."""
        return cells_of(view.played[turn_no - 1].turn)

    # -- commands

    def questions(self, understood: Understanding, ledger: Ledger) -> tuple[Question, ...]:
        """Return the open questions.

        They ask whether the last turn was taken back or the game is over, which of a few turns was played,
        whether a game under way continues from the position that was read, and which player has the pieces of
        an unknown colour.
        """
        about = () if ledger.confirmed else opening_questions(understood.opening)
        strays = self._strays.questions(self._seating.seats(ledger), ledger.strays)
        scene = self._scene.questions(understood.scene, ledger.turns)
        about_turns = turn_questions(understood, self._start.pack, ledger.sure)
        return (*scene, *about_turns, *about, *strays)

    def answer(
        self, question: Question, option_id: str, understood: Understanding, ledger: Ledger
    ) -> Order[Understanding]:
        """Return the order for the answer with id ``option_id`` to one of `questions`."""
        if question.id == OPENING:
            assert isinstance(self.tracker, OpeningTracker)
            if option_id == AGAIN:
                check_confirmed(ledger, 0)
                return Order(track=self.tracker.forget)
            return opened_order(self.tracker, self._seating.header_line, self.start, ledger)
        if question.id.startswith(SCENE):
            return scene_order(self._scene, option_id, understood, ledger)
        if question.id.startswith(STRAY):
            return stray_order(question, option_id, ledger.names, understood)
        assert question.turn_no is not None
        told = next(option.turn for option in question.options if option.id == option_id)
        offered = [option.turn for option in question.options if option.turn is not None]
        before = ledger.turns[: question.turn_no - 1]
        if told is None:
            return said(ledger.turns, before, offered, {"what": "answer", "none_of": question.turn_no})
        others = [turn for turn in offered if turn != told]
        sure = [question.turn_no]
        return said(ledger.turns, [*before, told], others, {"what": "answer", "sure": sure})

    def correct_board(
        self, correction: BoardCorrection, understood: Understanding | None, ledger: Ledger
    ) -> Order[Understanding]:
        """Return the order for scores set by hand or for a corrected opening position.

        Raises Refusal for any other correction, and if it is impossible.
        """
        match correction:
            case SetScores(scores):
                return _scores_set(scores, self.start, understood, ledger)
            case SetOpening():
                return told_order(self.tracker, self._seating.header_line, correction, ledger)
            case SetUp() | Overrule():
                raise Refusal("incomplete", Message("tiles have no set-up: correct a turn or the scores"))

    def read_turn(self, line: Mapping[str, object]) -> Turn:
        """Return a record line as a turn, of any game. Raises FieldError if it is invalid."""
        return read_turn(line)

    def refused_turns(self, known: Sequence[Turn], at: int, kept: Sequence[Turn]) -> Sequence[Turn]:
        """Return the turn at index ``at`` if it was removed from the end: its tile is still on the table.

        Otherwise (). Raises Refusal if turns after a correction of drawn animal tiles were dropped.
        """
        if len(kept) <= at:
            return [known[at]]
        if at < len(known) and len(kept) < len(known) and known[at].seen == kept[at].seen:
            message = Message("animal tiles played later were none of those: correct these turns first")
            raise Refusal("draws_disagree", message)
        return ()


def _scores_set(
    scores: Mapping[str, int], start: GameState, understood: Understanding | None, ledger: Ledger
) -> Order[Understanding]:
    """Return the order that adds or removes points by hand, so that the players have these ``scores``.

    Raises Refusal for a colour that no player has. If no score changes, nothing is logged.
    """
    unknown = [color for color in scores if color not in start.players]
    if unknown:
        raise Refusal("unknown_player", Message("nobody plays {player}", player=unknown[0]))
    now = Counter(understood.state.scores if understood is not None else start.scores)
    for event in ledger.by_hand:
        now[event.player] += event.points
    points = {color: score - now[color] for color, score in scores.items() if score != now[color]}
    if not points and understood is not None:
        return Order(track=lambda: understood)
    return Order(EntryKind.SCORED, {"turn": len(ledger.turns), "points": points})


def _recalled(board: TileBoard, ledger: Ledger) -> Understanding:
    """Make the tracker go on after the log's turns; the last one is certain only if people stated it."""
    confirmed = max(ledger.sure, default=0)
    return board.tracker.fix(ledger.turns, ledger.not_these, confirmed=confirmed)


def _seat(board: TileBoard, ledger: Ledger) -> None:
    """Follow the game with the log's players, if people changed them after it began.

    The board then gets a new tracker that knows no turns.
    """
    if not board._seating.follow(ledger):
        return
    board._start = board._seating.start
    told = board._told
    if told is not None and not {told.to or board._start.player, *told.scores, *told.hands} <= {
        *board._start.players
    }:
        told = None  # it names colours that no player has any more
    board.tracker = OpeningTracker(board._start, told)
    if ledger.set_up is not None:
        board.tracker.begin(start_of(ledger.set_up, board._start.pack), ())


def _confirmed(
    board: TileBoard, turns: Sequence[Turn], number: int, understood: Understanding
) -> Understanding:
    """Make the tracker take turn ``number`` of ``turns`` as confirmed by people; return its understanding.

    Later turns stay open if the tracker still reports the same ones, otherwise all become certain. For a
    settled turn, nothing changes.
    """
    if number <= understood.settled:
        return understood
    now = board.tracker.fix(turns[:number])
    later = [turn.turn for turn in now.turns[: len(turns)]]
    return now if later == list(turns) else board.tracker.fix(turns)


def events_of(turns: Sequence[UnderstoodTurn]) -> tuple[ScoreEvent, ...]:
    """Return all scoring events of some turns, in order."""
    return tuple(event for turn in turns for event in turn.step.events)


def numbered(events: Sequence[ScoreEvent], start: GameState) -> tuple[ScoreEvent, ...]:
    """Return scoring events whose turn numbers count from turn 1 after ``start``."""
    return tuple(replace(event, turn=event.turn - start.turn_no) for event in events)


def _reseated(turn: Turn, player: str, *, recolored: bool) -> Turn | None:
    """Return the turn as that of ``player``, without the animal tiles that it drew.

    None if it has an action. An action is kept if ``recolored``, because then only the colour changes.
    """
    if turn.action is not None and not recolored:
        return None
    return replace(turn.seen, player=player)


def _without_piece(position: GameState, turn: Turn, /) -> Turn | None:
    """Return a turn with the same tile in the same place and no piece; None if the rules allow none."""
    if (turn.cell, turn.rot) not in position.placements(turn.tile):
        return None
    options = islice(position.turns_for(turn.tile, turn.cell, turn.rot), TURNS_LISTED)
    return next(
        (one for one in options if one.action is None and all(put.animal is None for put in one.puts)), None
    )


def _played(turn: UnderstoodTurn, number: int, ledger: Ledger) -> PlayedTurn:
    """Return a turn for the view, with its current confidence and alternatives.

    The confidence is the log's doubt, otherwise 1 if people confirmed the turn, otherwise the tracker's.
    """
    confidence, others = 1.0 if number in ledger.sure else turn.confidence, tuple[Alternative, ...]()
    if (doubt := ledger.doubts.get(number)) is not None:
        confidence, others = doubt.confidence, tuple(Alternative(*one) for one in doubt.others)
    return PlayedTurn(turn.turn, turn.step.state, turn.frame_index, round(confidence, 4), others)
