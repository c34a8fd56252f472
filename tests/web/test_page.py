"""The dashboards' pages: one frame, filled for each kind of board."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import httpx
import pytest

from tests.web.conftest import Shown
from web import page
from web.app import STATIC
from web.page import Board, dashboard_page


@pytest.mark.parametrize("board", get_args(Board))
def test_a_page_is_whole_and_what_it_names_is_there(board: Board) -> None:
    whole = dashboard_page(board)
    assert "$" not in whole and whole.endswith("</html>\n")
    ids = re.findall(r' id="([^"]+)"', whole)
    assert len(ids) == len(set(ids)) and {"board", "scores", "log", "questions"} <= set(ids)
    for file in re.findall(r'(?:href|src)="((?:js|css|img)/[^"]+)"', whole):
        assert (STATIC / file).is_file(), file
    assert f'src="js/{board}.js"' in whole and f'data-board="{board}"' in whole


def test_a_part_without_a_place_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dashboard.html").write_text("<main>\n  $board\n  $tools\n</main>\n", "utf-8")
    (tmp_path / "tiles.html").write_text("<!-- board -->\n<svg></svg>\n", "utf-8")
    monkeypatch.setattr(page, "FOLDER", tmp_path)
    assert dashboard_page("tiles") == "<main>\n  <svg></svg>\n  \n</main>\n"
    (tmp_path / "tiles.html").write_text("<!-- bord -->\n<svg></svg>\n", "utf-8")
    with pytest.raises(ValueError, match=r"tiles\.html: dashboard\.html has no place for bord"):
        dashboard_page("tiles")


def test_the_page_is_asked_for_again_so_that_an_update_is_seen(shown: Shown) -> None:
    answer = httpx.get(shown.url)
    assert answer.text == dashboard_page("tiles")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    assert httpx.head(shown.url).status_code == 200
