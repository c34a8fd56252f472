"""Past tables: the table as it was after an earlier turn."""

from __future__ import annotations

from dataclasses import replace

from web.views.table import TableView


def view_after(view: TableView, turn_no: int) -> TableView:
    """The view after turn ``turn_no`` (0: before the first), as if nothing had come since.

    The camera's word and what may be done now stay those of the present. ValueError where there is no such
    turn.
    """
    if not 0 <= turn_no <= len(view.played):
        raise ValueError(f"there is no turn {turn_no}")
    if turn_no == len(view.played):
        return view
    played = view.played[:turn_no]
    state = played[-1].after if played else view.start
    return replace(
        view,
        state=state,
        phase="playing",
        played=played,
        # A game may be watched from its middle: the engine's own number of the last turn counts.
        events=tuple(event for event in view.events if event.turn <= state.turn_no),
        final=None,
        faults=(),
    )
