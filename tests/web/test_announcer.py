"""The announcer: what it says at each level, once, only the newest, and only where the browser lets it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest
from playwright import sync_api

from engine.message import Message
from engine.tiles.game import Composition, ScoreEvent
from tests.web.browser import LAPTOP, PHONE, context_of, serious
from tests.web.conftest import Shown
from tests.web.fake_table import FakeTable
from web.table.camera_status import CameraStatus
from web.table.feed import Feed

pytestmark = pytest.mark.browser
expect = sync_api.expect
SENSES = """
    window.spoken = [];
    window.senses = [];
    const synthesis = {
        pending: false, speaking: false,
        cancel: () => window.senses.push("cancel"),
        speak: (what) => {
            window.spoken.push(`${what.lang}: ${what.text}`);
            if (!window.refuses) what.onstart?.({});
            else setTimeout(() => what.onerror?.({ error: "not-allowed" }));
        },
    };
    Object.defineProperty(window, "speechSynthesis", { value: synthesis });
    navigator.vibrate = (pattern) => window.senses.push(`buzz ${pattern}`);
    // For the browser, the test's own looks at the page are touches.
    const activation = { hasBeenActive: false };
    Object.defineProperty(navigator, "userActivation", { value: activation });
    addEventListener("click", () => { activation.hasBeenActive = true; }, { capture: true });
    const start = OscillatorNode.prototype.start;
    OscillatorNode.prototype.start = function (...when) {
        window.senses.push(`tone ${this.frequency.value}`);
        start.apply(this, when);
    };
"""
"""Stands in for the device's voice, motor and loudspeaker, and notes what they are told."""
SETTINGS = """(on) => {
    localStorage.setItem("tilesight-voice", JSON.stringify(on));
    localStorage.setItem("tilesight-name", "Bo");
}"""


@contextmanager
def listened(
    browser: sync_api.Browser,
    url: str,
    more: str = "",
    size_wh: tuple[int, int] = PHONE,
    *,
    clock: bool = False,
) -> Iterator[sync_api.Page]:
    """A page at an address, with senses that note what they are told; nothing goes wrong in its console.
    ``more`` is run before its scripts. With ``clock``, its clock can be put forward."""
    context = context_of(browser, size_wh, locale="en-GB")
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    if clock:
        page.clock.install()
    page.add_init_script(SENSES + more)
    page.goto(url)
    page.wait_for_selector("#last-turn > *")
    yield page
    context.close()
    assert wrong == [], wrong


def set_to(speak: str, **on: bool) -> str:
    """A script that keeps settings as an earlier visit did, for the phone of Bo."""
    flags = "".join(f", {name}: {str(value).lower()}" for name, value in on.items())
    return f"({SETTINGS})({{ speak: '{speak}'{flags} }});"


def spoken(page: sync_api.Page, last: str) -> list[str]:
    """What was spoken, once that ends with ``last``."""
    page.wait_for_function("(last) => window.spoken.at(-1)?.endsWith(last)", arg=last)
    said: list[str] = page.evaluate("window.spoken.splice(0)")
    return said


def play_points(table: FakeTable) -> None:
    """Play one turn that gives its player 4 points for birds, and tell the pages once both are there."""
    told, table.feed = table.feed, Feed()
    table.play()
    number, player = len(table.view.played), table.view.played[-1].turn.player
    event = ScoreEvent(number, player, 4, "trail", Composition(Message("2 birds")))
    table.view = replace(table.view, events=(*table.view.events, event))
    table.feed = told
    table.feed.publish("turn", {"turn": number})


def test_each_level_says_its_part_and_no_backlog(browser: sync_api.Browser, shown: Shown) -> None:
    table = shown.table
    play_points(table)
    said = {}
    with (
        listened(browser, shown.url, set_to("points")) as points,
        listened(browser, shown.url, set_to("turns")) as turns,
        listened(browser, f"{shown.url}/tv?speak=1&lang=de", size_wh=LAPTOP) as everything,
        listened(browser, f"{shown.url}/overlay") as silent,
        listened(browser, shown.url) as unasked,
    ):
        play_points(table)  # a turn of Bo
        said["points"] = spoken(points, "2 birds.")
        said["turns"] = spoken(turns, "Ana is to play.")
        said["all"] = spoken(everything, "Ana ist am Zug.")
        assert said["points"][-1] == "en: Bo: 4 points, Trail: 2 birds."
        assert said["turns"][0].startswith("en: Bo laid a ") and said["points"][-1] in said["turns"]
        assert said["all"][0].startswith("de: Bo legt ") and said["all"][-2].startswith("de: Bo: 4 Punkte, ")
        for page in (points, turns, everything):
            expect(page.locator("#last-turn")).to_contain_text("2")
        table.ask("Which trail?")
        assert spoken(everything, "Which trail?")[-1] == "de: Frage: Which trail?"
        table.end()
        assert len(spoken(points, ".")) == 1 and spoken(turns, ".")[-1].startswith("en: The game is over. ")
        for page in (silent, unasked):
            assert page.evaluate("[window.spoken, window.senses]") == [[], []]


