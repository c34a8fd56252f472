"""The bench of whole games: players who answer, the figures, and the program that draws."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.pack import load_pack
from engine.safari.actions import Dig
from models.train.render_record import as_played, start_of
from tests.tilesight.synthetic import CLEAN, film
from tilesight.bench.delay import measure
from tilesight.bench.live import Asking, FollowedGame, bench_live_command, draw_game, logged, summary
from tilesight.sessions.session import read_session
from tilesight.settings import SettingsError
from tilesight.simulation.tile_games import Style, random_game

pytestmark = pytest.mark.long


def test_players_who_answer_bring_a_game_home_that_pictures_leave_open() -> None:
    pack = load_pack("savanna")
    record = random_game(pack, 2, 41, turns=8, style=Style(allow=("meeple",), greedy=0.6), hands_seen=False)
    start = start_of(record, pack)
    twins = replace(CLEAN, twin_gap_nats=0.1)
    pictures = list(film(start, record.turns, twins, 41))
    first: dict[int, int] = {}
    for done, picture in pictures:
        first.setdefault(done, picture.frame_index)
    asking = Asking(start, [(turn, first[n]) for n, turn in enumerate(record.turns, 1)])
    for _, picture in pictures:
        asking.see(picture)
    assert [turn.turn for turn in asking.finish().turns] == list(record.turns)
    assert asking.asked


def test_the_figures_are_of_all_games() -> None:
    played = [FollowedGame(1, 72, 72, True, True, ()), FollowedGame(2, 70, 66, False, True, (3, 9, 12))]
    total = summary(played)
    assert (total["games"], total["turns"], total["turns_exact"]) == (2, 142, 138)
    assert (total["final_exact"], total["final_exact_with_answers"]) == (1, 2)
    assert total["questions_per_game"] == 1.5


def test_games_in_the_log_count_as_played(tmp_path: Path) -> None:
    log = tmp_path / "games.jsonl"
    assert logged(log, range(10)) == []
    played = [FollowedGame(n, 9, 8, n == 1, True, (2,), ((0.9, True), (0.4, False))) for n in (1, 20)]
    log.write_text("".join(json.dumps(one.to_line()) + "\n" for one in played))
    assert logged(log, range(10)) == played[:1]
    log.write_text("nonsense\n")
    with pytest.raises(SettingsError, match="no log of games"):
        logged(log, range(10))


def test_a_drawn_game_is_a_session_with_its_truth(tmp_path: Path) -> None:
    draw_game(tmp_path / "game", "savanna", 77, 2, 2)
    session = read_session(tmp_path / "game")
    assert len(session.frames) >= 3
    assert session.reference is not None
    assert session.rendered
    assert [path.name for path in tmp_path.iterdir()] == ["game"]


def test_without_the_drawing_program_one_line_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(SettingsError, match=r"models\.train\.render_record"):
        draw_game(tmp_path / "game", "savanna", 77, 2, 2)


def test_everything_laid_is_shown_at_least_once() -> None:
    """An animal tile dug into a corner lies bare before its meeple stands on it."""
    pack = load_pack("savanna")
    record = random_game(pack, 2, 4, turns=12, style=Style(allow=("dig", "meeple"), greedy=0.0, idle=0.0))
    start = start_of(record, pack)
    moments = list(as_played(start, record.turns, np.random.default_rng(1), hands=0.0, frames=1))
    dug = [turn.action for turn in record.turns if isinstance(turn.action, Dig)]
    assert dug
    for action in dug:
        shown = [
            {p.kind for p in moment.standing if (p.cell, p.corner) == (action.cell, action.corner)}
            for moment in moments
        ]
        assert {"token"} in shown and {"token", "meeple"} in shown
        assert shown.index({"token"}) < shown.index({"token", "meeple"})


def test_a_phone_hears_every_turn_and_the_delay_is_known() -> None:
    staged = Path(__file__).resolve().parents[3] / "samples" / "staged"
    delays = measure(read_session(staged / "late-piece"), None, fps=1.0)
    assert delays.untold == 0
    assert len(delays.seconds) > 0
    assert delays.percentile_s(50) is not None


def test_a_game_without_tiles_is_refused_in_one_line() -> None:
    with pytest.raises(SettingsError, match="not 'tricky-safari'"):
        bench_live_command(games=1, game="tricky-safari")
