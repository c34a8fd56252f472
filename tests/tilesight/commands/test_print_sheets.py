"""Print-and-play sheets: everything is there once, at true size, on the paper."""

import json
import re
import zlib
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from engine.pack import Pack, PackError, load_pack
from tests.packs import folder_of
from tilesight.commands.print_sheets import print_command
from tilesight.output import OutputError
from tilesight.printing.draw import write_pdf
from tilesight.printing.plan import Paper, SheetsError, plan_faces

POINTS_PER_MM = 72 / 25.4


@pytest.fixture(scope="module")
def pack() -> Pack:
    return load_pack("savanna")


@pytest.fixture
def app() -> typer.Typer:
    app = typer.Typer()
    app.command()(print_command)
    return app


@pytest.mark.parametrize(("paper", "pages"), [(Paper.A4, 4), (Paper.LETTER, 5), (Paper.A3, 3)])
def test_every_piece_is_there_as_often_as_the_game_has_it(pack: Pack, paper: Paper, pages: int) -> None:
    sheets = plan_faces(pack, paper)
    assert len(sheets) == pages
    placed = Counter(p.name for sheet in sheets for block in sheet.blocks for p in block.pictures)
    wanted = Counter({design.id: design.count for design in pack.designs.values()})
    wanted.update({f"token-{animal}": count for animal, count in pack.tokens.items()})
    assert placed == wanted
    assert placed.total() == 72 + 3 + 50


@pytest.mark.parametrize("paper", list(Paper))
def test_pieces_have_their_true_size_lie_on_the_paper_and_do_not_overlap(pack: Pack, paper: Paper) -> None:
    width, height = paper.size_mm
    for sheet in plan_faces(pack, paper):
        pictures = [p for block in sheet.blocks for p in block.pictures]
        for number, p in enumerate(pictures):
            assert p.side_mm == (18 if p.name.startswith("token-") else 45)
            assert 5 <= p.x_mm <= width - 5 - p.side_mm
            assert 12 <= p.y_mm <= height - 13 - p.side_mm
            for q in pictures[number + 1 :]:
                apart = max(
                    q.x_mm - p.x_mm - p.side_mm,
                    p.x_mm - q.x_mm - q.side_mm,
                    q.y_mm - p.y_mm - p.side_mm,
                    p.y_mm - q.y_mm - q.side_mm,
                )
                assert apart > -1e-6


@pytest.mark.parametrize("paper", list(Paper))
def test_a_board_of_quarters_is_one_quarter_a_page_and_the_animals(paper: Paper) -> None:
    tricky = load_pack("tricky-safari")
    *quarters, last = plan_faces(tricky, paper)
    placed = [[p for block in sheet.blocks for p in block.pictures] for sheet in quarters]
    assert [[p.name for p in pictures] for pictures in placed] == ([["TQ1"], ["TQ2"], ["TQ3"], ["TQ4"]])
    for (p,) in placed:
        assert p.side_mm == 200
        assert p.x_mm >= 5
        assert p.x_mm + 200 <= paper.size_mm[0] - 5
        assert 12 <= p.y_mm <= paper.size_mm[1] - 13 - 200
    animals = [p for block in last.blocks for p in block.pictures]
    assert [p.name for p in animals] == [f"token-{animal}" for animal in tricky.animals]
    assert {p.side_mm for p in animals} == {32}
    assert "front" in last.title


def test_the_start_tile_is_one_strip_that_is_not_cut_apart(pack: Pack) -> None:
    strip = plan_faces(pack, Paper.A4)[-1].blocks[0]
    assert [p.name for p in strip.pictures] == ["CSS-W", "CSS-C", "CSS-E"]
    across, down = strip.lines_mm()
    assert across[1] - across[0] == pytest.approx(135)
    assert down[1] - down[0] == pytest.approx(45)
    assert (len(across), len(down)) == (2, 2)


def test_cut_lines_run_between_all_tiles(pack: Pack) -> None:
    across, down = plan_faces(pack, Paper.A4)[0].blocks[0].lines_mm()
    assert [b - a for a, b in pairwise(across)] == pytest.approx([45] * 4)
    assert [b - a for a, b in pairwise(down)] == pytest.approx([45] * 6)


@pytest.mark.parametrize("paper", list(Paper))
def test_the_pdf_has_pages_and_pictures_of_the_planned_size(pack: Pack, paper: Paper, tmp_path: Path) -> None:
    out = tmp_path / "sheets.pdf"
    sheets = plan_faces(pack, paper)
    write_pdf(pack, sheets, paper, out)
    data = out.read_bytes()
    wanted = [side * POINTS_PER_MM for side in paper.size_mm]
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", data)
    assert len(boxes) >= 1
    assert all([float(w), float(h)] == pytest.approx(wanted, abs=0.1) for w, h in boxes)
    drawn = Counter(round(float(side) / POINTS_PER_MM, 1) for side in _image_widths_pt(data))
    assert drawn == {45.0: 75, 18.0: 50}


