"""A game in German: no English sentence is left on the dashboard, and no English reason in any game."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest
from playwright import sync_api

from engine.message import Message
from engine.record import check, read_record
from tests.web.browser import LAPTOP, page_of
from tests.web.conftest import Shown
from web.report.words import Language, words_in
from web.table.camera_status import CameraStatus

SAMPLES = Path(__file__).parents[3] / "samples"
RECORDS = sorted(path for path in SAMPLES.glob("*/truth.game.jsonl"))
ENGLISH = re.compile(
    r"\b(the|is|are|of|with|and|there|this|that|tiles?|birds?|elephants?|unfinished|drawn|added|already"
    r"|no|cameras?|pictures?|turns?|cities|city|road|trail|lake|deer|open|blocked|step)\b",
    re.IGNORECASE,
)
"""Words of the program's English sentences that no German and no French sentence has."""


@pytest.mark.browser
def test_a_game_in_german_has_no_english_sentence(browser: sync_api.Browser, shown: Shown) -> None:
    table = shown.table
    table.play(40)
    with page_of(browser, shown, LAPTOP, locale="de-DE") as page:
        sync_api.expect(page.locator("#log li").first).to_be_visible()
        table.ask("which pieces were put down is not clear")
        table.say(CameraStatus("lost", Message("the board is not in view"), 40, 75))
        sync_api.expect(page.locator(".toast")).to_contain_text("Der Plan ist nicht im Bild")
        sync_api.expect(page.locator(".question h2")).to_contain_text("Welche Figuren")
        table.end()
        sync_api.expect(page.locator("#final")).to_contain_text("gewinnt")
        said = page.locator("body").inner_text()
    english = [line for line in said.splitlines() if ENGLISH.search(line.replace(table.view.title, ""))]
    assert len(said) > 1500 and not english


@pytest.mark.parametrize("code", [code for code in get_args(Language) if code != "en"])
@pytest.mark.parametrize("record", RECORDS, ids=lambda path: path.parent.name)
def test_every_reason_of_a_sample_is_told_in_another_language(record: Path, code: Language) -> None:
    result = check(read_record(record))
    said = {words_in(code).phrase(event.why) for event in (*result.events, *result.outcome.events)}
    assert said and not [text for text in said if ENGLISH.search(text)]
