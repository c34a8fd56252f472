"""Lock of a hub: a second one on a folder or a database is refused, and the next one is not."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy", reason="the extra club is not installed: make dev")

from tests.club.postgres import postgres_serving, program
from tilesight.club.database.hub_lock import HubRunningError, only_hub


def _refused(folder: Path, where: str | Path, words: str) -> None:
    with pytest.raises(HubRunningError, match=words) as said, only_hub(folder, where):
        raise AssertionError("a second hub has begun")
    assert "\n" not in str(said.value) and "secret" not in str(said.value)


def test_a_folder_and_its_database_have_one_hub(tmp_path: Path) -> None:
    one, other, where = tmp_path / "one", tmp_path / "other", tmp_path / "hub.db"
    with only_hub(one, where):
        _refused(one, tmp_path / "another.db", "in this folder")
        _refused(other, where, "uses this database")
        with only_hub(other, tmp_path / "another.db"):
            pass
    with only_hub(one, where):
        pass


def test_a_postgresql_database_has_one_hub(tmp_path: Path) -> None:
    if program("postgres") is None:
        pytest.skip("PostgreSQL is not installed")
    with postgres_serving() as url:
        with only_hub(tmp_path / "one", url):
            _refused(tmp_path / "other", url, "uses this database")
        with only_hub(tmp_path / "other", url):
            pass
