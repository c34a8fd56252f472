"""Photographed boards as games."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.games import tile_game_named
from engine.geometry import Cell
from engine.pack import load_pack
from engine.tiles.board import Laid
from tests.tilesight.photograph.test_score import QUAD, meeple
from tilesight.lobby.past import past_table
from tilesight.photograph.keeping import KeepError, Seated, is_complete, kept_entries
from tilesight.table_log.event_store import TableStore, write_log
from vision.board import SeenPiece, SeenTile, SolvedBoard
from vision.geometry.lattice_frame import LatticeFrame
from vision.joint.belief_propagation import Face

PACK = load_pack("carcassonne")
SEATS = Seated({"red": "Ana", "blue": "Bo"}, "blue", {"red": 7})


def board(faces: dict[Cell, str], *pieces: SeenPiece) -> SolvedBoard:
    tiles = tuple(SeenTile(cell, Face(name, 0), 1.0, QUAD) for cell, name in faces.items())
    return SolvedBoard(tiles, pieces, LatticeFrame((0, 0), 0))


def state_of(path: Path) -> dict[str, object]:
    with TableStore(path, read_only=True) as store:
        table, kind = past_table(store)
        return dict(kind.state_json(table.state(), (), 0))


def test_a_game_goes_on_from_the_board(tmp_path: Path) -> None:
    """BC-U continues the road of the start tile to the east; red stands on it."""
    seen = board({(0, 0): "BC-D", (1, 0): "BC-U"}, meeple("red", "r0", cell=(1, 0)))
    path = tmp_path / "one.table"
    write_log(path, kept_entries(seen, PACK, SEATS, b"\xff\xd8\xff", over=False))
    state = state_of(path)
    assert (state["phase"], state["player"]) == ("playing", "blue")
    assert {one["color"]: one["score"] for one in state["players"]} == {"red": 7, "blue": 0}  # type: ignore[attr-defined]


def test_a_finished_game_has_the_points_of_the_photograph(tmp_path: Path) -> None:
    """No meeple may be put on the start tile: its points count all the same."""
    seen = board({(0, 0): "BC-D"}, meeple("red", "c0"), meeple("blue", "r0"))
    path = tmp_path / "one.table"
    write_log(path, kept_entries(seen, PACK, SEATS, b"\xff\xd8\xff", over=True))
    state = state_of(path)
    laid = {(0, 0): Laid(PACK.designs["BC-D"], 0)}
    final = tile_game_named("carcassonne").final_seen(PACK, laid, seen.standing()).scores
    assert state["phase"] == "over"
    told = {one["color"]: one["score"] for one in state["players"]}  # type: ignore[attr-defined]
    scores = state["final"]["scores"]  # type: ignore[index]
    assert {color: max(scores[color], told[color]) for color in told} == {
        "red": final["red"] + 7,
        "blue": final["blue"],
    }
    with pytest.raises(KeepError, match="correct it first"):
        write_log(tmp_path / "two.table", kept_entries(seen, PACK, SEATS, b"\xff\xd8\xff", over=False))


@pytest.mark.parametrize(
    ("faces", "seats", "why"),
    [
        ({(3, 3): "BC-B"}, SEATS, "the rules do not allow this board"),
        ({(0, 0): "BC-D"}, Seated({"red": "Ana"}), "2 to 5 players"),
        ({(0, 0): "BC-D"}, Seated({"red": "Ana", "mauve": "Bo"}), "no mauve meeples"),
    ],
)
def test_a_board_or_players_against_the_rules_are_not_kept(
    tmp_path: Path, faces: dict[Cell, str], seats: Seated, why: str
) -> None:
    path = tmp_path / "one.table"
    with pytest.raises(KeepError, match=why):
        write_log(path, kept_entries(board(faces), PACK, seats, b"\xff\xd8\xff", over=True))
    assert not path.exists()


def test_a_board_is_complete_once_all_tiles_of_the_game_lie() -> None:
    """The deck without the river is complete without it; one with the river needs it."""
    plain = [d.id for d in PACK.designs.values() for _ in range(d.count) if not d.id.startswith("BR-")]
    river = [d.id for d in PACK.designs.values() for _ in range(d.count) if d.id.startswith("BR-")]
    assert len(plain) == 72 and river

    def lying(names: list[str]) -> SolvedBoard:
        return board({(at, 0): name for at, name in enumerate(names)})

    assert is_complete(lying(plain), PACK)
    assert not is_complete(lying(plain[:-1]), PACK)
    assert not is_complete(lying([*plain[:60], *river]), PACK)


@pytest.mark.parametrize("game", ["hunters-gatherers", "safari"])
def test_a_board_of_few_tiles_is_not_complete(game: str) -> None:
    pack = load_pack({"hunters-gatherers": "taiga", "safari": "savanna"}[game])
    assert not is_complete(board({(0, 0): next(iter(pack.designs))}), pack)
