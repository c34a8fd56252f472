"""Page scan: reads a log's entries directly from its database pages, without the B-tree.

A page of a table's tree keeps whole rows (https://www.sqlite.org/fileformat2.html, 'B-tree Pages' and 'Record
Format'). Each entry's own checksum tells real entries from garbage.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tilesight.table_log.event_store import Entry, entry_of

LEAF = 0x0D
"""Number that begins a page of rows."""
PAGE_BYTES = 4096
"""Bytes of a page where the file does not say."""
COLUMNS = 5
"""Columns of an entry's row."""
LARGEST_ROW_BYTES = 8 * 1024 * 1024
"""Bytes of a row at most; a damaged length may be any."""


def entries_on_pages(path: Path) -> Iterator[Entry]:
    """Yield every undamaged entry of format 2 in a log's file and its write-ahead file; some occur twice."""
    for file, head, gap in ((path, 0, 0), (path.with_name(f"{path.name}-wal"), 32, 24)):
        try:
            data = file.read_bytes()
        except OSError:
            continue
        size = _page_bytes(data, 8 if head else 16, 4 if head else 2)
        pages = [data[at + gap : at + gap + size] for at in range(head, len(data), size + gap)]
        for number, page in enumerate(pages):
            chained = [] if head else pages  # pages beside the file are in no order
            for row in _rows(page, 100 if number == 0 and not head else 0, chained):
                entry = entry_of(row)
                if entry is not None and row[4] is not None:
                    yield entry


def _page_bytes(data: bytes, at: int, width: int) -> int:
    """Return the page size in a header, ``width`` bytes at offset ``at``; `PAGE_BYTES` if it is invalid."""
    size = int.from_bytes(data[at : at + width], "big")
    return size if size in (512, 1024, 2048, 4096, 8192, 16384, 32768) else PAGE_BYTES


def _rows(page: bytes, head: int, pages: list[bytes]) -> Iterator[tuple[Any, ...]]:
    """Yield rows on a page that may be entries, with checksums not yet verified.

    ``head`` is the length of the file's header on it, ``pages`` are the file's pages, on which long rows
    continue. Rows that cannot be decoded are skipped.
    """
    if len(page) < head + 8 or page[head] != LEAF:
        return
    count = int.from_bytes(page[head + 3 : head + 5], "big")
    for n in range(min(count, (len(page) - head - 8) // 2)):
        at = int.from_bytes(page[head + 8 + 2 * n : head + 10 + 2 * n], "big")
        try:
            size, at = _varint(page, at)
            number, at = _varint(page, at)
            values = _values(_payload(page, at, size, pages))
        except (IndexError, ValueError, struct.error):
            continue
        if len(values) == COLUMNS:
            yield number, values[1], values[2], values[3], values[4]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the varint (one to nine bytes) at offset ``at``, and the offset after it.

    Raises IndexError if ``data`` ends within it.
    """
    value = 0
    for n in range(9):
        byte = data[at + n]
        if n == 8:
            return value << 8 | byte, at + 9
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + n + 1
    raise ValueError("no number")


def _payload(page: bytes, at: int, size: int, pages: list[bytes]) -> bytes:
    """Return the ``size`` bytes of a row that begins at offset ``at``, following overflow pages.

    Raises ValueError if it is too long or a page is missing, IndexError if there is no such page.
    """
    usable = len(page)
    if size <= usable - 35:
        return page[at : at + size]
    if size > LARGEST_ROW_BYTES:
        raise ValueError("too long")
    least = (usable - 12) * 32 // 255 - 23
    here = least + (size - least) % (usable - 4)
    here = here if here <= usable - 35 else least
    data = bytearray(page[at : at + here])
    following = int.from_bytes(page[at + here : at + here + 4], "big")
    while len(data) < size:
        more = pages[following - 1] if following else b""
        if len(more) < 5:
            raise ValueError("its end is missing")
        data += more[4 : 4 + size - len(data)]
        following = int.from_bytes(more[:4], "big")
    return bytes(data)


def _values(row: bytes) -> list[Any]:
    """Decode the columns of a row, at most `COLUMNS` + 1.

    Raises ValueError or IndexError if it is cut short.
    """
    head, at = _varint(row, 0)
    kinds = []
    while at < head:
        kind, at = _varint(row, at)
        kinds.append(kind)
    values: list[Any] = []
    for kind in kinds[: COLUMNS + 1]:
        width = (0, 1, 2, 3, 4, 6, 8, 8, 0, 0)[kind] if kind < 10 else (kind - 12) // 2
        part, at = row[at : at + width], at + width
        if len(part) < width:
            raise ValueError("cut short")
        if kind >= 12:
            values.append(part.decode() if kind % 2 else part)
        elif kind == 7:
            values.append(struct.unpack(">d", part)[0])
        elif kind == 0:
            values.append(None)
        else:
            values.append(kind - 8 if kind in (8, 9) else int.from_bytes(part, "big", signed=True))
    if len(values) == COLUMNS and isinstance(values[2], int):
        values[2] = float(values[2])  # a whole number of seconds is kept as one
    return values
