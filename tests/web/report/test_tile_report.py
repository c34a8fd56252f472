"""The report: one page that needs nothing else, with the final board and every reason."""

from __future__ import annotations

import re
from dataclasses import replace
from unittest import mock
from xml.etree import ElementTree

import pytest

from engine.message import Message
from engine.tiles.record import ByHand
from tests.web.fake_table import NAMES, FakeTable, photograph
from web.report.page import report_html, score_chart, small_photo
from web.report.pdf import report_pdf
from web.report.tile_report import tile_report, tile_report_key
from web.report.words import Language, words_in
from web.table.camera_status import CameraStatus
from web.table.seats import Seat
from web.views.open_points import OpenPoints

ENGLISH = words_in("en")


@pytest.fixture
def played() -> FakeTable:
    table = FakeTable()
    table.play(30)
    return table


def test_the_report_holds_board_scores_and_every_reason(played: FakeTable) -> None:
    played.end()
    view = played.view
    page = report_html(tile_report(view, ENGLISH))
    assert view.final is not None
    [board] = re.findall(r'<svg class="board".*?</svg>', page, re.DOTALL)
    drawn = ElementTree.fromstring(board)
    assert sum(one.tag == "image" for one in drawn) == len(view.state.board)
    assert sum(one.tag == "g" for one in drawn) == len(view.state.standing)
    for event in (*view.events, *view.final.events):
        if event.points:
            assert f">{event.points:+d}</td>" in page
    for points in view.final.scores.values():
        assert f"<strong>{points}</strong>" in page
    assert " won with " in page


def test_a_further_picture_of_the_same_game_makes_no_other_report(played: FakeTable) -> None:
    before = tile_report_key(played.view)
    surer = tuple(replace(turn, confidence=0.95) for turn in played.view.played)
    seen_again = replace(played.view, camera=CameraStatus("lost", Message("no picture"), 99), played=surer)
    assert tile_report_key(seen_again) == before
    played.doubt(3, 0.5)
    assert tile_report_key(played.view) != before, "the report marks it"
    before = tile_report_key(played.view)
    played.play(1)
    assert tile_report_key(played.view) != before


def test_the_report_loads_no_other_file_and_is_small_enough_to_send(played: FakeTable) -> None:
    page = report_html(tile_report(played.view, ENGLISH))
    assert not re.findall(r"(?:href|src)=\"(?!data:)", page) and "<script" not in page
    assert len(page) < 1_500_000 and "would win" in page


def test_points_set_by_hand_count_from_their_turn_on(played: FakeTable) -> None:
    before, color = tile_report(played.view, ENGLISH), played.view.seats[0].color
    given = ByHand({color: 7}).events(10)
    view = replace(played.view, events=(*played.view.events, *given), by_hand={color: 7})
    report = tile_report(view, ENGLISH)
    assert report.scores[color] == before.scores[color] + 7
    more = [after - was for after, was in zip(report.running[color], before.running[color], strict=True)]
    assert more == [0] * 9 + [7] * 21
    assert (view.after(9).by_hand.get(color, 0), view.after(10).by_hand[color]) == (0, 7)


def test_names_are_text_and_never_markup(played: FakeTable) -> None:
    nasty = "<img src=x onerror=alert(1)>"
    seats = tuple(Seat(seat.color, nasty) for seat in played.view.seats)
    page = report_html(tile_report(replace(played.view, seats=seats, title=nasty), ENGLISH))
    assert nasty not in page and "&lt;img src=x" in page


