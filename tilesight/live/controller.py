"""Controller of a live table: views and commands, for any kind of board."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Generic

from engine.jsonvalue import FieldError
from engine.message import Message, message_of
from tilesight.inference.protocols import UnderstoodT
from tilesight.live.album import Shot, crop_jpeg, jpeg_of
from tilesight.live.board import BoardStrategy, Order, SeenT, said
from tilesight.live.journal import Journal
from tilesight.live.publication import Publication, ViewT
from tilesight.live.watched_game import WatchedGame
from tilesight.table_log.event_fold import LET_GO, EntryKind
from tilesight.table_log.history import Edited, History
from tilesight.table_log.recoloring import recolored as with_colors
from web.table.correction import (
    ChangePlayer,
    Correction,
    InsertTurns,
    LetGo,
    MoveTurn,
    RemoveTurn,
    ReorderTurns,
    ReplaceTurn,
    TurnEdit,
)
from web.table.feed import Feed
from web.table.pictures import Picture
from web.table.question import Question
from web.table.refusal import Refusal
from web.table.seats import Seat
from web.table.table import Export
from web.table.view import GameSpan

NO_COLORS: Mapping[str, str] = MappingProxyType({})
"""Empty mapping of colours, for edits in which no player's colour changes."""


class TableController(Generic[UnderstoodT, ViewT, SeenT]):
    """A watched table (web.table.table.WatchedTable) as the pages use it.

    ``game`` receives the pictures, this class receives people's commands. Every command raises Refusal if it
    cannot be carried out.
    """

    def __init__(
        self,
        board: BoardStrategy[UnderstoodT, ViewT, SeenT],
        journal: Journal,
        publication: Publication[ViewT],
    ) -> None:
        """Open the table. Raises StoreError if the log is inconsistent."""
        self._board = board
        self.game = WatchedGame(board, journal, publication)

    # -- reading (web.table.table.WatchedTable) ------------------------------------------------

    def watch(self) -> Feed:
        """Return the table's feed of events, to which pages subscribe."""
        return self.game.publication.feed

    def state(self) -> ViewT:
        """Return the current view."""
        return self.game.publication.view

    def questions(self) -> tuple[Question, ...]:
        """Return the open questions; empty for a recording."""
        return self.game.publication.asked

    def span(self) -> GameSpan:
        """Return the start and the length of the game; of a recording, the length of its pictures."""
        began_s, played_s = self.game.journal.span
        if self.game.journal.live:
            return GameSpan(began_s, played_s)
        latest = self.game.album.latest
        return GameSpan(began_s, 0.0 if latest is None else latest.frame.t_s, recorded=True)

    def picture(self) -> Picture | None:
        """Return the camera's latest picture with what was recognised in it; None before the first."""
        latest = self.game.album.latest
        if latest is None:
            return None
        return self.game.album.framed(latest, self._board.picture(latest, self.state()))

    def crop(self, turn_no: int) -> bytes:
        """Return the part of the picture from which a turn was understood, as JPEG.

        Raises Refusal if there is no such turn, or no picture of it.
        """
        with self.game.lock:
            shot = _shot(self, turn_no)
            cells = self._board.turn_cells(self.state(), turn_no)
        return crop_jpeg(shot, cells)

    def photo(self, turn_no: int) -> bytes:
        """Return the whole picture from which a turn was understood, as JPEG; 0: the position before turn 1.

        Raises Refusal if there is no such turn, or no picture of it.
        """
        with self.game.lock:
            return jpeg_of(_shot(self, turn_no).image)

    def question_crop(self, question_id: str) -> bytes:
        """Return the part of the picture that one of the latest questions is about, as JPEG.

        Recently closed questions count too, because a phone may ask late. If the question is about the whole
        table, the whole latest picture is returned. Raises Refusal if the question or its picture is no
        longer kept.
        """
        asked = self.game.asking.pictures.get(question_id)
        if asked is None:
            raise Refusal("unknown_question", Message("this question is not open any more"))
        question, shot = asked
        if not question.cells:
            picture = self.picture()
            if picture is not None:
                return picture.jpeg()
        if shot is None:
            raise Refusal("unknown_picture", Message("no picture is kept of this question"))
        return crop_jpeg(shot, question.cells)

    def export(self) -> Export:
        """Return the game record so far as JSON Lines; empty until the opening position is read."""
        with self.game.lock:
            ledger = self.game.journal.ledger
            header = self._board.header(ledger)
            lines: list[Mapping[str, Any]] = []
            if header is not None:
                ended = [{"end": True}] if ledger.ended else []
                lines = [header, *(line.to_json() for line in ledger.record_lines), *ended]
            number = self.game.journal.number
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        return Export("table.game.jsonl", "application/jsonl", text.encode(), number)

    # -- commands -------------------------------------------------------------------------------

    def answer(self, question_id: str, option_id: str) -> None:
        """Answer an open question with one of its options.

        Raises Refusal if either is unknown. The option "none of these" is also refused if other turns have
        followed; the turn must then be corrected.
        """
        with self.game.lock:
            question = next((q for q in self.questions() if q.id == question_id), None)
            understood = self.game.understood
            if question is None or understood is None:
                raise Refusal("unknown_question", Message("this question is not open any more"))
            if option_id not in [option.id for option in question.options]:
                raise Refusal("unknown_option", Message("this question has no such answer"))
            if question_id in self.game.asking.kept:
                # Keep the turns that followed: the tracker no longer doubts them.
                turn = next(option.turn for option in question.options if option.id == option_id)
                if turn is None or question.turn_no is None:
                    raise Refusal("incomplete", Message("say which turn is to be corrected, and how"))
                order = self._turns_edited(ReplaceTurn(question.turn_no, turn.to_json()))
            else:
                ledger = self.game.journal.ledger
                order = self._board.answer(question, option_id, understood, ledger)
            self.game.carry_out(replace(order, answers=question_id))

    def correct(self, correction: Correction) -> None:
        """Edit the turns, or correct something that only this kind of board has.

        Later turns are kept if they stay legal; the view's ``history`` names the dropped ones. Raises Refusal
        if the game is over or the correction is impossible.
        """
        with self._live():
            ledger = self.game.journal.ledger
            if ledger.ended:
                raise Refusal("over", Message("the game is over; undo its end first"))
            if isinstance(correction, TurnEdit):
                order = self._turns_edited(correction)
            elif isinstance(correction, LetGo):
                order = said(ledger.turns, ledger.turns, (), {"what": LET_GO})
            else:
                order = self._board.correct_board(correction, self.game.understood, ledger)
            self.game.carry_out(order)

    def _turns_edited(self, edit: TurnEdit) -> Order[UnderstoodT]:
        """Return the order for an edit of the turns. Raises Refusal if the edit is impossible."""
        number, known = edit.turn_no, self.game.journal.ledger.turns
        what, edited, stated = _edited(self.game, edit)
        gone: Sequence[Any] = ()
        if isinstance(edit, RemoveTurn):
            gone = [known[number - 1]]  # its tile may still be on the table
        elif isinstance(edit, ReplaceTurn):
            gone = self._board.refused_turns(known, number - 1, edited.turns)
        sure = list(range(number, number + stated))
        about = {"what": what, "turn": number, "sure": sure, **edited.to_json()}
        order = said(known, edited.turns, gone, about)
        confirm, understood = self._board.confirm, self.game.understood
        match edit:
            case ReplaceTurn() if confirm and understood is not None and list(edited.turns) == list(known):
                return replace(order, track=lambda: confirm(known, number, understood))
            case ReorderTurns() if _asked_for_order(self, edit.order):
                return replace(order, track=lambda: _answered(self._board, edited.turns, number, stated))
        return order

    def seat(self, color: str, name: str) -> None:
        """Give the player with ``color`` another name. Raises Refusal if no player has that colour."""
        with self._live():
            if color not in [seat.color for seat in self.state().seats]:
                raise Refusal("unknown_player", Message("nobody plays {player}", player=color))
            if name not in [seat.name for seat in self.state().seats if seat.color == color]:
                self.game.rename(color, name)

    def seats(self, seats: Sequence[Seat], recolored: Mapping[str, str] = NO_COLORS) -> None:
        """Set the players in turn order.

        Before a player's second turn, names, order and the set of players may change. Colours may change at
        any time (``recolored``: new ones by old ones). Raises Refusal for other changes, or if two players
        share a colour.
        """
        with self._live():
            ledger = self.game.journal.ledger
            players, names = tuple(seat.color for seat in seats), {seat.color: seat.name for seat in seats}
            if len(names) < len(players):
                raise Refusal("players", Message("every player needs a colour of their own"))
            now = {seat.color: seat.name for seat in self.state().seats}
            colors = _new_colors(recolored, now, players)
            after = tuple(colors.get(color, color) for color in now)
            if colors:
                now = {color: names.get(color, name) for color, name in zip(after, now.values(), strict=True)}
                ledger = with_colors(ledger, colors, now)
                self._board.seated(after, ledger.turns, ledger)  # raises Refusal before anything is written
            if players != after and ledger.ended:
                raise Refusal("over", Message("the game is over; undo its end first"))
            # One change is one entry, and so one step of undo.
            if players != after:
                edited = self._board.seated(players, ledger.turns, ledger)
                told = {"what": "players", "turn": 1, "players": list(players), "names": names}
                told |= {"colors": colors} if colors else {}
                self.game.carry_out(said(ledger.turns, edited.turns, (), {**told, **edited.to_json()}))
            elif colors:
                self.game.carry_out(Order(EntryKind.RECOLORED, {"colors": colors, "names": names}))
            else:
                for color in players:
                    if names[color] != now[color]:
                        self.game.rename(color, names[color])

    def pause(self, paused: bool) -> None:
        """Pause the game, so that pictures change nothing, or resume it.

        Raises Refusal if the game is over.
        """
        with self._live():
            if self.game.ended:
                raise Refusal("over", Message("the game is over"))
            self.game.pause(paused)

    def undo(self, entry: int | None = None) -> None:
        """Undo the end of the game, the last correction, or the last turn.

        Raises Refusal if there is nothing to undo, or something else than in the view with ``entry``.
        """
        with self._live():
            _check_step(self.game, entry)
            if not self.game.journal.ledger.can_undo:
                raise Refusal("nothing_to_undo", Message("there is nothing to take back"))
            self.game.carry_out(Order(EntryKind.UNDONE))

    def redo(self, entry: int | None = None) -> None:
        """Redo what was undone last.

        Raises Refusal if there is nothing to redo, or something else than in the view with ``entry``.
        """
        with self._live():
            _check_step(self.game, entry)
            if not self.game.journal.ledger.undone:
                raise Refusal("nothing_to_redo", Message("nothing was taken back"))
            self.game.carry_out(Order(EntryKind.REDONE))

    def end(self) -> None:
        """End the game now and score it. Raises Refusal if it is over or has no position yet."""
        with self._live():
            if self.game.ended:
                raise Refusal("over", Message("the game is over"))
            if self.state().state is None:
                raise Refusal("over", Message("the game cannot be ended before the set-up was read"))
            self.game.end("people")

    @contextmanager
    def _live(self) -> Iterator[None]:
        """Hold the game's lock while the ``with`` block runs. Raises Refusal for a recording (read-only)."""
        if not self.game.journal.live:
            raise Refusal("recording", Message("this table replays a recording, which cannot be changed"))
        with self.game.lock:
            yield


