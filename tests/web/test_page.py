"""The dashboards' pages: one frame, filled for each kind of board."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import get_args

import httpx
import pytest
from PIL import Image

from tests.web.conftest import Shown
from web import page
from web.page import STATIC, PageKind, bundled_script, dashboard_page, files_path, modules_in_order


@pytest.mark.parametrize("board", get_args(PageKind))
def test_a_page_is_whole_and_what_it_names_is_there(board: PageKind) -> None:
    whole = dashboard_page(board)
    assert "$" not in whole and whole.endswith("</html>\n")
    ids = re.findall(r' id="([^"]+)"', whole)
    assert len(ids) == len(set(ids)) and {"board", "scores", "log", "questions"} <= set(ids)
    files = files_path()
    named = re.findall(rf'(?:href|src)="(?:{files}/)?((?:js|css|img)/[^"]+)"', whole)
    assert f"js/{board}-page.js" in named and f'data-board="{board}"' in whole
    for file in named:
        assert (STATIC / file).is_file() or file in (f"css/{board}-page.css", f"js/{board}-page.js"), file


@pytest.mark.parametrize("entry", ["tiles.js", "squares.js", "tv_tiles.js", "tv_squares.js"])
def test_the_script_of_a_page_is_all_that_it_imports_in_order(entry: str) -> None:
    names, whole = modules_in_order(entry), bundled_script(entry)
    assert names[-1] == entry and not re.search(r"^(import|export)\b", whole, re.MULTILINE)
    for number, name in enumerate(names):
        text = (STATIC / "js" / name).read_text("utf-8")
        imported = re.findall(r'^import .* from "\./([^"]+)";$', text, re.MULTILINE)
        assert set(imported) <= set(names[:number]), name
    starts = [whole.index(f"const ${name.removesuffix('.js')} = await") for name in names]
    assert starts == sorted(starts)


def test_files_of_a_version_are_kept_for_good_and_sent_compressed(shown: Shown) -> None:
    for file in (
        "js/tiles.js",
        "js/tiles-page.js",
        "css/tiles-page.css",
        "fonts/zilla-slab-latin-700-normal.woff2",
    ):
        answer = httpx.get(f"{shown.url}/{files_path()}/{file}", headers={"Accept-Encoding": "gzip"})
        assert answer.status_code == 200 and "immutable" in answer.headers["cache-control"], file
        assert (answer.headers.get("content-encoding") == "gzip") is not file.endswith(".woff2"), file
    style = httpx.get(f"{shown.url}/{files_path()}/css/tiles-page.css").text
    assert style.index("--paper") < style.index(".board")
    assert httpx.get(f"{shown.url}/v/000000000000/js/tiles.js").status_code == 404
    assert httpx.get(f"{shown.url}/js/tiles.js").headers["cache-control"] == "no-cache"


def test_art_comes_in_the_size_that_is_shown(shown: Shown) -> None:
    address = next(one["art"] for one in httpx.get(f"{shown.url}/api/pack").json()["designs"].values())
    sizes = [httpx.get(f"{shown.url}/{address}{query}") for query in ("", "?size=medium", "?size=small")]
    whole, medium, small = (Image.open(BytesIO(answer.content)).size for answer in sizes)
    assert (max(medium), max(small)) == (min(384, max(whole)), 192)
    assert len(sizes[2].content) * 2 < len(sizes[1].content) < len(sizes[0].content)
    assert len(sizes[2].content) < 20_000
    assert httpx.get(f"{shown.url}/{address}?size=huge").status_code == 422


def test_a_part_without_a_place_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "dashboard.html").write_text("<main>\n  $board\n  $tools\n</main>\n", "utf-8")
    (tmp_path / "tiles.html").write_text("<!-- board -->\n<svg></svg>\n", "utf-8")
    monkeypatch.setattr(page, "TEMPLATES", tmp_path)
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