def test_a_turn_that_is_undone_and_redone_is_announced_once(browser: sync_api.Browser, shown: Shown) -> None:
    table = shown.table
    table.play(2)
    with listened(browser, f"{shown.url}/tv?speak=turns", size_wh=LAPTOP, clock=True) as page:
        table.play()
        spoken(page, "Bo is to play.")
        table.undo()
        expect(page.locator("#last-turn")).to_contain_text("Turn 2")
        page.clock.run_for(5000)
        table.redo()
        expect(page.locator("#last-turn")).to_contain_text("Turn 3")
        page.clock.run_for(5000)
        assert page.evaluate("window.spoken") == []
        table.play()
        expect(page.locator("#last-turn")).to_contain_text("Turn 4")
        page.clock.run_for(5000)
        assert spoken(page, "Ana is to play.")[0].startswith("en: Bo laid a ")


def test_after_an_outage_only_the_newest_turn_is_said(browser: sync_api.Browser, shown: Shown) -> None:
    table = shown.table
    table.play(1)
    with listened(browser, f"{shown.url}/overlay?speak=turns") as page:
        held: list[sync_api.Route] = []
        page.route("**/api/state", lambda route: held.append(route), times=1)
        for _ in range(6):
            play_points(table)
        while not held:
            page.wait_for_timeout(20)
        held[0].continue_()
        said = spoken(page, "is to play.")
        expect(page.locator("#last-turn")).to_contain_text("Turn 7")
        assert said[0].startswith("en: Ana laid "), said
        scored = [event for event in table.view.events if event.points and event.turn == 7]
        assert len(said) == len(scored) + 2, said


def test_your_turn_a_question_and_a_fault_sound_and_buzz(browser: sync_api.Browser, shown: Shown) -> None:
    table = shown.table
    table.play(2)
    with listened(browser, shown.url, set_to("", sound=True, buzz=True)) as page:
        page.locator("#table-title").click()  # sounds and buzzes are allowed from here on

        def sensed(last: str) -> list[str]:
            page.wait_for_function("(last) => window.senses.includes(last)", arg=last)
            noted: list[str] = page.evaluate("window.senses.splice(0)")
            return noted

        table.play()  # a turn of Ana: Bo, whose phone this is, is to play
        assert "tone 523" in sensed("buzz 160")
        table.ask("Which trail?")
        assert "tone 659" in sensed("buzz 90,70,90")
        table.say(CameraStatus("unclear", Message("no turn explains what is seen"), 1, 75))
        assert "tone 233" in sensed("buzz 220,90,220")
        assert page.evaluate("window.spoken") == []


def test_the_announcer_waits_for_a_touch(browser: sync_api.Browser, shown: Shown) -> None:
    table = shown.table
    table.play(1)
    with listened(browser, shown.url, set_to("turns")) as page:
        button = page.get_by_role("button", name="Turn the announcer on")
        expect(button).to_be_visible()
        assert serious(page) == []
        button.click()
        expect(button).to_have_count(0)
        assert spoken(page, "Speech is on.") == ["en: Speech is on."]
    with listened(browser, f"{shown.url}/overlay?speak=1", "window.refuses = true;") as page:
        button = page.get_by_role("button", name="Turn the announcer on")
        expect(button).to_be_hidden()  # a stream shows no button as long as it is not needed
        table.play()
        expect(button).to_be_visible()
        page.evaluate("window.refuses = false")
        button.click()
        expect(button).to_be_hidden()
    with listened(browser, f"{shown.url}/tv?speak=points", size_wh=LAPTOP) as page:
        page.get_by_role("button", name="Turn the announcer on").click()
        spoken(page, "Speech is on.")
        page.get_by_role("button", name="Mute").click()
        assert page.evaluate("window.senses") == ["cancel"]
        expect(page.get_by_role("button", name="Turn the announcer on")).to_be_visible()


def test_the_settings_are_kept_on_the_device(browser: sync_api.Browser, shown: Shown) -> None:
    shown.table.play(1)
    with listened(browser, shown.url, "localStorage.getItem('tilesight-voice') ?? " + set_to("true")) as page:
        page.evaluate("localStorage.setItem('tilesight-voice', '{\"speak\": true}')")  # of an older version
        page.reload()
        page.locator("#menu").click()
        level = page.get_by_label("Speak aloud")
        expect(level).to_have_value("all")
        level.select_option("Points only")
        page.get_by_role("switch", name="Buzz").click()
        assert serious(page) == []
        page.reload()
        page.locator("#menu").click()
        expect(level).to_have_value("points")
        expect(page.get_by_role("switch", name="Buzz")).to_have_attribute("aria-checked", "true")
        expect(page.get_by_role("link", name="Big screen")).to_have_attribute(
            "href", "/tv?lang=en&speak=points"
        )
        level.select_option("Nothing")
        assert page.evaluate("window.senses").count("cancel") == 1
