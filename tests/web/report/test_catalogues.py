"""The words that dashboard and reports share: the same in every language, and which one a reader gets."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import datetime
from typing import Any

import httpx
import pytest

from engine.games import tile_game_names
from engine.pack import load_pack, pack_ids
from tests.web.conftest import Shown
from web.report.words import FOLDER, LANGUAGES, language_of, words_in
from web.table.view import GameSpan

PLACES = re.compile(r"\{(\w+)\}")


def _shape(part: Any, path: str = "") -> list[str]:
    """Every key, and what a sentence wants to be told."""
    if isinstance(part, dict):
        return [line for key, value in sorted(part.items()) for line in _shape(value, f"{path}.{key}")]
    sentences = [part] if isinstance(part, str) else part
    return [f"{path} {len(sentences)} {[sorted(PLACES.findall(one)) for one in sentences]}"]


def test_every_language_has_the_same_words() -> None:
    known = {code: json.loads((FOLDER / f"{code}.json").read_text("utf-8")) for code in LANGUAGES}
    for catalogue in known.values():
        del catalogue["phrases"]
    english = _shape(known["en"])
    assert len(english) > 60
    for code in LANGUAGES:
        assert _shape(known[code]) == english, code


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_phrase_is_put_together_from_what_it_found(code: str) -> None:
    for pattern, into in json.loads((FOLDER / f"{code}.json").read_text("utf-8"))["phrases"]:
        groups = re.compile(pattern).groups
        assert all(int(number) <= groups for number in re.findall(r"\$(\d)", into)), pattern


def test_what_the_engine_says_is_told_in_other_languages() -> None:
    assert words_in("de").phrase("unfinished: 2 giraffes, 1 bird") == "Unvollendet: 2 Giraffen, 1 Vogel"
    assert words_in("de").phrase("3 tiles, 1 fish") == "3 Plättchen, 1 Fisch"
    assert words_in("de").phrase("3 tiles, 1 pennant") == "3 Plättchen, 1 Wappen"
    assert words_in("de").phrase("2 finished cities") == "2 vollendete Städte"
    assert words_in("fr").phrase("2 finished cities") == "2 villes achevées"
    assert words_in("fr").phrase("7 tiles around it") == "7 tuiles autour"
    assert (
        words_in("fr").phrase("ape on i1, after the animals' step") == "Singe en i1, après le pas des animaux"
    )
    assert (
        words_in("de").kind("river_system") == "Flusssystem" and words_in("de").kind("new_kind") == "New kind"
    )


@pytest.mark.parametrize("code", ["de", "fr"])
@pytest.mark.parametrize(
    "said",
    [
        "no picture comes from the camera",
        "camera 0 gives no picture; trying again",
        "the phone sends no pictures any more: look whether its camera page is still open",
        "the board is not in view",
        "a picture could not be used; waiting for the next",
        "the north edge at [2, 1] is river, but the tile beyond has grassland there",
        "the tile displaced a ranger: it must be put on another space (ranger_to)",
        "[2, 1] touches no tile by a side",
        "MT is a menhir tile: it is drawn only in the turn after a menhir forest",
        "BC-A is not drawn yet: the river comes first (to come: BR1, BR2)",
        "which animal is on the animal tile is not clear",
        "the game is over: the last tile has been played",
        "the game is over",
        "there is nothing to take back",
        "no picture is kept of turn 3",
        "black has no meeple left",
        "turn 3 cannot have been green's: no order of turns allows it",
    ],
)
def test_no_english_is_left_of_what_players_are_told(code: Any, said: str) -> None:
    told = words_in(code).phrase(said)
    english = "the is are was has been be there this that which nothing must may only picture game turn tile"
    left = set(re.findall(r"[a-z_]+", told.lower())) & {*english.split(), "ranger_to", "black", "green"}
    assert not left - ({"tour"} if code == "fr" else set()), told


def test_every_feature_and_score_of_the_games_has_a_name() -> None:
    packs = [pack for pack in map(load_pack, pack_ids()) if pack.game in tile_game_names()]
    kinds = {f.kind for pack in packs for tile in (*pack.tiles, *pack.start) for f in tile.features}
    for code in LANGUAGES:
        known = json.loads((FOLDER / f"{code}.json").read_text("utf-8"))["kinds"]
        assert kinds <= known.keys()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", ["after 0 turns of X.", "after 1 turn of X."]),
        ("fr", ["après 0 tour de X.", "après 1 tour de X."]),
    ],
)
def test_one_and_many_are_told_apart_as_the_language_does(code: Any, said: list[str]) -> None:
    assert [words_in(code).say("after", n, pack="X") for n in (0, 1)] == said


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", "A recording of 4 min, shown on 3 March 2026, 09:05"),
        ("de", "Eine Aufnahme von 4 min, gezeigt am 3. März 2026, 09:05 Uhr"),
        ("fr", "Un enregistrement de 4 min, montré le 3 mars 2026, 09 h 05"),
    ],
)
def test_every_language_says_when_it_was_and_for_how_long(code: Any, said: str) -> None:
    began_s = datetime(2026, 3, 3, 9, 5).timestamp()
    assert words_in(code).span(GameSpan(began_s, 250, recorded=True)) == said
    assert words_in(code).span(GameSpan(began_s, 7500)).endswith(" · 2 h 05 min")
    assert words_in(code).span(GameSpan(began_s, 0)).endswith(" · 1 min")


def test_every_pack_has_a_title_in_every_language() -> None:
    for pack in map(load_pack, pack_ids()):
        titles = [words_in(code).title(pack) for code in LANGUAGES]
        assert len(set(titles)) == len(LANGUAGES) and not any("spots" in title for title in titles)
    foreign = replace(load_pack("savanna"), id="mine", title="My own")
    assert words_in("de").title(foreign) == "My own"


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        (None, "en"), ("", "en"), ("de-AT,de;q=0.9,en;q=0.8", "de"), ("it-IT,it;q=0.9,fr;q=0.5", "fr"),
        ("en;q=0.3,fr;q=0.7", "fr"), ("ja", "en"), ("de;q=x, ,;q=,fr", "fr"),
    ],
)  # fmt: skip
def test_a_reader_gets_the_first_known_language(accepted: str | None, language: str) -> None:
    assert language_of(None, accepted) == language
    assert language_of("en", accepted) == "en"


def test_a_report_is_served_in_the_language_asked_for(shown: Shown) -> None:
    shown.table.play(3)
    report, french = f"{shown.url}/api/report.html", {"Accept-Language": "fr-CH, en;q=0.5"}
    assert '<html lang="en">' in httpx.get(report).text
    assert '<html lang="fr">' in httpx.get(report, headers=french).text
    assert '<html lang="de">' in httpx.get(report, headers=french, params={"lang": "de"}).text
    assert httpx.get(report, params={"lang": "xx"}).status_code == 422
    pdf = httpx.get(f"{shown.url}/api/report.pdf", params={"lang": "de"}, timeout=60)
    assert pdf.content.startswith(b"%PDF-") and b"(de)" in pdf.content