def test_no_winner_is_announced_while_that_is_open(
    played: FakeTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    played.end()
    final = played.view.final
    assert final is not None and final.scores["red"] != final.scores["blue"]
    first, second = sorted(final.scores, key=lambda color: -final.scores[color])
    for other, said in ((final.scores[first] - 1, "won with"), (final.scores[first] + 1, "still open")):
        points = OpenPoints({second: [{"score": other}]})
        monkeypatch.setattr("web.report.tile_report.open_points", mock.Mock(return_value=points))
        assert said in tile_report(played.view, ENGLISH).outcome


def test_a_player_without_a_name_has_the_colour_in_the_reports_language(played: FakeTable) -> None:
    seats = (Seat("red", "red"), Seat("blue", "Bo"))
    report = tile_report(replace(played.view, seats=seats, title="red, Bo"), words_in("de"))
    assert (report.names, report.title) == ({"red": "Rot", "blue": "Bo"}, "Rot, Bo")


def test_before_the_first_turn_there_is_a_report_too() -> None:
    assert "after 0 turns" in report_html(tile_report(FakeTable().view, ENGLISH))


def test_it_is_told_in_the_language_that_is_asked_for(played: FakeTable) -> None:
    played.end()
    page = report_html(tile_report(played.view, words_in("de")))
    assert '<html lang="de">' in page and "hat mit" in page and "<h2>Woher jeder Punkt kam</h2>" in page
    assert "<td>Zug " in page and "<td>Ende</td>" in page and "unvollendet" in page.lower()
    assert not re.search(r">(Turn|End|Total|Bush|Trail)\b", page)


def test_the_pdf_holds_the_same(played: FakeTable) -> None:
    pdf = report_pdf(tile_report(played.view, ENGLISH))
    assert pdf.startswith(b"%PDF-") and pdf.rstrip().endswith(b"%%EOF")
    assert pdf.count(b"/Subtype /Image") >= len({laid.design.id for laid in played.view.state.board.values()})
    assert len(pdf) < 2_000_000 and b"DroidSansFallback" not in pdf


@pytest.mark.parametrize("players", [("red", "blue"), tuple(NAMES)])
@pytest.mark.parametrize("pictured", [True, False])
def test_one_page_holds_it_all_and_the_log_follows(players: tuple[str, ...], pictured: bool) -> None:
    table = FakeTable(players, seed=3)
    table.play(60)
    table.end()
    seats = tuple(Seat(seat.color, f"{seat.name} with a very long name indeed") for seat in table.view.seats)
    view = replace(table.view, seats=seats, title=", ".join(seat.name for seat in seats))
    photo = small_photo(photograph()) if pictured else b""
    report = replace(tile_report(view, ENGLISH), photo=photo, when=ENGLISH.span(table.span()))
    pdf = report_pdf(report)
    assert pdf.count(b"/Type /Page\n") == 2
    assert pdf.count(b"/DCTDecode") >= 60 + pictured
    page = report_html(report)
    assert page.count('class="photo"') == pictured and "23 November 2026, 19:05 · 1 h 23 min" in page


def test_the_chart_names_turns_and_points(played: FakeTable) -> None:
    report = tile_report(played.view, ENGLISH)
    for high in (200.0, 300.0):
        chart = ElementTree.fromstring(score_chart(report, high))
        texts = list(chart.iter("text"))
        assert {"0", "10", "30", "Turns"} <= {text.text for text in texts}
        ends = [float(text.attrib["y"]) for text in texts if text.attrib["font-size"] == "15"]
        assert len(ends) == 2 and all(12 <= y <= high - 30 for y in ends)


def test_names_come_out_of_the_pdf_in_their_own_letters(
    played: FakeTable, caplog: pytest.LogCaptureFixture
) -> None:
    names = dict(zip(("red", "blue"), ("Łukasz", "小明 ש"), strict=True))
    seats = tuple(Seat(seat.color, names[seat.color]) for seat in played.view.seats)
    pdf = report_pdf(tile_report(replace(played.view, seats=seats, title="Zoë, Ñandú, Νίκη"), ENGLISH))
    letters = re.findall(rb"beginbfchar\n(.*?)endbfchar", pdf, re.DOTALL)
    assert len(letters) == 3  # those of the regular and the bold font, and of the one for what these lack
    for letter in "ŁëÑúΝίη小明":
        assert any(f"<{ord(letter):04X}>".encode() in known for known in letters), letter
    assert not any(b"<05E9>" in known for known in letters) and caplog.text == ""


@pytest.mark.parametrize(("language", "share"), [("en", "0.34"), ("de", "0,34"), ("fr", "0,34")])
def test_turns_that_are_not_sure_are_marked_on_the_board_and_at_their_points(
    played: FakeTable, language: Language, share: str
) -> None:
    scored = next(event.turn for event in played.view.events if event.points)
    played.doubt(scored, 0.3499)
    report = tile_report(played.view, words_in(language))
    page = report_html(report)
    [board] = re.findall(r'<svg class="board".*?</svg>', page, re.DOTALL)
    assert board.count(f"{share}</title>") == 1 and board.count(">?</text>") == 1
    marked = [event for event in report.scored if report.mark(event)]
    assert marked and {event.turn for event in marked} == {scored}
    assert page.count(f"{share}</span>") == len(marked) and f"? {report.doubts}" in page
    with_doubt, without = report_pdf(report), report_pdf(replace(report, unsure={}))
    assert len(with_doubt) > len(without)