def test_the_command_writes_the_file_and_says_what_is_in_it(app: typer.Typer, tmp_path: Path) -> None:
    out = tmp_path / "sheets.pdf"
    result = CliRunner().invoke(app, ["savanna", str(out), "--paper", "Letter", "--json"])
    assert result.exit_code == 0, result.output
    said = json.loads(result.output)
    assert (said["tiles"], said["start_cells"], said["tokens"], said["pages"]) == (72, 3, 50, 5 + 5 + 1)
    assert (said["backs"], said["pieces"]) == (72 + 50, 32)
    assert out.read_bytes().startswith(b"%PDF")
    drawn = Counter(round(float(side) / POINTS_PER_MM, 1) for side in _image_widths_pt(out.read_bytes()))
    assert drawn == {45.0: 75 + 72, 18.0: 50 + 50}


def test_backs_and_pieces_to_fold_may_be_left_out(app: typer.Typer, tmp_path: Path) -> None:
    out = tmp_path / "sheets.pdf"
    result = CliRunner().invoke(app, ["savanna", str(out), "--no-backs", "--no-standees", "--json"])
    assert result.exit_code == 0, result.output
    said = json.loads(result.output)
    assert (said["pages"], said["backs"], said["pieces"]) == (4, 0, 0)


def test_an_unknown_pack_is_one_clear_line(app: typer.Typer, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["serengeti", str(tmp_path / "sheets.pdf")])
    assert isinstance(result.exception, PackError)
    assert "serengeti" in str(result.exception)
    assert "\n" not in str(result.exception)
    assert not (tmp_path / "sheets.pdf").exists()


def test_a_pack_without_art_and_a_place_that_cannot_be_written_are_refused(
    pack: Pack, tmp_path: Path
) -> None:
    (tmp_path / "pack.json").write_text((folder_of(pack) / "pack.json").read_text("utf-8"), "utf-8")
    with pytest.raises(SheetsError, match="no picture of CS1"):
        plan_faces(load_pack(tmp_path), Paper.A4)
    with pytest.raises(OutputError, match=r"the PDF cannot be written \(there is no folder"):
        write_pdf(pack, plan_faces(pack, Paper.A4)[-1:], Paper.A4, tmp_path / "nowhere" / "sheets.pdf")
    (tmp_path / "pack.json").write_text('{"id": "empty"}', "utf-8")
    with pytest.raises(SheetsError, match="'empty' has nothing to print"):
        plan_faces(load_pack(tmp_path), Paper.A4)


def _image_widths_pt(data: bytes) -> list[bytes]:
    """The widths at which pictures are drawn, from the pages' content streams."""
    widths: list[bytes] = []
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", data, re.DOTALL):
        try:
            text = zlib.decompressobj().decompress(stream)  # its checksum may end like a line
        except zlib.error:
            continue
        widths += re.findall(rb"q ([\d.]+) 0 0 [\d.]+ [\d.]+ [\d.]+ cm /I\d+ Do Q", text)
    return widths


@pytest.mark.parametrize(
    ("paper", "sheets", "pages"),
    [("a4", "2x2", 4), ("letter", "1x2", 2), ("a3", "2x3", 4), ("a4", "4X4", 16)],
)
def test_a_mat_has_each_marker_once_at_its_size(
    app: typer.Typer, tmp_path: Path, paper: str, sheets: str, pages: int
) -> None:
    out = tmp_path / "mat.pdf"
    result = CliRunner().invoke(app, ["mat", str(out), "--paper", paper, "--sheets", sheets, "--json"])
    assert result.exit_code == 0, result.output
    said = json.loads(result.output)
    columns, rows = (int(n) for n in sheets.lower().split("x"))
    assert (said["pages"], said["size_mm"]) == (pages, [columns * 270, rows * 190])
    drawn = Counter(round(float(side) / POINTS_PER_MM, 1) for side in _image_widths_pt(out.read_bytes()))
    assert drawn == {26.0: 2 * (5 * columns + 3 * rows)}


def test_the_calibration_board_has_its_true_size(app: typer.Typer, tmp_path: Path) -> None:
    out = tmp_path / "board.pdf"
    result = CliRunner().invoke(app, ["board", str(out), "--paper", "letter"])
    assert result.exit_code == 0, result.output
    assert [round(float(side) / POINTS_PER_MM, 1) for side in _image_widths_pt(out.read_bytes())] == [264.0]
