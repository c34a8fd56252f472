"""The lobby's tables: those on the disk, and those that it watches."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tilesight.outward.receiver import receiving
from tilesight.home import tables_folder
from tilesight.lobby.lobby import TableLobby, _arguments
from tilesight.lobby.memory import LobbyMemory
from tilesight.outward.options import environment_of
from tilesight.sessions.samples import sample_folder
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import SUFFIX, TableStore
from web.lobby_app import NewTable, TableCard
from web.table.refusal import Refusal

ANA_BO = (("red", "Ana"), ("blue", "Bo"))
HEADER = {"tilesight": 1, "game": "safari", "pack": "savanna", "rules": "zman", "players": ["red", "blue"]}


@pytest.fixture
def lobby(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TableLobby]:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path))
    tables_folder().mkdir(parents=True)
    with TableLobby(LobbyMemory(), host="127.0.0.1") as opened:
        yield opened


def _log(name: str, *, ended: bool = False, header: dict[str, object] | None = None) -> Path:
    path = tables_folder() / f"{name}{SUFFIX}"
    with TableStore(path) as store:
        store.append(EntryKind.OPENED, {"header": header or HEADER, "names": dict(ANA_BO)})
        if ended:
            store.append(EntryKind.ENDED, {})
    return path


def test_logs_are_shown_by_what_they_come_to(lobby: TableLobby) -> None:
    _log("sleeping")
    _log("over", ended=True)
    (tables_folder() / f"damaged{SUFFIX}").write_bytes(b"no log")
    cards = {card.id: card for card in lobby.tables()}
    assert {name: card.phase for name, card in cards.items()} == {"sleeping": "sleeping", "over": "ended"}
    assert cards["sleeping"].asked == NewTable("savanna", ANA_BO, "", "zman")
    assert cards["over"].points == {"red": 0, "blue": 0} and cards["sleeping"].points == {}
    with TableStore(tables_folder() / f"sleeping{SUFFIX}"):
        assert {card.id: card.phase for card in lobby.tables()}["sleeping"] == "elsewhere"


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (NewTable("nothing", ANA_BO, "0"), "unknown_pack"),
        (NewTable("hunters-gatherers-2020", ANA_BO, "0"), "not_enrolled"),
        (NewTable("savanna", (("red", "A"), ("red", "B")), "0"), "colors"),
        (NewTable("savanna", (("pink", "A"), ("red", "B")), "0"), "colors"),
        (NewTable("savanna", ANA_BO, "0", "house"), "unknown_rules"),
        (NewTable("savanna", ANA_BO, "0", fields={"river": "c1"}), "unknown_field"),
        (NewTable("bastide", ANA_BO, "0", fields={"river": "c2"}), "unknown_field"),
        (NewTable("savanna", (("red", "A,blue=B"),), "0"), "names"),
    ],
)
def test_a_table_that_cannot_be_played_is_refused(lobby: TableLobby, asked: NewTable, code: str) -> None:
    with pytest.raises(Refusal) as refused:
        lobby.begin(asked)
    assert refused.value.code == code and not lobby.tables()


def test_a_game_with_the_river_is_begun_and_asked_for_again(lobby: TableLobby) -> None:
    fields = {card.pack.id: card.fields for card in lobby.editions()}
    assert fields["bastide"] == {"river": ("c1", "c3")} and fields["savanna"] == {}
    asked = NewTable("bastide", ANA_BO, "0", fields={"river": "c3"})
    assert "--with=river=c3" in _arguments(asked, "carcassonne", tables_folder() / "log")
    _log(
        "rainy", header={**HEADER, "game": "carcassonne", "pack": "bastide", "rules": "third", "river": "c3"}
    )
    assert {card.id: card.asked.fields for card in lobby.tables()} == {"rainy": {"river": "c3"}}


def test_labels_are_kept_only_where_the_form_asks_for_it(lobby: TableLobby) -> None:
    asked = NewTable("savanna", ANA_BO, "0", keep_labels=True)
    assert "--keep-labels" in _arguments(asked, "safari", tables_folder() / "log")
    asked = NewTable("savanna", ANA_BO, "0")
    assert "--keep-labels" not in _arguments(asked, "safari", tables_folder() / "log")


def test_a_table_with_discs_for_meeples_is_watched_so(lobby: TableLobby) -> None:
    for discs in (False, True):
        asked = NewTable("savanna", ANA_BO, "0", discs=discs)
        assert ("--discs" in _arguments(asked, "safari", tables_folder() / "log")) is discs


def test_only_a_game_that_was_broken_off_is_taken_up(lobby: TableLobby) -> None:
    _log("over", ended=True)
    with TableStore(_log("open")):
        for table, code in (("over", "over"), ("open", "watched"), ("../over", "unknown_table")):
            with pytest.raises(Refusal) as refused:
                lobby.resume(table, "phone")
            assert refused.value.code == code


class _Process:
    """A table's process that does nothing."""

    def __init__(self, arguments: object, hub: object) -> None:
        self.running, self.reason = True, ""
        self.ready = {"url": "http://127.0.0.1", "host_key": "K"}

    def stop(self) -> None:
        self.running = False


