"""Entries of this machine's one log as JSON, as they are sent to a hub: run on a table's machine."""

from __future__ import annotations

import json

from tilesight.club.messages import LogEntry
from tilesight.home import tables_folder
from tilesight.table_log.event_store import TableStore

[path] = tables_folder().glob("*.table")
with TableStore(path, read_only=True) as store:
    told = [LogEntry.of(one) for one in store.entries()]
print(json.dumps([[one.number, one.kind, one.at_s, one.data] for one in told]))
