"""Shelf: the label sets of this home, one for each game, and what is done with them."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from tilesight.export.game import table_path
from tilesight.home import learning_folder, tables_folder
from tilesight.learning.gathering import gather_session, gather_table
from tilesight.learning.labels import LabelsError, LabelSet, read_labels
from tilesight.sessions.session import SESSION_FILE
from tilesight.settings import PASSED_OVER
from tilesight.table_log.event_fold import empty_ledger, labels_kept
from tilesight.table_log.event_store import SUFFIX, StoreError, TableStore
from vision.tiles.gallery_file import pack_in

Tell = Callable[[str], None]
"""Takes one line for the user."""


def sets_folder() -> Path:
    """Return the folder of the label sets."""
    return learning_folder() / "labels"


def gather(sources: Sequence[str], gallery: Path | None, tell: Tell) -> None:
    """Gather the labels of ``sources``: tables that agreed, and sessions with their true record.

    Without sources: of every table in Tilesight's home that agreed; one that cannot be read is told and
    passed over. With a ``gallery``: of tables of its pack alone. A log that has not grown since is not read
    again. The labels of a table that does not agree any more are deleted.
    """
    pack = None if gallery is None else pack_in(gallery)[0]
    for source in sources:
        if (Path(source) / SESSION_FILE).is_file():
            folder = sets_folder() / f"session-{Path(source).resolve().name}"
            tell(f"Gathering from {source} ...")
            gather_session(Path(source), folder, gallery)
            continue
        path = table_path(source)
        with TableStore(path, read_only=True) as store:
            if not labels_kept(store.entries()):
                raise LabelsError(
                    f"{path}: this table does not keep labels; its host switches that on at the table"
                )
            _gather_table(store, gallery, tell)
    if sources:
        return
    for path in sorted(tables_folder().glob(f"*{SUFFIX}")):
        try:
            with TableStore(path, read_only=True) as store:
                entries = store.entries()
                if not labels_kept(entries):
                    _delete(sets_folder() / path.stem)
                elif pack in (None, empty_ledger(entries).with_entry(entries[0]).header.get("pack")):
                    _gather_table(store, gallery, tell)
        except (StoreError, LabelsError, *PASSED_OVER) as error:
            tell(f"{path.name}: {error}; passed over")


def label_sets(tell: Tell) -> Iterator[LabelSet]:
    """Yield the label sets of this home; one that cannot be read is told and passed over."""
    for folder in sorted(sets_folder().glob("[!.]*")):
        try:
            yield read_labels(folder)
        except LabelsError as error:
            tell(f"{error}; passed over")


def forget() -> int:
    """Delete all label sets, and return how many there were. Raises LabelsError if one cannot be deleted."""
    folders = [one for one in sets_folder().glob("*") if one.is_dir()]
    for folder in folders:
        _delete(folder)
    return len(folders)


def _gather_table(store: TableStore, gallery: Path | None, tell: Tell) -> None:
    """Gather the labels of a table's log, unless a sound set of the whole log is there."""
    folder, entries = sets_folder() / store.path.stem, store.entries()
    with contextlib.suppress(LabelsError):
        known = read_labels(folder).header
        # A photograph that was kept again has a new log of the same name.
        if (known.at_s, known.entries) == (entries[0].at_s, len(entries)):
            return
    tell(f"Gathering from {store.path.name} ...")
    gather_table(store, folder, gallery)


def _delete(folder: Path) -> None:
    try:
        if folder.is_dir():
            shutil.rmtree(folder)
    except OSError as error:
        raise LabelsError(f"{folder}: cannot be deleted ({error.strerror})") from None
