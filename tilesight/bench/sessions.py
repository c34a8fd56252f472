"""`tilesight bench sessions`: recorded sessions, as recorded and disturbed, through the live path."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

from tilesight.recordings.command import open_recording, read_any_session
from tilesight.recordings.replay import Figures
from tilesight.sessions.disturbed import DISTURBANCES
from tilesight.sessions.session import Session, SessionError
from tilesight.sessions.squares_session import SquareSession
from tilesight.settings import SettingsError


@dataclass(frozen=True, slots=True)
class Followed:
    """Result of following one session with the disturbance ``way`` (a key of ``DISTURBANCES``)."""

    session: str
    way: str
    figures: Figures

    def to_json(self) -> dict[str, Any]:
        """Return one row of ``--json`` (docs/formats.md, 'Output of bench')."""
        return {"session": self.session, "way": self.way, **asdict(self.figures)}

    def __str__(self) -> str:
        one = self.figures
        final = "exact" if one.final_exact else "WRONG"
        asked = f", asked about {', '.join(map(str, one.asked))}" if one.asked else ", nothing asked"
        alarms = f", {one.alarms} alarms" if one.alarms else ""
        return (
            f"{self.session} {self.way}: {one.turns_exact} of {one.turns} turns and "
            f"{one.scores_exact} running scores exact, final {final}{asked}{alarms}"
        )


def bench_sessions_command(
    folders: Annotated[
        list[Path], typer.Argument(metavar="SESSION...", help="sessions with their game records")
    ],
    ways: Annotated[
        str, typer.Option("--as", help="disturbances, separated by commas: " + ", ".join(DISTURBANCES))
    ] = ",".join(DISTURBANCES),
    gallery: Annotated[Path | None, typer.Option(help="the faces of a printed edition")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Replay sessions as recorded, with frames doubled, with every third missing, with the camera nudged."""
    names = [name.strip() for name in ways.split(",")]
    unknown = [name for name in names if name not in DISTURBANCES]
    if unknown:
        raise SettingsError(f"--as takes {', '.join(DISTURBANCES)}, not {unknown[0]!r}")
    sessions = [read_any_session(folder) for folder in folders]
    for session in sessions:
        if session.reference is None:
            raise SessionError(f"{session.folder}: there is no record to compare with")
    rows: list[Followed] = []
    tasks = [(session, name) for session in sessions for name in names]
    console = Console(stderr=True)
    for session, name in track(tasks, description="Replaying", console=console, disable=as_json):
        rows.append(follow(session, name, gallery))
        if not as_json:
            print(rows[-1], flush=True)
    if as_json:
        print(json.dumps({"tilesight": 1, "sessions": [row.to_json() for row in rows]}))


def follow(session: Session | SquareSession, way: str, gallery: Path | None = None) -> Followed:
    """Replay a session with the disturbance ``way`` (a key of ``DISTURBANCES``); compare with its record."""
    replay = open_recording(DISTURBANCES[way](session), gallery).watch()
    replay.compare()
    return Followed(session.folder.resolve().name, way, replay.figures())