def _new_colors(
    recolored: Mapping[str, str], now: Mapping[str, str], players: Sequence[str]
) -> dict[str, str]:
    """Return the entries of ``recolored`` that change a colour, new ones by old ones.

    ``now`` maps the present colours to names; ``players`` are the colours afterwards. Raises Refusal for an
    unknown colour, and if two players would share a colour.
    """
    if unknown := sorted(set(recolored) - set(now)):
        raise Refusal("unknown_player", Message("nobody plays {player}", player=unknown[0]))
    colors = {was: color for was, color in recolored.items() if was != color}
    after = [colors.get(color, color) for color in now]
    if len(set(after)) < len(after) or not set(colors.values()) <= set(players):
        raise Refusal("players", Message("every player needs a colour of their own"))
    return colors


def _check_step(game: WatchedGame[Any, Any, Any], entry: int | None) -> None:
    """Raise Refusal if an undo or redo would not do what it did after the log's entry ``entry``.

    Two people who undo the same turn, or one who clicks twice, take back that turn alone.
    """
    journal = game.journal
    if entry is not None and not journal.stepped <= entry <= journal.number:
        raise Refusal("changed", Message("the game has changed meanwhile; look again"))


def _edited(game: WatchedGame[Any, Any, Any], edit: TurnEdit) -> tuple[str, Edited[Any], int]:
    """Return the kind of log entry for an edit, the turns after it, and the number of certain turns.

    Raises Refusal if the edit is impossible.
    """
    history = History(game.journal.ledger.turns, game.state_before, game.board.reseat, game.board.bare)
    match edit:
        case ReplaceTurn(number, line):
            return "correct", history.replaced(number, _read(game.board, line)), 1
        case RemoveTurn(number):
            return "remove", history.removed(number), 0
        case InsertTurns(number, lines):
            turns = [_read(game.board, line) for line in lines]
            return "insert", history.inserted(number, turns), len(turns)
        case ReorderTurns(number, order):
            return "order", history.reordered(number, order), len(order)
        case MoveTurn(number, to):
            return "move", history.moved(number, to), 0
        case ChangePlayer(number, player):
            return "player", history.given_to(number, player), 0


