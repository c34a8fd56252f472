"""The feed keeps order, replays what was missed and loses nothing between replay and live."""

from __future__ import annotations

import json
import threading

import pytest

from web.table.feed import Feed, FeedEvent


def test_events_count_from_one_and_carry_their_data() -> None:
    feed = Feed(clock=lambda: 100.0)
    first = feed.publish("turn", {"turn": 1}, frame=3, t_frame_s=99.5)
    second = feed.publish("camera", {"seeing": "moving"})
    assert (first.id, second.id, feed.last_id) == (1, 2, 2)
    assert json.loads(first.body) == {"id": 1, "type": "turn", "frame": 3, "t_frame_s": 99.5, "turn": 1}


def test_an_event_is_one_line_of_json_stamped_when_sent() -> None:
    event = Feed().publish("score", {"why": "zebra\nlion"}, frame=7, t_frame_s=1.25)
    assert "\n" not in event.json_sent(2.5)
    data = json.loads(event.json_sent(2.5))
    assert data["id"] == 1 and data["type"] == "score"
    assert data["t_sent_s"] == 2.5 and data["t_frame_s"] == 1.25 and data["frame"] == 7
    assert data["why"] == "zebra\nlion"


def test_data_cannot_overwrite_the_head() -> None:
    event = Feed().publish("turn", {"id": 99, "type": "end", "t_sent_s": 0})
    assert json.loads(event.json_sent(5.0)) == {
        "id": 1, "type": "turn", "frame": None, "t_frame_s": None, "t_sent_s": 5.0,
    }  # fmt: skip


def test_unknown_type_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown event type 'party'"):
        Feed().publish("party")  # type: ignore[arg-type]


def test_only_the_newest_events_are_kept() -> None:
    feed = Feed(keep=3)
    for _ in range(5):
        feed.publish("turn")
    assert [event.id for event in feed.since(0)] == [3, 4, 5]
    assert [event.id for event in feed.since(4)] == [5]


def test_nothing_is_lost_or_doubled_while_another_thread_publishes() -> None:
    feed = Feed()

    def publish() -> None:
        for _ in range(500):
            feed.publish("turn")

    thread = threading.Thread(target=publish)
    thread.start()
    heard: list[FeedEvent | None] = []
    missed, stop = feed.listen(heard.append, after=0)
    thread.join()
    stop()
    assert [event.id for event in (*missed, *heard) if event] == list(range(1, 501))


def test_a_listener_that_stopped_hears_nothing_more() -> None:
    feed = Feed()
    heard: list[FeedEvent | None] = []
    _, stop = feed.listen(heard.append)
    feed.publish("turn")
    stop()
    feed.publish("turn")
    assert len(heard) == 1


def test_closing_tells_those_who_listen_and_those_who_come_later() -> None:
    feed = Feed()
    early: list[FeedEvent | None] = []
    late: list[FeedEvent | None] = []
    feed.listen(early.append)
    feed.close()
    feed.listen(late.append)
    assert early == [None] and late == [None]
