"""Watching loop of a live table: pictures go from source to controller, and no error of either ends it."""

from __future__ import annotations

import logging
from collections.abc import Callable

from tilesight.live.sources import Lost, Source
from tilesight.table_log.event_store import StoreError
from vision.observation import Frame

log = logging.getLogger("tilesight.live.watching")


def watch(source: Source, see: Callable[[Frame], None], lost: Callable[[str], None]) -> None:
    """Hand every picture to ``see`` until no more come, and say to ``lost`` why none comes.

    A picture at which ``see`` fails is a lost picture. Where the log cannot be written (a full disk) nothing
    of the picture was told, and the next one says it all again.
    """
    for got in source.frames():
        if isinstance(got, Lost):
            lost(got.message)
            continue
        try:
            see(got)
        except StoreError as error:
            log.warning("%s", error)
            lost(f"{error}; trying again with the next picture")
        except Exception as error:  # one picture must not end the game, whatever it holds
            log.exception("picture %d of %s is lost", got.index, got.source)
            lost(f"a picture could not be used ({type(error).__name__}); waiting for the next")
