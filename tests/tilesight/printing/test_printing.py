"""Backs lie behind their faces, and every game prints with all its pieces."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from engine.game import Pieces
from engine.games import game_named, game_names
from engine.pack import Pack, load_pack, pack_ids
from tests.packs import folder_of
from tilesight.app import app
from tilesight.printing.figures import FIGURES, MARKS, strip_size_mm, strip_svg
from tilesight.printing.plan import Paper, Placed, Sheet, SheetsError, plan_faces, with_backs
from tilesight.printing.standees import plan_standees
from web.report.drawing import COLORS

run = CliRunner()
WITHOUT_ART = [name for name in pack_ids() if not (folder_of(load_pack(name)) / "art").is_dir()]
TILE_MM, FOOT_MM = 45, 26
"""A land tile's side, and the widest foot that still leaves most of it in sight."""


def with_flat_art(pack: Pack, folder: Path, backs: dict[str, str] | None = None) -> Pack:
    """The pack with a plain picture of each face, as an edition would be that ships its art."""
    source = json.loads((folder_of(pack) / "pack.json").read_text("utf-8"))
    (folder / "art").mkdir()
    names = [*pack.designs, *(f"token-{animal}" for animal in (*pack.tokens, *pack.animals))]
    for name in names:
        Image.new("RGB", (8, 8), "#b9b566").save(folder / "art" / f"{name}.png")
    for name in (backs or {}).values():
        (folder / "backs").mkdir(exist_ok=True)
        Image.new("RGB", (8, 8), "#8c5a2b").save(folder / "backs" / f"{name}.png")
    if backs:
        source["backs"] = backs
    (folder / "pack.json").write_text(json.dumps(source), "utf-8")
    return load_pack(folder)


def printable(pack_id: str, folder: Path) -> Pack:
    pack = load_pack(pack_id)
    return with_flat_art(pack, folder) if pack_id in WITHOUT_ART else pack


def pictures(sheet: Sheet) -> list[Placed]:
    return [picture for block in sheet.blocks for picture in block.pictures]


def test_every_game_has_a_pack_to_print() -> None:
    assert {load_pack(pack_id).game for pack_id in pack_ids()} >= set(game_names())


@pytest.mark.parametrize("paper", list(Paper))
@pytest.mark.parametrize("pack_id", pack_ids())
def test_a_back_lies_behind_its_face_when_flipped_over_the_long_edge(
    pack_id: str, paper: Paper, tmp_path: Path
) -> None:
    pack = printable(pack_id, tmp_path)
    faces = plan_faces(pack, paper)
    pages = with_backs(pack, faces, paper)
    if all(picture.back is None for sheet in faces for picture in pictures(sheet)):
        assert pages == faces, "what never lies face down has no back"
        return
    assert pages[::2] == faces
    for front, back in zip(pages[::2], pages[1::2], strict=False):
        assert back.is_back and not front.is_back
        wanted = {
            (f"back-{p.back}", round(paper.size_mm[0] - p.x_mm - p.side_mm, 6), p.y_mm, p.side_mm)
            for p in pictures(front)
            if p.back is not None
        }
        assert {(q.name, round(q.x_mm, 6), q.y_mm, q.side_mm) for q in pictures(back)} == wanted
        across, down = front.blocks[-1].lines_mm()
        if len(back.blocks) == len(front.blocks):
            turned, same = back.blocks[-1].lines_mm()
            assert same == down
            assert sorted(paper.size_mm[0] - x for x in turned) == pytest.approx(across)


def test_tiles_and_animal_tiles_have_backs_of_their_own_and_the_start_tile_none() -> None:
    pack = load_pack("savanna")
    pages = with_backs(pack, plan_faces(pack, Paper.A4), Paper.A4)
    backs = Counter((p.name, p.art) for sheet in pages if sheet.is_back for p in pictures(sheet))
    folder = folder_of(pack) / "backs"
    assert backs == {("back-regular", folder / "land.webp"): 72, ("back-tokens", folder / "animal.webp"): 50}


def test_each_deck_has_its_back_and_so_has_the_start_tile_where_the_pack_names_one(tmp_path: Path) -> None:
    named = {"regular": "hide", "menhir": "stone", "start": "camp"}
    pack = with_flat_art(load_pack("hunters-gatherers-2020"), tmp_path, named)
    pages = with_backs(pack, plan_faces(pack, Paper.A4), Paper.A4)
    backs = Counter(p.name for sheet in pages if sheet.is_back for p in pictures(sheet))
    assert backs == {"back-regular": 78, "back-menhir": 16, "back-start": 1}
    (tmp_path / "backs" / "stone.png").unlink()
    result = run.invoke(app, ["print", str(tmp_path), str(tmp_path / "out.pdf")])
    assert "backs.menhir: there is no picture backs/stone.png" in str(result.exception)


@pytest.mark.parametrize("pack_id", pack_ids())
@pytest.mark.parametrize("paper", list(Paper))
def test_every_pack_of_every_game_prints(pack_id: str, paper: Paper, tmp_path: Path) -> None:
    out = tmp_path / "out.pdf"
    pack = printable(pack_id, tmp_path)
    name = str(tmp_path) if pack_id in WITHOUT_ART else pack_id
    result = run.invoke(app, ["print", name, str(out), "--paper", paper.value, "--json"])
    assert result.exit_code == 0, result.output
    said = json.loads(result.stdout)
    assert pack.game is not None
    assert said["pieces"] == sum(one.count for one in game_named(pack.game).pieces)
    assert said["backs"] == (0 if pack.quarters else said["tiles"] + said["tokens"] + ("start" in pack.backs))
    assert out.read_bytes().startswith(b"%PDF")