def test_a_table_that_is_over_says_so_and_gives_its_camera_to_the_next(
    lobby: TableLobby, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tilesight.lobby.lobby.TableProcess", _Process)
    first, phone = (lobby.begin(NewTable("savanna", ANA_BO, camera)) for camera in ("0", "phone"))
    for one in (first, phone):
        _log(one.id, ended=True)
    told = {card.id: (card.phase, card.over) for card in lobby.tables()}
    assert told == {first.id: ("running", True), phone.id: ("running", True)}
    next_ = [lobby.begin(NewTable("savanna", ANA_BO, camera)).id for camera in ("0", "phone")]
    told = {card.id: (card.phase, card.over) for card in lobby.tables()}
    assert told == {
        first.id: ("ended", True),
        phone.id: ("running", True),
        **dict.fromkeys(next_, ("running", False)),
    }


def _until(lobby: TableLobby, table: str, phase: str, turns: int = 0) -> TableCard:
    for _ in range(600):
        card = next(card for card in lobby.tables() if card.id == table)
        if card.phase == phase and card.turns >= turns:
            return card
        time.sleep(0.1)
    raise AssertionError(card)


@pytest.mark.long
def test_a_table_is_watched_stopped_and_taken_up(lobby: TableLobby, monkeypatch: pytest.MonkeyPatch) -> None:
    sample = str(sample_folder("first-light"))
    with receiving() as receiver:  # as `tilesight lobby --webhook` hands it on
        for name, value in environment_of([receiver.url], ["127.0.0.0/8"], None).items():
            monkeypatch.setenv(name, value)
        begun = lobby.begin(NewTable("savanna", ANA_BO, sample))
        assert begun.phase == "starting"
        running = _until(lobby, begun.id, "running", turns=2)
        receiver.wait_for(lambda got: any(one.event["type"] == "turn" for one in got))
    assert running.url is not None and running.url.startswith("http://127.0.0.1:")
    lobby.stop(begun.id)
    stopped = _until(lobby, begun.id, "sleeping", turns=2)
    assert stopped.asked.camera == sample
    assert lobby.names() == {}, "the players of a sample are not the people here"
    again = lobby.resume(begun.id, sample)
    assert again.id == begun.id
    assert _until(lobby, begun.id, "running", stopped.turns + 1).asked.players == ANA_BO


@pytest.mark.long
def test_a_table_that_cannot_start_says_why_and_is_forgotten(lobby: TableLobby, tmp_path: Path) -> None:
    begun = lobby.begin(NewTable("savanna", ANA_BO, str(tmp_path / "nowhere")))
    assert "nowhere" in _until(lobby, begun.id, "failed").message
    lobby.stop(begun.id)
    assert [card.phase for card in lobby.tables()] in ([], ["sleeping"])
