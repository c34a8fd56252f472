"""Hub's database: migrations create the tables that the classes declare, and keep the rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import inspect

pytest.importorskip("alembic", reason="the extra club is not installed: make dev")

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.orm import Session

from tilesight.club.database.engine import DatabaseError, open_database
from tilesight.club.database.models import Base, Table


def test_migrations_lead_to_what_the_classes_say(tmp_path: Path) -> None:
    engine = open_database(tmp_path / "hub.db")
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
        assert {"tables", "games", "entries", "accounts", "acts"} <= set(
            inspect(connection).get_table_names()
        )
    engine.dispose()


def test_a_database_is_opened_again_with_what_is_in_it(tmp_path: Path) -> None:
    engine = open_database(tmp_path / "hub.db")
    with Session(engine) as session, session.begin():
        session.add(Table(id="one", joined_s=1.0))
    engine.dispose()
    again = open_database(tmp_path / "hub.db")
    with Session(again) as session:
        assert session.get(Table, "one") is not None
    again.dispose()


@pytest.mark.parametrize("where", ["nothing://x", "postgresql://who:secret@127.0.0.1:1/none"])
def test_a_database_that_cannot_be_opened_gives_one_line_without_its_password(where: str) -> None:
    with pytest.raises(DatabaseError) as said:
        open_database(where)
    assert "\n" not in str(said.value) and "secret" not in str(said.value)
