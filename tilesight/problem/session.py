"""Session of a report: its pictures in the log beside it, each with its place in the whole picture."""

from __future__ import annotations

import json
from pathlib import Path

from engine.game import OpenGame
from engine.games import game_named
from tilesight.export.session import session_head, timeline_of, turns_before
from tilesight.problem.excerpt import Excerpt
from tilesight.sessions.session import SESSION_FILE


def write_session(excerpt: Excerpt, folder: Path) -> None:
    """Write the session of an excerpt into ``folder``, where its log lies, for `tilesight replay`.

    Nothing is written if there are no pictures. Nor for a board of squares: its sessions cannot begin in the
    middle of a game.
    """
    names = {entry.number: tuple(pictures) for entry, pictures in excerpt.entries}
    timeline = timeline_of([entry for entry, _ in excerpt.entries], names.__getitem__)
    if not timeline.pictures or isinstance(game_named(str(excerpt.ledger.header["game"])), OpenGame):
        return
    frames = [
        {
            "file": f"frames/{i:04d}.jpg",
            "t_s": round(picture.t_s, 2),
            "entry": picture.entry,
            "picture": picture.name,
            **excerpt.places[picture.entry, picture.name].to_json(),
        }
        for i, picture in enumerate(timeline.pictures)
    ]
    session = {**session_head(timeline), **turns_before(timeline, folder), "frames": frames}
    text = json.dumps(session, ensure_ascii=False, indent=1)
    (folder / SESSION_FILE).write_text(text + "\n", encoding="utf-8")
