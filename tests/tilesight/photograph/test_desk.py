"""The desk of photographs: read in a process of its own, corrected, shared, kept."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from PIL import Image

from tests.pictures import HEIC
from tilesight.learning.shelf import gather, label_sets
from tilesight.lobby.library import Library
from tilesight.photograph.desk import PhotoDesk
from vision.image.decoder import heif_formats
from web.lobby_photo import PhotoPlayers, PieceCorrection, TileCorrection
from web.table.refusal import Refusal

SAMPLES = Path(__file__).parents[3] / "samples"
BOARD = (SAMPLES / "taiga-boards" / "taiga-07.jpg").read_bytes()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def desk(home: Path) -> Iterator[PhotoDesk]:
    with PhotoDesk() as desk:
        yield desk


def test_a_board_is_scored_corrected_shared_and_kept(desk: PhotoDesk) -> None:
    read = desk.add(None, BOARD, None, None)
    photo = read["id"]
    assert (read["game"], read["pack_recognised"], read["said"]) == ("hunters-gatherers", True, 0)
    assert len(read["pictures"][0]["tiles"]) == len(read["tiles"])
    number = next(i for i, one in enumerate(read["pieces"]) if one["kind"] == "meeple" and one["feature"])
    without = desk.correct(photo, PieceCorrection(number, None))
    assert len(without["pieces"]) == len(read["pieces"]) - 1
    assert desk.undo(photo)["if_ended_now"] == read["if_ended_now"]
    cell = tuple(read["tiles"][0]["cell"])
    assert (
        len(desk.correct(photo, TileCorrection((cell[0], cell[1]), None))["tiles"]) == len(read["tiles"]) - 1
    )
    desk.undo(photo)
    with pytest.raises(Refusal, match="nothing was corrected"):
        desk.undo(photo)
    with pytest.raises(Refusal, match="no tile"):
        desk.correct(photo, TileCorrection((0, 0), "nothing"))
    assert desk.document(photo)["said"] == 0

    colors = list(read["if_ended_now"])[:2]
    players = PhotoPlayers({colors[0]: "Ana", colors[1]: "Bo"}, {colors[0]: 30})
    assert b"Ana" in desk.share(photo, "html", "de", players)
    with Image.open(io.BytesIO(desk.share(photo, "picture", "en", players))) as picture:
        assert picture.width == 1600

    assert Library().games() == []  # nothing is kept unasked
    with ThreadPoolExecutor(4) as phones:
        (kept,) = set(phones.map(lambda _: desk.keep(photo, players, over=True), range(8)))
    (game,) = Library().games()
    assert (game.id, game.over, game.turns, game.pictured) == (kept, True, 0, True)
    scores = {one.color: one.score for one in game.players}
    assert scores[colors[0]] == read["if_ended_now"][colors[0]] + 30
    assert scores[colors[1]] == read["if_ended_now"][colors[1]]
    assert Library().photo(kept).startswith(b"\xff\xd8")
    gather([], None, list[str]().append)
    assert list(label_sets(list[str]().append)) == []  # `learn` uses no photograph unasked
    with pytest.raises(Refusal, match="keep it again to replace that"):
        desk.keep(photo, players, over=True, keep_labels=True)
    agreed = desk.keep(photo, players, over=True, keep_labels=True, again=True)
    assert agreed == kept and len(Library().games()) == 1
    gather([], None, list[str]().append)
    [labels] = label_sets(list[str]().append)
    assert labels.header.labels == agreed
    assert sum(one.sort == "tile" for one in labels.labels) == len(read["tiles"])

    desk.forget(photo)
    with pytest.raises(Refusal, match="not held any more"):
        desk.document(photo)


def test_bytes_that_are_no_picture_are_refused_and_leave_nothing(
    desk: PhotoDesk, home: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path_factory.mktemp("scratch")
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    with pytest.raises(Refusal, match=r"^the picture is damaged or cut short|^is not a picture"):
        desk.add(None, b"\xff\xd8\xff" + bytes(200), None, None)
    assert list(scratch.iterdir()) == []


def test_a_heic_photograph_is_converted_or_told(desk: PhotoDesk) -> None:
    if heif_formats():
        assert desk.jpeg(HEIC).startswith(b"\xff\xd8\xff")
        return
    with pytest.raises(Refusal, match="HEIC") as refused:
        desk.jpeg(HEIC)
    assert refused.value.code == "no_heif"


def test_another_edition_is_said_and_not_invented(desk: PhotoDesk) -> None:
    read = desk.add(None, BOARD, "bastide", None)
    assert (read["pack"], read["pack_recognised"], read["other_edition"]) == (None, False, "taiga")
    assert {tile["tile"] for tile in read["tiles"]} == {None}
    assert read["if_ended_now"] == {}
    with pytest.raises(Refusal, match="not known"):
        desk.choices(read["id"], (0, 0))


@pytest.mark.long
def test_a_photograph_of_another_game_says_which_it_is(desk: PhotoDesk) -> None:
    tiles = (SAMPLES / "house-boards" / "house-09.jpg").read_bytes()
    squares = (SAMPLES / "tricky-boards" / "tricky-01.jpg").read_bytes()
    board = desk.add(None, tiles, None, None)["id"]
    for other, name in ((BOARD, "taiga"), (squares, "tricky-safari")):
        with pytest.raises(Refusal, match=f"this photograph shows {name}, not savanna"):
            desk.add(board, other, None, None)
    assert len(desk.document(board)["pictures"]) == 1, "nothing is lost"
    for pack, picture, shown in (("bastide", squares, "tricky-safari"), ("tricky-safari", tiles, "savanna")):
        read = desk.add(None, picture, pack, None)
        assert (read["pack"], read["other_edition"], read["tiles"]) == (None, shown, [])