def _asked_for_order(table: TableController[Any, Any, Any], numbers: Sequence[int]) -> bool:
    """Whether a question that the tracker asks now is about the order of exactly the turns ``numbers``."""
    kept = table.game.asking.kept
    return sorted(numbers) in [sorted(one.order) for one in table.questions() if one.id not in kept]


def _answered(
    board: BoardStrategy[UnderstoodT, Any, Any], turns: Sequence[Any], number: int, asked: int
) -> UnderstoodT:
    """Return the understanding after an answer that states ``asked`` turns, the first of them ``number``.

    The turns are passed to the tracker one by one, because it takes only the last turn of a call as stated by
    people.
    """
    for known in range(number, number + asked):
        board.tracker.fix(turns[:known])
    return board.tracker.fix(turns)


def _shot(table: TableController[Any, Any, Any], turn_no: int) -> Shot:
    """Return the picture kept for a turn, or for the position before the first (0).

    Raises Refusal if there is no such turn or no picture.
    """
    if not 0 <= turn_no <= len(table.state().played):
        raise Refusal("unknown_turn", Message("there is no turn {turn}", turn=turn_no))
    shot = table.game.journal.shot(turn_no)
    if shot is None:
        raise Refusal("unknown_picture", Message("no picture is kept of turn {turn}", turn=turn_no))
    return shot


def _read(board: BoardStrategy[Any, Any, Any], line: Mapping[str, object]) -> Any:
    """Return a record line as a turn. Raises Refusal if it is invalid."""
    try:
        return board.read_turn(line)
    except FieldError as error:
        message = Message("this turn cannot be read: {reason}", reason=message_of(error))
        raise Refusal("unreadable", message) from None
