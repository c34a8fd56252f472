"""The log of a live table while it is written, on the disk or in memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilesight.live import journal as journal_module
from tilesight.live.album import BOARD_AT, Shot, jpeg_of
from tilesight.live.journal import Journal
from tilesight.table_log.event_fold import EntryKind, Ledger
from tilesight.table_log.event_store import TableStore

LINES = [
    {"player": "red", "tile": f"CS{number}", "cell": [number, 0], "rot": 0, "draws": {}} for number in (1, 2)
]
SHOT = Shot(np.full((72, 128, 3), 90, np.uint8), np.diag([20.0, 20.0, 1.0]))


def write(journal: Journal, keep: int) -> None:
    jpeg, about = SHOT.to_keep()
    data = {"keep": keep, "lines": [LINES[keep]], "frames": [keep], **about}
    journal.write(EntryKind.SEEN, data, {"frame": jpeg})


@pytest.mark.parametrize("kept", [True, False])
def test_a_turn_has_its_picture_on_the_disk_or_in_memory(tmp_path: Path, kept: bool) -> None:
    with TableStore(tmp_path / "one.table") as store:
        journal = Journal(Ledger(), store if kept else None)
        write(journal, 0)
        write(journal, 1)
        assert journal.live == kept
        assert [turn.tile for turn in journal.ledger.turns] == ["CS1", "CS2"]
        for number in (1, 2):
            shot = journal.shot(number)
            assert shot is not None and shot.H_px_from_board is not None
            assert shot.image.shape == SHOT.image.shape
            assert shot.H_px_from_board == pytest.approx(SHOT.H_px_from_board)
        assert journal.shot(0) is journal.shot(3) is None
        assert len(store.entries()) == 2 * kept


def test_time_in_which_the_game_slept_is_not_played(tmp_path: Path) -> None:
    with TableStore(tmp_path / "one.table") as store:
        for kind, at_s in (
            (EntryKind.LOOKED, 1000.0),
            (EntryKind.LOOKED, 1600.0),
            (EntryKind.LOOKED, 90_000.0),
            (EntryKind.LOOKED, 90_300.0),
        ):
            store.append(kind, {}, at_s=at_s)
        store.append(EntryKind.SEATED, {"color": "red", "name": "Ana"}, at_s=90_700.0)
        journal = Journal(Ledger(), store)
        assert journal.span == (1000.0, 900.0)
        journal.write(EntryKind.LOOKED, {}, {})
        assert journal.span == (1000.0, 900.0)


def test_of_a_recording_only_the_latest_pictures_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journal_module, "PICTURES_IN_MEMORY", 1)
    journal = Journal(Ledger(), None)
    write(journal, 0)
    write(journal, 1)
    assert journal.shot(1) is None and journal.shot(2) is not None


def test_a_wide_picture_is_kept_smaller_with_its_board() -> None:
    wide = Shot(np.full((1080, 2560, 3), 90, np.uint8), np.diag([20.0, 20.0, 1.0]))
    jpeg, about = wide.to_keep()
    again = Shot.kept(jpeg, about)
    assert again.image.shape == (540, 1280, 3)
    assert again.H_px_from_board == pytest.approx(np.diag([10.0, 10.0, 1.0]))
    assert BOARD_AT not in Shot(wide.image, None).to_keep()[1]
    assert jpeg == jpeg_of(wide.image)
