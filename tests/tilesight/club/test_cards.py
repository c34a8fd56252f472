"""Cards of tables: the latest game of each, the end of an earlier game folded late, and need of help."""

from __future__ import annotations

import time

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from tilesight.club.database.models import Game
from tilesight.club.hub.cards import Cards, card_of
from tilesight.club.hub.presence import AWAY_AFTER_S, Presence
from tilesight.club.messages import Asked, Status
from web.club.views import ClubTable, Moment


def _game(number: int, **more: object) -> Game:
    told = {"turns": 4, "over": False, "began_s": 1.0, "changed_s": 2.0, **more}
    return Game(id=number, table_id="hall-1", log_id=f"log-{number}", **told)


def test_the_end_of_an_earlier_game_is_told_and_not_shown() -> None:
    """Its table began another before the hub was back: a tournament waits for its result."""
    heard: list[ClubTable] = []
    cards = Cards(Presence(), heard.append)
    for game in (_game(2), _game(1), _game(1, over=True)):
        cards.show(game)
    assert [(one.log, one.phase) for one in heard] == [("log-2", "waiting"), ("log-1", "over")]
    assert [one.log for one in cards.since(0)[1]] == ["log-2"]


def _status(seeing: str = "watching", asked: tuple[Asked, ...] = ()) -> Status:
    return Status(game="log", phase="playing", seeing=seeing, asked=list(asked))


def test_a_card_tells_since_when_its_table_needs_help() -> None:
    now_s, presence = [100.0], Presence()
    cards = Cards(presence, lambda card: None, lambda: now_s[0])
    game = Game(id=1, table_id="hall-1", log_id="log", turns=3, over=False, changed_s=1.0, folded=4)
    game.state = {"phase": "playing", "paused": True, "entry": 9, "disputes": {"corrected": 2}}

    def card_at(at_s: float, status: Status) -> tuple[str, float | None]:
        now_s[0] = at_s
        presence.hear("hall-1", status)
        cards.show(game)
        cards.show_again("hall-1")
        [card] = cards.since(0)[1]
        assert (card.moment, card.disputes) == (Moment(paused=True, entry=9), {"corrected": 2})
        return card.needs, card.needs_since_s

    assert card_at(110.0, _status()) == ("", None)
    assert card_at(120.0, _status("lost")) == ("lost", 120.0)
    assert card_at(130.0, _status("lost")) == ("lost", 120.0)
    question = Asked(id="q", text="What was turn 4?")
    assert card_at(140.0, _status(asked=(question,))) == ("ask", 140.0)
    game.over = True
    assert card_at(150.0, _status("lost")) == ("", None)


def test_the_current_game_is_the_one_that_its_table_names() -> None:
    """The log of an earlier game comes late, and has a higher number in the database."""
    heard: list[ClubTable] = []
    cards = Cards(Presence(), heard.append)
    assert cards.name("hall-1", "log-1") and not cards.name("hall-1", "log-1")
    for game in (_game(1, heard_s=5.0), _game(2, heard_s=9.0), _game(2, heard_s=10.0, over=True)):
        cards.show(game)
    assert [one.log for one in cards.since(0)[1]] == ["log-1"]
    assert [(one.log, one.phase) for one in heard] == [("log-1", "waiting"), ("log-2", "over")]
    assert cards.game_of("hall-1") == 1
    assert cards.name("hall-1", "log-3")
    cards.show(_game(3, heard_s=1.0))
    assert cards.game_of("hall-1") == 3


def test_without_a_named_game_the_hubs_own_clock_decides() -> None:
    cards = Cards(Presence(), lambda card: None)
    for game in (_game(2, heard_s=9.0, changed_s=1.0), _game(1, heard_s=5.0, changed_s=90_000.0)):
        cards.show(game)
    assert cards.game_of("hall-1") == 2


def test_a_table_whose_clock_is_an_hour_slow_shows_its_game() -> None:
    cards = Cards(Presence(), lambda card: None)
    phone = ClubTable("hall-1", log="", game="safari", pack="savanna", changed_s=10_000.0, phone="open")
    cards.show_phone(phone)
    cards.show(_game(1, over=True, changed_s=6_500.0, heard_s=10_100.0))
    [card] = cards.since(0)[1]
    assert (card.log, card.phase, card.changed_s) == ("log-1", "over", 10_100.0)


def test_a_table_that_is_silent_for_long_is_away_and_needs_no_help(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [10_000.0]
    monkeypatch.setattr(time, "time", lambda: now_s[0])
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    presence = Presence()
    cards = Cards(presence, lambda card: None)
    cards.show(_game(1, heard_s=9_990.0, state={"phase": "playing", "disputes": {"unkept": 1}}))

    def card_after(passed_s: float, status: bool = False) -> tuple[str, str]:
        now_s[0] += passed_s
        if status:
            presence.hear("hall-1", _status())
        cards.show_again("hall-1")
        [card] = cards.since(0)[1]
        return card.connection, card.needs

    assert card_after(0.0) == ("lost", "lost")  # a hub that was started again knows the entry's time alone
    assert card_after(600.0, status=True) == ("there", "unkept")
    assert card_after(AWAY_AFTER_S - 10.0) == ("lost", "lost")  # the entry is older than the status
    assert card_after(20.0) == ("away", "")
    assert card_after(9_000.0, status=True) == ("there", "unkept")


def test_a_slow_clock_is_told_and_is_no_alarm() -> None:
    presence = Presence()
    cards = Cards(presence, lambda card: None)
    game = Game(id=1, table_id="hall-1", log_id="log", turns=3, over=False, changed_s=1.0, folded=4)

    def clock(slow_s: float | None) -> tuple[tuple[str, ...], str]:
        at_s = None if slow_s is None else time.time() - slow_s
        presence.hear("hall-1", _status().model_copy(update={"at_s": at_s}))
        cards.show(game)
        cards.show_again("hall-1")
        [card] = cards.since(0)[1]
        return card.wrong, card.needs

    assert clock(None) == clock(40.0) == ((), "")
    assert clock(12 * 60.0) == (("clock:12",), "")
    assert clock(-3600.0) == (("clock:-60",), "")
    assert not presence.hear("hall-1", _status().model_copy(update={"at_s": time.time() + 3601.0}))


def test_when_a_game_began_is_told_by_the_hubs_clock() -> None:
    """A table an hour slow, and a log that came hours after its game."""
    presence = Presence()
    live = _game(1, began_s=1000.0, changed_s=1600.0, heard_s=5200.0)
    assert card_of(live, presence).began_s == 4600.0
    late = _game(1, began_s=time.time() - 7200, changed_s=time.time() - 6000, heard_s=time.time())
    presence.hear("hall-1", _status().model_copy(update={"at_s": time.time()}))
    began_s = card_of(late, presence).began_s
    assert began_s is not None and abs(began_s - time.time() + 7200) < 10
