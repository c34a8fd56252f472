"""Attack: make a page of ours run a script that is not ours.

A replay holds what people wrote, and the lobby shows it in a frame. It allowed every inline script and every
script in a data URL, on the lobby's own origin, where the key is stored. Held: no policy allows inline
scripts or styles by a keyword, scripts and styles of a replay are allowed by their hashes alone, and its
frame has an origin of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright import sync_api

from tests.attacks.targets import Target
from tests.web.browser import chromium
from tests.web.conftest import KEY, running
from tests.web.fake_table import FakeTable
from tests.web.test_library import FakeLibrary
from tests.web.test_lobby_app import FakeLobby
from tests.web.test_naming_app import Faces
from tests.web.test_other_pages import quiet_page
from web.api.boards import TILES
from web.api.reports import replay_page
from web.lobby_app import create_lobby_app
from web.naming_app import create_naming_app

WEB = Path(__file__).parents[2] / "web"
EVIL = '<script>document.title = "evil"</script>'
EVIL_MODULE = '<script type="module" src="data:text/javascript,document.title=%22evil%22"></script>'
PAINTED = '<p id="painted" style="color: #123456">painted</p>'


@pytest.fixture(scope="module")
def library() -> Iterator[str]:
    """The address of a lobby with past games."""
    with running(create_lobby_app(FakeLobby(), key=KEY, library=FakeLibrary())) as url:
        yield url


@pytest.fixture(scope="module")
def browser() -> Iterator[sync_api.Browser]:
    """A real browser."""
    with chromium() as opened:
        yield opened


def _policy_of(answer: httpx.Response) -> str:
    assert answer.status_code == 200, answer.url
    return str(answer.headers["content-security-policy"])


def _opened(url: str) -> str:
    """The address of a past game's replay."""
    opened = httpx.post(f"{url}/api/library/one/open", headers={"X-Table-Key": KEY}).json()
    return f"{url}{opened['url']}"


def test_no_page_allows_inline_scripts_or_styles(target: Target, library: str) -> None:
    """No policy of any page allows `unsafe-inline`, `unsafe-eval` or scripts in data URLs."""
    policies = [
        _policy_of(target.ask(path))
        for path in ("/", "/tv", "/api/state", "/api/report.html", "/api/replay.html")
    ]
    policies += [_policy_of(httpx.get(library + path)) for path in ("/", "/tv", "/photo")]
    policies.append(_policy_of(httpx.get(_opened(library))))
    with running(create_naming_app(Faces(), key=KEY)) as naming:
        policies.append(_policy_of(httpx.get(naming)))
    for policy in policies:
        assert "unsafe" not in policy and not re.search(r"(script|default)-src[^;]*data:", policy), policy


def test_pages_have_no_inline_styles_scripts_or_handlers() -> None:
    """No page of ours needs what the policies refuse."""
    pages = [*(WEB / "static").glob("*.html"), *(WEB / "pages").glob("*.html")]
    assert len(pages) > 10
    for page in pages:
        inline = re.search(r'\s(style|on\w+)="|<style|<script(?![^>]*\ssrc=)', page.read_text("utf-8"))
        assert inline is None, f"{page.name}: {inline and inline[0]}"


def test_a_replay_has_an_origin_of_its_own(library: str) -> None:
    """The lobby sends replays for a sandbox with scripts and nothing more."""
    for policy in (
        _policy_of(httpx.get(_opened(library))),
        _policy_of(httpx.get(f"{library}/api/library/one/replay.html", headers={"X-Table-Key": KEY})),
    ):
        parts = [part.strip() for part in policy.split(";")]
        assert "sandbox allow-scripts" in parts and "frame-ancestors 'self'" in parts


def test_a_frame_reads_no_key_and_asks_nothing(browser: sync_api.Browser, library: str) -> None:
    """A script in the frame of a replay reaches neither the lobby's page nor the stored key."""
    with quiet_page(browser, (1280, 800), f"{library}/#key={KEY}") as page:
        page.get_by_role("button", name="All past games").click()
        page.get_by_role("button", name="Look at it again").first.click()
        frame = page.locator("#replay iframe")
        inside = frame.content_frame
        sync_api.expect(inside.locator("#final")).to_contain_text("wins")
        assert frame.get_attribute("sandbox") == "allow-scripts"
        body = inside.locator("body")
        assert body.evaluate("() => self.origin") == "null"
        reached = "() => { try { return String(%s) } catch (error) { return error.name } }"
        for secret in ("localStorage.length", "parent.document.title", "document.cookie"):
            assert body.evaluate(reached % secret) == "SecurityError", secret


@pytest.mark.parametrize("lang", ["de-DE", "en-GB"])
def test_a_saved_replay_runs_its_own_scripts_alone(
    browser: sync_api.Browser, tmp_path: Path, lang: str
) -> None:
    """What is added to a saved replay neither runs nor styles anything; the game still plays."""
    table = FakeTable()
    table.play(3)
    text = replay_page(table.state(), TILES, None).decode()
    file = tmp_path / "game.html"
    file.write_text(text.replace("</header>", f"</header>{EVIL}{EVIL_MODULE}{PAINTED}"), "utf-8")
    context = browser.new_context(locale=lang, offline=True)
    page = context.new_page()
    refused: list[str] = []
    page.on("console", lambda said: refused.append(said.text) if said.type == "error" else None)
    page.goto(file.as_uri())
    sync_api.expect(page.locator("#board .tile")).to_have_count(len(table.state().state.board))
    assert page.title() != "evil"
    assert page.locator("html").get_attribute("lang") == lang[:2]
    painted = page.locator("#painted").evaluate("(one) => getComputedStyle(one).color")
    assert painted != "rgb(18, 52, 86)"
    assert len(refused) == 3 and all("Content Security Policy" in one for one in refused), refused
    context.close()


def test_a_report_shows_the_same_from_a_file(
    browser: sync_api.Browser, target: Target, tmp_path: Path
) -> None:
    """A report keeps its style, from the server and from a file, and nothing of it is refused."""
    file = tmp_path / "report.html"
    file.write_bytes(target.ask("/api/report.html").content)
    refused: list[str] = []
    for address in (f"{target.url}/api/report.html", file.as_uri()):
        page = browser.new_page()
        page.on("console", lambda said: refused.append(said.text))
        page.goto(address)
        assert page.locator("body").evaluate("(one) => getComputedStyle(one).maxWidth") == "900px"
        assert refused == []
        page.close()
