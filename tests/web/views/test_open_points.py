"""Points that hang on an open question."""

from __future__ import annotations

from dataclasses import replace

from engine.message import Message
from engine.tiles.turn import Turn
from tests.web.fake_table import FakeTable
from web.table.question import Option, Question
from web.table.view import Alternative, TableView
from web.views.open_points import open_points
from web.views.tile_json import state_json


def question(turn_no: int, *turns: Turn) -> Question:
    options = [Option(str(n), Message(""), turn) for n, turn in enumerate(turns)]
    return Question("q1", Message("?"), (*options, Option("other", Message(""))), turn_no=turn_no)


def scored_by_somebody() -> tuple[TableView, int, str]:
    """A game in which the last turn gave points: the turn's number, and whom."""
    table = FakeTable()
    while not any(event.turn == len(table.view.played) for event in table.view.events):
        table.play()
    return table.view, len(table.view.played), table.view.events[-1].player


def others_of(view: TableView, turn_no: int) -> list[Turn]:
    """Other legal turns with the same tile."""
    before = view.start if turn_no == 1 else view.played[turn_no - 2].after
    told = view.played[turn_no - 1].turn
    return [
        turn
        for cell, rot in before.placements(told.tile)
        for turn in before.turns_for(told.tile, cell, rot)
        if turn != told
    ]


def test_scores_that_another_answer_would_give_are_told() -> None:
    view, turn_no, player = scored_by_somebody()
    before = view.played[turn_no - 2].after.scores[player]
    quiet = next(t for t in others_of(view, turn_no) if not view.played[turn_no - 2].after.apply(t).events)
    found = open_points(view, [question(turn_no, view.played[turn_no - 1].turn, quiet)])
    told = {"question": "q1", "option": "1", "turn": turn_no, "line": quiet.to_json()}
    assert found.may_be[player] == [{"score": before, **told}]
    assert found.at_stake["q1"] >= view.state.scores[player] - before > 0
    players = state_json(view, [question(turn_no, quiet)], 0)["players"]
    assert next(one for one in players if one["color"] == player)["may_be"][0]["score"] == before


def test_answers_that_change_no_score_or_cannot_be_hang_on_nothing() -> None:
    view, turn_no, _ = scored_by_somebody()
    told = view.played[turn_no - 1].turn
    for turns in ((told,), (replace(told, cell=(90, 90)),)):
        assert not any(open_points(view, [question(turn_no, *turns)]).may_be.values())
    assert not any(open_points(view, [question(turn_no + 5, told)]).may_be.values())
    assert not any(open_points(view, []).may_be.values())


def test_an_earlier_turn_leaves_the_later_ones_that_stay_legal() -> None:
    view, _, _ = scored_by_somebody()
    first = view.played[0].turn
    found = open_points(view, [question(1, replace(first, action=None))])
    assert set(found.may_be) == set(view.state.scores)


def test_an_unsure_turn_hangs_points_on_a_score_without_a_question() -> None:
    view, turn_no, player = scored_by_somebody()
    before = view.played[turn_no - 2].after
    quiet = next(turn for turn in others_of(view, turn_no) if not before.apply(turn).events)
    for confidence, open_ in ((0.89, True), (0.9, False)):
        last = replace(view.played[-1], confidence=confidence, alternatives=(Alternative(quiet),))
        found = open_points(replace(view, played=(*view.played[:-1], last)), ())
        scores = [(one["score"], one["turn"], one["question"]) for one in found.may_be[player]]
        assert scores == ([(before.scores[player], turn_no, None)] if open_ else [])
        assert (turn_no in found.at_stake) is open_
