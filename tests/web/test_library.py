"""The library of past games: its routes, its statistics, its page in the lobby."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright import sync_api

from engine.message import Message
from tests.web.browser import PHONE, SIZES_WH, serious
from tests.web.conftest import KEY, running
from tests.web.fake_table import FakeTable, photograph
from tests.web.test_lobby_app import FakeLobby
from tests.web.test_other_pages import quiet_page
from web.api.boards import TILES
from web.api.reports import replay_page
from web.library import ImportResult, UnreadableGame
from web.lobby_app import create_lobby_app
from web.past_games import PastGame, PastPlayer, player_profiles, player_stats
from web.table.refusal import Refusal

expect = sync_api.expect


def past_game(name: str, ana: int, bo: int) -> PastGame:
    players = (
        PastPlayer("red", "Ana", ana, ana >= bo, {"trail": ana - 1, "bush": 1}),
        PastPlayer("blue", "Bo", bo, bo >= ana, {"bush": bo}),
    )
    return PastGame(name, "safari", "savanna", 1.5e9, 1.5e9, 3, True, players, True)


class FakeLibrary:
    """A library of two games."""

    def __init__(self) -> None:
        self.kept = {game.id: game for game in (past_game("one", 9, 4), past_game("two", 5, 5))}
        self.bad: list[str] = []
        self.called: dict[str, str] = {}
        self.trash: dict[str, PastGame] = {}
        table = FakeTable()
        table.play(3)
        table.end()
        self._page = replay_page(table.state(), TILES, table.photo)

    def games(self) -> list[PastGame]:
        return [replace(game, players=tuple(map(self._told, game.players))) for game in self.kept.values()]

    def _told(self, player: PastPlayer) -> PastPlayer:
        name = self.called.get(player.name, player.name)
        return replace(player, name=name or player.color, written=player.name)

    def unreadable(self) -> list[UnreadableGame]:
        return [UnreadableGame(name, 1.5e9) for name in self.bad]

    def replay(self, game: str) -> bytes:
        if game not in self.kept:
            raise Refusal("unknown_game", Message("there is no such game"))
        return self._page

    def photo(self, game: str) -> bytes:
        return photograph()

    def call(self, written: Sequence[str], name: str) -> None:
        self.called |= dict.fromkeys(written, name)

    def remove(self, game: str) -> None:
        if game in self.bad:
            self.bad.remove(game)
        else:
            self.trash[game] = self.kept.pop(game)

    def restore(self, game: str) -> None:
        self.kept[game] = self.trash.pop(game)

    def import_file(self, file: Path, name: str) -> ImportResult:
        if file.read_bytes() == b"no game":
            raise Refusal("no_games", Message("there is no game of Tilesight in this file"))
        self.kept[name] = past_game(name, file.stat().st_size % 10, 3)
        return ImportResult(1, 0, 0)

    @contextmanager
    def workplace(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder)

    def export(self, folder: Path) -> Path:
        raise Refusal("unknown_game", Message("there is no such game"))


def test_standings_count_wins_and_who_beat_whom() -> None:
    ana, bo = player_stats((past_game("a", 9, 4), past_game("b", 5, 5), past_game("c", 2, 8)))
    assert dict(ana.to_json()) == {
        "game": "safari",
        "name": "Ana",
        "games": 3,
        "wins": 2,
        "average": 5.3,
        "most": 9,
        "best_kind": "trail",
        "places": [2, 1],
        "streak": 0,
        "longest": 2,
        "against": [{"name": "Bo", "won": 1, "lost": 1, "shared": 1, "average": 5.3, "their_average": 5.7}],
    }
    assert (bo.name, bo.wins, bo.most) == ("Bo", 2, 8)


def test_a_profile_counts_all_games_that_are_over() -> None:
    other = replace(past_game("c", 20, 8), game="carcassonne")
    ana, _ = player_profiles((past_game("a", 9, 4), past_game("b", 5, 5), other, replace(other, over=False)))
    told: dict[str, Any] = dict(ana.to_json())
    assert (told["name"], told["games"], told["wins"]) == ("Ana", 3, 3)
    assert (told["average"], told["most"], told["color"]) == (11.3, 20, "red")
    assert [(one["game"], one["games"]) for one in told["by_game"]] == [("carcassonne", 1), ("safari", 2)]


def test_unnamed_players_and_those_of_samples_are_in_no_statistics() -> None:
    game = past_game("a", 9, 4)
    ana, bo = game.players
    for name in ("red", "Red", "Rot", "Rouge"):
        unnamed = replace(game, players=(replace(ana, name=name), bo))
        assert [one.name for one in player_stats([unnamed])] == ["Bo"]
        assert player_profiles([unnamed])[0].to_json()["against"] == []
    sample = replace(game, sample=True)
    assert not player_stats([sample]) and not player_profiles([sample])


def test_a_profile_has_places_streaks_and_averages_against_each_other() -> None:
    games = [replace(past_game(f"{at}", *points), began_s=float(at)) for at, points in enumerate(RESULTS)]
    [ana, bo] = [profile.to_json() for profile in player_profiles(games[::-1])]  # the latest first
    assert (ana["places"], ana["streak"], ana["longest"]) == ([4, 1], 2, 2)
    assert (bo["places"], bo["streak"], bo["longest"]) == ([1, 4], 0, 1)
    assert ana["against"] == [
        {"name": "Bo", "won": 4, "lost": 1, "shared": 0, "average": 9.0, "their_average": 5.0}
    ]
    three = replace(games[0], players=(*games[0].players, PastPlayer("green", "Cy", 9, True, {})))
    assert [one.to_json()["places"] for one in player_profiles([three])] == [[1], [0, 0, 1], [1]]


RESULTS = [(9, 4), (9, 4), (9, 9 + 1), (9, 4), (9, 3)]


def test_spellings_are_merged_and_people_renamed_and_forgotten() -> None:
    library = FakeLibrary()
    _, second = library.kept.values()
    ana, bo = second.players
    library.kept["two"] = replace(second, players=(replace(ana, name="ana"), bo))
    with (
        running(create_lobby_app(FakeLobby(), key=KEY, library=library)) as url,
        httpx.Client(headers={"X-Table-Key": KEY}, base_url=url) as client,
    ):

        def profiles() -> dict[str, tuple[int, list[str]]]:
            told = client.get("/api/library").json()["profiles"]
            return {one["name"]: (one["games"], one["written"]) for one in told}

        def call(written: list[str], name: str | None) -> httpx.Response:
            return client.post("/api/library/people", json={"written": written, "name": name})

        assert profiles() == {"Ana": (1, ["Ana"]), "ana": (1, ["ana"]), "Bo": (2, ["Bo"])}
        assert call(["ana"], "Ana").status_code == 200
        assert profiles() == {"Ana": (2, ["Ana", "ana"]), "Bo": (2, ["Bo"])}
        assert call(["Ana", "ana"], "Anna").status_code == 200
        assert profiles() == {"Anna": (2, ["Ana", "ana"]), "Bo": (2, ["Bo"])}
        refused = call(["Bo"], "Anna")
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "played_together")
        assert client.get("/api/lobby").json()["people"] == ["Anna", "Bo"]
        assert call(["Bo"], None).status_code == 200
        assert profiles() == {"Anna": (2, ["Ana", "ana"])}
        shown = client.get("/api/library").json()["games"][0]["players"]
        assert [one["name"] for one in shown] == ["Anna", "blue"]
        for wrong in ("", "a\nb", "M" * 31):
            assert call(["Ana"], wrong).status_code == 422
        assert httpx.post(f"{url}/api/library/people", json={"written": ["Ana"]}).status_code == 403


def test_only_the_key_opens_the_library() -> None:
    with running(create_lobby_app(FakeLobby(), key=KEY, library=FakeLibrary())) as url:
        for path in ("", "/one/replay.html", "/one/photo.jpg", "/export.zip"):
            assert httpx.get(f"{url}/api/library{path}").status_code == 403
        assert httpx.get(f"{url}/replay/anything").status_code == 404
        with httpx.Client(headers={"X-Table-Key": KEY}) as client:
            assert len(client.get(f"{url}/api/library").json()["games"]) == 2
            gone = client.get(f"{url}/api/library/three/replay.html")
            assert (gone.status_code, gone.json()["error"]["code"]) == (404, "unknown_game")


def test_a_large_file_of_games_is_taken_with_the_key_up_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    library = FakeLibrary()
    with running(create_lobby_app(FakeLobby(), key=KEY, library=library)) as url:
        address, large = f"{url}/api/library/import?name=three", bytes(300_000)
        assert httpx.post(address, content=large).status_code == 403
        with httpx.Client(headers={"X-Table-Key": KEY}) as client:
            assert client.post(address, content=large).json() == {"brought": 1, "here": 0, "refused": 0}
            assert "three" in library.kept
            refused = client.post(address, content=b"no game")
            assert (refused.status_code, refused.json()["error"]["code"]) == (409, "no_games")
            monkeypatch.setattr("web.library.IMPORT_LIMIT_BYTES", 1000)
            assert client.post(address, content=large).status_code == 413


@pytest.mark.browser
def test_games_are_brought_in_by_taps(browser: sync_api.Browser, tmp_path: Path) -> None:
    (tmp_path / "wrong.zip").write_bytes(b"no game")
    (tmp_path / "three.table").write_bytes(b"a game")
    with (
        running(create_lobby_app(FakeLobby(), key=KEY, library=FakeLibrary())) as url,
        quiet_page(browser, PHONE, f"{url}/#key={KEY}", refused=True) as page,
    ):
        page.get_by_role("button", name="All past games").click()
        expect(page.locator(".library-card")).to_have_count(2)
        for file, said in (
            ("wrong.zip", "This file contains no Tilesight game"),
            ("three.table", "1 game imported."),
        ):
            with page.expect_file_chooser() as asked:
                page.get_by_role("button", name="Import games").click()
            asked.value.set_files(tmp_path / file)
            expect(page.locator(".library-said")).to_contain_text(said)
        expect(page.locator(".library-card")).to_have_count(3)
        assert serious(page) == []


@pytest.mark.browser
def test_a_log_that_cannot_be_read_is_told_and_deleted(browser: sync_api.Browser) -> None:
    library = FakeLibrary()
    library.bad = ["evil"]
    with (
        running(create_lobby_app(FakeLobby(), key=KEY, library=library)) as url,
        quiet_page(browser, PHONE, f"{url}/#key={KEY}") as page,
    ):
        page.get_by_role("button", name="All past games").click()
        bad = page.locator(".library-card[data-bad]")
        expect(bad).to_contain_text("This game cannot be read.")
        assert serious(page) == []
        page.once("dialog", lambda asked: asked.accept())
        bad.get_by_role("button", name="Delete").click()
        expect(page.locator(".library-said")).to_contain_text("The file evil is in the trash")
        expect(page.locator(".library-card")).to_have_count(2)


@pytest.mark.long
@pytest.mark.browser
@pytest.mark.parametrize(
    ("locale", "opens", "says"),
    [
        ("en-GB", "Statistics", "2 games"),
        ("de-DE", "Statistik", "2 Partien"),
        ("fr-FR", "Statistiques", "2 parties"),
    ],
)
def test_profiles_are_one_tap_from_the_lobby(
    browser: sync_api.Browser, locale: str, opens: str, says: str
) -> None:
    with (
        running(create_lobby_app(FakeLobby(), key=KEY, library=FakeLibrary())) as url,
        quiet_page(browser, PHONE, f"{url}/#key={KEY}", locale=locale) as page,
    ):
        page.get_by_role("button", name=opens, exact=True).click()
        expect(page.locator(".profile")).to_have_count(2)
        expect(page.locator(".profile").first).to_contain_text(says)
        expect(page.locator(".library-table")).to_contain_text("Bo 1:0 (1")
        assert serious(page) == []


@pytest.mark.long
@pytest.mark.browser
@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_a_past_game_is_looked_at_deleted_and_brought_back(
    browser: sync_api.Browser, size_wh: tuple[int, int]
) -> None:
    library = FakeLibrary()
    with (
        running(create_lobby_app(FakeLobby(), key=KEY, library=library)) as url,
        quiet_page(browser, size_wh, f"{url}/#key={KEY}") as page,
    ):
        page.get_by_role("button", name="All past games").click()
        cards = page.locator(".library-card")
        expect(cards).to_have_count(2)
        expect(page.locator(".library-card img")).to_have_count(2)
        assert serious(page) == []
        cards.first.get_by_role("button", name="Look at it again").click()
        replay = page.frame_locator("#replay iframe")
        expect(replay.locator("#final")).to_contain_text("wins")
        page.locator("#replay").get_by_role("button", name="Close").click()
        page.once("dialog", lambda asked: asked.accept())
        cards.first.get_by_role("button", name="Delete").click()
        expect(cards).to_have_count(1)
        page.get_by_role("button", name="Restore").click()
        expect(cards).to_have_count(2)
        assert not library.trash


@pytest.mark.browser
@pytest.mark.parametrize("size_wh", SIZES_WH)
def test_people_are_merged_taken_apart_renamed_and_forgotten_by_taps(
    browser: sync_api.Browser, size_wh: tuple[int, int]
) -> None:
    library = FakeLibrary()
    _, second = library.kept.values()
    library.kept["two"] = replace(second, players=(replace(second.players[0], name="ana"), second.players[1]))
    with (
        running(create_lobby_app(FakeLobby(), key=KEY, library=library)) as url,
        quiet_page(browser, size_wh, f"{url}/#key={KEY}", refused=True) as page,
    ):
        page.on("dialog", lambda asked: asked.accept())
        page.get_by_role("button", name="Statistics", exact=True).click()
        cards = page.locator(".profile")
        expect(cards).to_have_count(3)

        def card(name: str) -> sync_api.Locator:
            return cards.filter(has=page.get_by_role("heading", name=name, exact=True))

        def named(name: str, to: str) -> None:
            card(name).locator("summary").click()
            card(name).get_by_label("Called").fill(to)
            card(name).get_by_role("button", name="Save").click()

        expect(card("Ana")).to_contain_text("1 × place 1")
        expect(card("Ana")).to_contain_text("9 to 4 points on average")
        named("ana", "Ana")
        expect(cards).to_have_count(2)
        expect(card("Ana")).to_contain_text("2 wins in a row")
        named("Ana", "Bo")
        expect(page.locator(".library-said")).to_contain_text("they are two people")
        card("Ana").locator("summary").click()
        card("Ana").locator("summary").click()
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            assert serious(page) == []
        card("Ana").get_by_role("button", name="Somebody else").click()
        expect(cards).to_have_count(3)
        named("ana", "Mia 🦁")
        expect(card("Mia 🦁")).to_be_visible()
        card("Bo").locator("summary").click()
        card("Bo").get_by_role("button", name="Forget").click()
        expect(cards).to_have_count(2)
        page.get_by_role("button", name="Restore").click()
        expect(cards).to_have_count(3)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
