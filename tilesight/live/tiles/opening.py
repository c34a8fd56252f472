"""Opening position of a live tile game that the camera found under way: its question and corrections."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.games import game_named
from engine.message import Message, plain
from engine.notation import NotationError, write_position
from engine.tiles.game import GameState
from engine.tiles.seen_position import UnseenState
from tilesight.inference.opening import OpeningTracker
from tilesight.inference.protocols import Tracker
from tilesight.inference.understanding import SeenOpening, Understanding
from tilesight.live.board import Order, kept_from
from tilesight.table_log.event_fold import EntryKind, Ledger
from web.table.correction import SetOpening
from web.table.question import Option, Question
from web.table.refusal import Refusal

OPENING, YES, AGAIN = "opening", "yes", "again"
"""Ids of the question about the opening position and of its answers."""


def opening_questions(opening: SeenOpening | None) -> tuple[Question, ...]:
    """Return the question whether the game continues from the position read; empty without a position."""
    if opening is None:
        return ()
    number = len(opening.state.board) - len(opening.state.pack.start_designs)
    text = Message("{number} tiles are on the table: does the game go on from here?", number=number)
    options = (Option(YES, Message("Yes, from here")), Option(AGAIN, Message("No, look again")))
    cells = tuple(sorted({*opening.left_out, *opening.doubtful}))
    return (Question(OPENING, text, options, cells, opening.frame_index),)


def opening_header(header_line: Mapping[str, Any], state: GameState) -> dict[str, Any]:
    """Return the record's header ``header_line``, changed to begin with the position ``state``."""
    opening_fields = game_named(str(state.pack.game)).records.header_keys
    value = {key: item for key, item in header_line.items() if key not in opening_fields}
    line = write_position(str(state.pack.game), state)
    return {**value, "players": list(state.players), "position": line}


def told_order(
    tracker: Tracker[Understanding], header_line: Mapping[str, Any], opened: SetOpening, ledger: Ledger
) -> Order[Understanding]:
    """Return the order for people's information about the opening position (``opened``).

    Raises Refusal if the game was not found under way, if a player is unknown, or if the position is
    impossible.
    """
    if not isinstance(tracker, OpeningTracker) or tracker.opening is None:
        raise Refusal("no_opening", Message("this game was followed from its beginning"))
    start = tracker.start
    named = {*opened.scores, *opened.hands, *([opened.to] if opened.to is not None else [])}
    if unknown := sorted(named - set(start.players)):
        raise Refusal("unknown_player", Message("nobody plays {player}", player=unknown[0]))
    told = UnseenState(
        opened.to or start.player,
        {**start.scores, **opened.scores},
        {**start.hands, **opened.hands},
        bool(getattr(start, "extra", False)) if opened.extra is None else opened.extra,
    )
    try:
        state = tracker.position_told(told)
    except NotationError as error:
        message = Message("this position cannot be: {reason}", reason=plain(error.message))
        raise Refusal("illegal", message) from None
    return opened_order(tracker, header_line, state, ledger, scores_told=bool(opened.scores))


def opened_order(
    tracker: OpeningTracker,
    header_line: Mapping[str, Any],
    state: GameState,
    ledger: Ledger,
    *,
    scores_told: bool = False,
) -> Order[Understanding]:
    """Return the order that sets ``state`` as the opening position, with certainty.

    Turns that are still legal are kept; raises Refusal if people confirmed another one. With ``scores_told``,
    the log records that people stated the scores.
    """
    kept = kept_from(state, ledger)
    header = opening_header(header_line, state)
    data = {"header": header, "confirmed": True, "keep": len(kept), "scores_told": scores_told}
    return Order(EntryKind.SET_UP, data, lambda: tracker.begin(state, kept))
