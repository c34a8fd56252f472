"""Tables without a computer: kept through restarts, each with its card."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from sqlalchemy import Engine
from sqlalchemy.orm import Session

from tests.tilesight.club.club_parts import LinkProcess, Table, until
from tests.tilesight.club.socket_hubs import served_hub
from tilesight.club.database.engine import open_database
from tilesight.club.database.models import PhoneTableRow
from tilesight.club.hub.phone_tables import PhoneTables
from web.club.phone_tables import NewPhoneTable

ASKED = NewPhoneTable("Table 7", "safari", (("red", "Ana"), ("blue", "Bo")))


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = open_database(tmp_path / "hub.db")
    yield opened
    opened.dispose()


def test_a_table_and_its_key_outlive_the_hub(engine: Engine) -> None:
    tables = PhoneTables(engine)
    seven = tables.begin(ASKED)
    eight = tables.begin(NewPhoneTable("Table 8", "tricky-safari", (("yellow", "A=B"), ("red", "C"))))
    tables.end(seven.id)
    again = PhoneTables(engine)
    assert again.open_tables() == [eight] and again.key_of("table-8") == eight.key
    assert again.key_of("table-7") is None
    with Session(engine) as session:
        closed = session.get_one(PhoneTableRow, "table-7")
    assert (closed.players, closed.key) == ("", ""), "who played is forgotten"


def test_the_card_of_an_evening_before_gives_way_to_the_new_table(engine: Engine, tmp_path: Path) -> None:
    tables = PhoneTables(engine)
    with served_hub(tmp_path / "club", engine, phones=tables) as served:
        hub = served.hub
        tables.begin(ASKED)
        [card] = hub.tables()
        assert (card.phone, card.log, card.phase, card.connection) == ("open", "", "waiting", "quiet")
        table = Table(tmp_path / "a.table")
        table.play(2)
        link = LinkProcess(served.invite("table-7").url, table.path)
        until(lambda: hub.tables()[0].turns == 2)
        assert (hub.tables()[0].phone, hub.tables()[0].phase) == ("open", "playing")
        table.close()
        link.finish()
        tables.end("table-7")
        assert (hub.tables()[0].phone, hub.tables()[0].turns) == ("closed", 2)
        tables.begin(ASKED)
        assert (hub.tables()[0].phone, hub.tables()[0].turns, hub.tables()[0].log) == ("open", 0, "")
