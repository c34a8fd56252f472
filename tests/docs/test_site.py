"""The pages of docs/ build into a site that asks no other host for anything; their links lead somewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, PAGES, ROOT


class QuietFiles(SimpleHTTPRequestHandler):
    """Serves files without a line for each."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


MOST_BYTES = 1_500_000
"""Size of all pictures that docs/make_stages.py makes, in bytes."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_in_the_site(site: Path) -> None:
    for page in PAGES:
        assert (site / page.relative_to(DOCS)).with_suffix(".html").is_file()
    assert not list(site.rglob("*.py"))


def test_every_page_is_in_the_navigation() -> None:
    listed = re.findall(r"^ +- (\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(str(page.relative_to(DOCS)) for page in PAGES)


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    for path in (*site.rglob("*.html"), *site.rglob("*.css")):
        text = path.read_text("utf-8")
        loaded = re.findall(r"""(?:src|srcset)=["']?(?:https?:)?//[^"'\s>]*""", text)
        loaded += re.findall(r"""<link\b[^>]*\bhref=["']?(?:https?:)?//[^>]*>""", text)
        loaded += re.findall(r"""(?:url\(|@import )["']?(?:https?:)?//[^)\s]*""", text)
        assert loaded == [], path.name


@pytest.mark.long
@pytest.mark.browser
def test_a_browser_asks_no_other_host_and_search_finds_a_page(site: Path) -> None:
    from tests.web.browser import chromium

    handler = partial(QuietFiles, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        with chromium() as browser:
            page = browser.new_page()
            asked: list[str] = []
            page.on("request", lambda request: asked.append(request.url))
            page.goto(f"{address}/how-a-picture-is-read.html")
            page.click("[data-md-component=search-query]")
            page.keyboard.type("baobab")
            page.wait_for_selector(".md-search-result a[href$='rulings.html#baobab']", state="attached")
            page.goto(f"{address}/formats.html")
        server.shutdown()
    assert len(asked) > 10
    assert [url for url in asked if not url.startswith(address)] == []


def test_fences_and_links_out_of_the_folder_are_shown_as_text(site: Path) -> None:
    notation = (site / "notation.html").read_text("utf-8")
    assert "```" not in notation and "violet:HG15" in notation
    stages = (site / "how-a-picture-is-read.html").read_text("utf-8")
    assert "<code>vision/locate/heatmap.py</code>" in stages and "../vision/" not in stages


@pytest.mark.parametrize(
    "page",
    [*PAGES, *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"))],
    ids=lambda p: p.name,
)
def test_links_lead_to_files_that_are_there(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if not target.startswith(("http:", "https:", "#")):
            assert (page.parent / target.partition("#")[0]).exists(), target


def test_the_pictures_of_the_stages_are_small_and_all_shown() -> None:
    pictures = sorted(DOCS.glob("pictures/*.jpg"))
    shown = re.findall(r"\]\(pictures/([^)]+)\)", (DOCS / "how-a-picture-is-read.md").read_text("utf-8"))
    assert shown == [path.name for path in pictures]
    assert sum(path.stat().st_size for path in pictures) < MOST_BYTES
    drawn = re.findall(r'^ +"(\d-[a-z]+)": ', (DOCS / "make_stages.py").read_text("utf-8"), re.MULTILINE)
    assert [f"{name}.jpg" for name in drawn] == shown


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_no_page_names_a_folder_that_users_do_not_have(page: Path) -> None:
    assert "../shared" not in page.read_text("utf-8")