def test_faces_are_jpeg_in_the_pdf(tmp_path: Path) -> None:
    """No PDF holds WebP, and pixels as they are would make it five times as large."""
    out = tmp_path / "out.pdf"
    assert run.invoke(app, ["print", "savanna", str(out)]).exit_code == 0
    pack, content = load_pack("savanna"), out.read_bytes()
    assert content.count(b"/DCTDecode") == len(pack.designs) + len(set(pack.backs.values()))
    assert len(content) < 12_000_000


@pytest.mark.parametrize("pack_id", WITHOUT_ART)
def test_an_edition_that_ships_no_art_is_one_clear_line(pack_id: str, tmp_path: Path) -> None:
    result = run.invoke(app, ["print", pack_id, str(tmp_path / "out.pdf")])
    assert isinstance(result.exception, SheetsError)
    assert f"pack {pack_id} has no picture of" in str(result.exception)
    assert not (tmp_path / "out.pdf").exists()


@pytest.mark.parametrize(
    ("game", "wanted"),
    [
        (
            "safari",
            {"meeple": {"yellow": 6, "red": 6, "green": 6, "blue": 6, "black": 6}, "ranger": {"white": 2}},
        ),
        (
            "hunters-gatherers",
            {
                "meeple": {"yellow": 5, "red": 5, "green": 5, "blue": 5, "violet": 5},
                "hut": {"yellow": 3, "red": 3, "green": 3, "blue": 3, "violet": 3},
            },
        ),
        ("tricky-safari", {"camera": {"yellow": 1, "red": 1}}),
    ],
)
def test_a_game_has_the_pieces_of_its_rulebook(game: str, wanted: dict[str, dict[str, int]]) -> None:
    """zman-2018 'Components and setup' (six meeples each, two rangers), hunters-gatherers-2020 'Contents &
    Setup' (five meeples and three huts each, the sixth meeple only keeps the score), tricky-safari-online
    'Object of the game' (two cameras)."""
    found: dict[str, dict[str, int]] = {}
    for one in game_named(game).pieces:
        assert found.setdefault(one.kind, {}).setdefault(one.color, one.count) == one.count
    assert found == wanted


@pytest.mark.parametrize("paper", list(Paper))
@pytest.mark.parametrize("game", game_names())
def test_every_piece_is_there_once_on_the_paper_and_clear_of_the_others(game: str, paper: Paper) -> None:
    pieces = game_named(game).pieces
    sheets = plan_standees(pieces, paper)
    width, height = paper.size_mm
    placed: Counter[tuple[str, str]] = Counter()
    for sheet in sheets:
        cards = [card for block in sheet.blocks for card in block.cards]
        placed.update((card.kind, card.color) for card in cards)
        for number, card in enumerate(cards):
            wide, tall = card.size_mm
            assert (wide, tall) == strip_size_mm(card.kind)
            assert 5 <= card.x_mm <= width - 5 - wide
            assert 12 <= card.y_mm <= height - 13 - tall
            for other in cards[number + 1 :]:
                apart_x = max(other.x_mm - card.x_mm - wide, card.x_mm - other.x_mm - other.size_mm[0])
                apart_y = max(other.y_mm - card.y_mm - tall, card.y_mm - other.y_mm - other.size_mm[1])
                assert max(apart_x, apart_y) > -1e-6
    assert placed == {(one.kind, one.color): one.count for one in pieces}


def test_many_pieces_go_on_to_a_second_page_with_a_blank_side_between() -> None:
    pack = load_pack("savanna")
    sheets = plan_standees((Pieces("meeple", "red", 90),), Paper.A4)
    assert [sum(len(block.cards) for block in sheet.blocks) for sheet in sheets] == [66, 24]
    pages = with_backs(pack, (*plan_faces(pack, Paper.A4), *sheets), Paper.A4)
    assert [page.is_back for page in pages] == [False, True] * 5 + [False]
    assert pages[-2].blocks == () and "blank" in pages[-2].title


def test_every_game_s_pieces_are_drawn_and_told_apart_without_colour() -> None:
    for game in map(game_named, game_names()):
        assert {one.kind for one in game.pieces} <= set(FIGURES)
        assert set(game.colors) <= set(MARKS)
        assert {one.color for one in game.pieces} <= set(COLORS)
    assert len(set(MARKS.values())) == len(MARKS)


@pytest.mark.parametrize("kind", [*FIGURES, "tower"])
def test_a_strip_is_drawn_in_its_colour_at_its_size_and_its_foot_fits_on_a_tile(kind: str) -> None:
    width, height = strip_size_mm(kind)
    svg = ET.fromstring(strip_svg(kind, "red"))
    assert (svg.attrib["width"], svg.attrib["height"]) == (f"{width}mm", f"{height}mm")
    fills = {part.attrib.get("fill") for part in svg.iter()}
    assert COLORS["red"] in fills
    assert width <= FOOT_MM < TILE_MM


def test_a_standing_figure_is_the_same_on_both_halves_of_its_strip() -> None:
    """The back of a standee is its front mirrored at the fold, so that both halves have one outline."""
    parts = list(ET.fromstring(strip_svg("ranger", "white")))
    groups = [part for part in parts if part.tag.endswith("g")]
    front, back = groups[0], groups[1]
    assert ET.tostring(back[0]) == ET.tostring(front)
    fold = strip_size_mm("ranger")[1] / 2
    assert back.attrib["transform"] == f"translate(0 {2 * fold}) scale(1 -1)"
