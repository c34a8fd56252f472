"""Webhooks of a table, sent to a real HTTP receiver that fails, is slow, and comes back."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console

from tests.tilesight.outward.receiver import HERE, SECRET, WITHIN_S, Got, Receiver, receiving, sent_to
from tests.web.fake_table import FakeTable
from tilesight.outward import mailbox
from tilesight.outward.options import OutwardOptions, WantedWebhook
from tilesight.outward.outward import TableOutward
from web.limits.keys import KeyGuard
from web.table.access import Access
from web.table.refusal import Refusal
from web.table.table import WebhookState

ANYWHERE = OutwardOptions(networks=HERE)


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailbox, "FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(mailbox, "LONGEST_WAIT_S", 0.05)


class Kept:
    """A guard whose access is kept in a list."""

    def __init__(self, access: Access | None = None) -> None:
        self.saved: list[Access] = []
        self.guard = KeyGuard(access or Access(), keep=self.saved.append)


def outward_of(
    table: FakeTable, wanted: OutwardOptions, guard: KeyGuard | None = None, aside: Console | None = None
) -> TableOutward:
    return TableOutward(table, guard or Kept().guard, wanted, aside or Console(file=io.StringIO()))


def until(outward: TableOutward, what: Callable[[WebhookState], bool]) -> WebhookState:
    """The state of the first webhook, once it is what a test waits for."""
    deadline_s = time.monotonic() + WITHIN_S
    while not what(outward.webhooks()[0]) and time.monotonic() < deadline_s:
        time.sleep(0.01)
    state = outward.webhooks()[0]
    assert what(state), state
    return state


def test_every_event_arrives_signed_and_in_order() -> None:
    table = FakeTable()
    with receiving() as receiver, outward_of(table, sent_to(receiver.url)):
        table.play(12)
        feed = table.watch()
        got = receiver.wait_for(lambda got: len(got) == feed.last_id)
    assert [one.event["id"] for one in got] == list(range(1, feed.last_id + 1))
    assert {one.event["type"] for one in got} >= {"turn", "score"}
    assert all(one.is_signed(SECRET) for one in got)
    assert all(one.headers["content-type"] == "application/json" for one in got)
    assert abs(int(got[0].headers["webhook-timestamp"]) - time.time()) < 600
    ids = [one.headers["webhook-id"] for one in got]
    assert len(set(ids)) == len(ids)
    event, sent = feed.since(0)[0], got[0].event
    assert event.json_sent(sent["t_sent_s"]).encode() == got[0].body


def test_an_event_comes_again_with_the_same_id_until_it_arrives() -> None:
    table = FakeTable()
    statuses = iter([500, 503, 429, 404])
    with receiving() as receiver, outward_of(table, sent_to(receiver.url)) as outward:
        receiver.answer = lambda got: next(statuses, 200)
        table.watch().publish("pause", {"paused": True})
        got = receiver.wait_for(lambda got: len(got) == 5)
        state = until(outward, lambda state: state.delivered == 1)
    assert len({one.headers["webhook-id"] for one in got}) == 1
    assert (state.waiting, state.dropped, state.refused, state.problem) == (0, 0, 0, "")


def test_an_address_that_comes_back_gets_what_waited() -> None:
    table = FakeTable()
    first = Receiver()
    first.stop()
    with outward_of(table, sent_to(first.url)) as outward:
        table.watch().publish("pause", {"paused": True})
        table.watch().publish("pause", {"paused": False})
        assert until(outward, lambda state: state.problem == "unreachable").waiting == 2
        again = Receiver(first.port)
        try:
            got = again.wait_for(lambda got: len(got) == 2)
        finally:
            again.stop()
    assert [one.event["paused"] for one in got] == [True, False]


def test_an_event_that_is_refused_again_and_again_is_given_up() -> None:
    table = FakeTable()
    with receiving() as receiver, outward_of(table, sent_to(receiver.url)) as outward:
        receiver.answer = lambda got: 400 if got.event["paused"] else 200
        table.watch().publish("pause", {"paused": True})
        table.watch().publish("pause", {"paused": False})
        state = until(outward, lambda state: state.delivered == 1)
    assert state.refused == 1
    assert len(receiver.got) == mailbox.REFUSED_TRIES + 1


def test_a_full_queue_drops_and_counts_its_oldest_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mailbox, "QUEUE_LIMIT", 3)
    table, go_on = FakeTable(), threading.Event()

    def slow(got: Got) -> int:
        go_on.wait(WITHIN_S)
        return 200

    with receiving() as receiver, outward_of(table, sent_to(receiver.url)) as outward:
        receiver.answer = slow
        for _ in range(10):
            table.watch().publish("pause", {"paused": True})
        state = until(outward, lambda state: state.dropped == 7)
        assert state.waiting == 3
        go_on.set()
        got = receiver.wait_for(lambda got: len(got) >= 3 and got[-1].event["id"] == 10)
    assert [one.event["id"] for one in got][-3:] == [8, 9, 10]


def test_an_event_that_is_too_large_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    table = FakeTable()
    with receiving() as receiver, outward_of(table, sent_to(receiver.url)) as outward:
        table.watch().publish("pause", {"paused": "x" * mailbox.BODY_LIMIT_BYTES})
        table.watch().publish("pause", {"paused": False})
        receiver.wait_for(lambda got: got[-1:] != [] and got[-1].event["paused"] is False)
        assert until(outward, lambda state: state.delivered == 1).dropped == 1


def test_an_address_that_is_gone_is_switched_off_and_stays_so() -> None:
    table, kept = FakeTable(), Kept()
    with receiving() as receiver, outward_of(table, sent_to(receiver.url), kept.guard) as outward:
        receiver.answer = lambda got: 410
        table.watch().publish("pause", {"paused": True})
        table.watch().publish("pause", {"paused": False})
        assert until(outward, lambda state: not state.on).waiting == 0
        deadline_s = time.monotonic() + WITHIN_S
        while kept.guard.access.webhooks[0].on and time.monotonic() < deadline_s:
            time.sleep(0.01)
        table.watch().publish("pause", {"paused": True})
    assert len(receiver.got) == 1
    assert not kept.saved[-1].webhooks[0].on
    # After a restart, too; the host adds the address again.
    with receiving(), outward_of(table, ANYWHERE, KeyGuard(kept.saved[-1])) as outward:
        assert [state.on for state in outward.webhooks()] == [False]
        outward.add(receiver.url)
        assert [state.on for state in outward.webhooks()] == [True]


def test_a_test_tells_at_once_what_came_of_it() -> None:
    table = FakeTable()
    with receiving() as receiver, outward_of(table, ANYWHERE) as outward:
        webhook = outward.add(receiver.url)
        state = outward.test(webhook.id).result(WITHIN_S)
        assert (state.problem, state.status) == ("", 204)
        assert receiver.got[0].event["type"] == "test"
        assert receiver.got[0].is_signed(webhook.secret)
        receiver.answer = lambda got: 500
        state = outward.test(webhook.id).result(WITHIN_S)
        assert (state.problem, state.status, state.delivered) == ("status", 500, 0)
        outward.remove(webhook.id)
        assert outward.webhooks() == ()
        for command in (outward.remove, outward.test):
            with pytest.raises(Refusal, match="no such webhook"):
                command(webhook.id)


def test_a_slow_receiver_is_late_and_delays_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    table, go_on = FakeTable(), threading.Event()

    def slow(got: Got) -> int:
        go_on.wait(WITHIN_S)
        return 200

    monkeypatch.setattr("tilesight.outward.delivery.WITHIN_S", 0.2)
    with (
        receiving() as lazy,
        receiving() as quick,
        outward_of(table, sent_to(lazy.url, quick.url)) as outward,
    ):
        lazy.answer = slow
        table.watch().publish("pause", {"paused": True})
        quick.wait_for(lambda got: len(got) == 1)
        until(outward, lambda state: state.problem == "late")
        go_on.set()


def test_webhooks_are_kept_with_the_keys_and_their_secrets_said_once() -> None:
    table, kept, said = FakeTable(), Kept(), io.StringIO()
    aside = Console(file=said, force_terminal=True, color_system=None)
    wanted = OutwardOptions((WantedWebhook("https://192.0.2.1/hook/PATHSECRET"),))
    for _ in range(2):
        with outward_of(table, wanted, kept.guard, aside):
            pass
    secret = kept.guard.access.webhooks[0].secret
    assert said.getvalue().count(secret) == 1
    assert "PATHSECRET" not in said.getvalue()
    assert len(kept.saved) == 1
    assert Access.from_json(kept.saved[0].to_json()) == kept.guard.access
    # Where it would be written to a log, it is not said; a secret that the user chose is never said.
    for chosen in (None, SECRET):
        log, other = io.StringIO(), Kept()
        one = replace(wanted.webhooks[0], secret=chosen)
        with outward_of(table, OutwardOptions((one,)), other.guard, Console(file=log)):
            pass
        assert other.guard.access.webhooks[0].secret not in log.getvalue()
        assert ("New webhook" in log.getvalue()) == (chosen is None)


def test_there_is_an_end_of_webhooks() -> None:
    with outward_of(FakeTable(), ANYWHERE) as outward:
        for url in ("ftp://example.org", "http://u:p@example.org"):
            with pytest.raises(Refusal, match="webhook is"):
                outward.add(url)
        outward.add("https://192.0.2.1/")
        with pytest.raises(Refusal, match="already"):
            outward.add("https://192.0.2.1/")
        for number in range(99):
            outward.add(f"https://192.0.2.1/{number}")
        with pytest.raises(Refusal, match="enough"):
            outward.add("https://192.0.2.1/more")


def test_waits_grow_and_differ() -> None:
    lowest = [mailbox.wait_s(tries, lambda least, most: least) for tries in (1, 2, 3, 60)]
    highest = [mailbox.wait_s(tries, lambda least, most: most) for tries in (1, 2, 3, 60)]
    assert highest == [0.01, 0.02, 0.04, 0.05]
    assert lowest == [one / 2 for one in highest]
