"""Comparison of a replay with its record."""

from __future__ import annotations

from pathlib import Path

from engine.pack import load_pack
from engine.record import write_record
from engine.tiles.turn import Turn
from tests.tile_records import start_of
from tilesight.inference.understanding import turns_taken
from tilesight.sessions.comparison import compare
from tilesight.simulation.tile_games import random_game


def test_points_set_by_hand_are_no_difference(tmp_path: Path) -> None:
    pack = load_pack("savanna")
    record = random_game(pack, 2, 7, turns=6, hands_seen=False)
    start = start_of(record, pack)
    got = turns_taken(start, [line.event for line in record.lines if isinstance(line.event, Turn)], ())
    final = got[-1].step.state.final().scores
    by_hand = f'{{"by_hand":{{"{start.players[0]}":5}}}}'
    header, *lines = write_record(record).splitlines()
    path = tmp_path / "truth.game.jsonl"
    path.write_text("\n".join((header, lines[0], by_hand, *lines[1:])))
    compared = compare(path, start, got, final)
    assert (compared.turns_exact, compared.scores_exact, compared.final_exact) == (6, 6, True)
