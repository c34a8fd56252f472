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
        del catalogue["sentences"]
    english = _shape(known["en"])
    assert len(english) > 60
    for code in LANGUAGES:
        assert _shape(known[code]) == english, code


def test_every_feature_and_score_of_the_games_has_a_name() -> None:
    assert words_in("de").kind("river_system") == "Flusssystem"
    assert words_in("de").kind("new_kind") == "New kind"
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
