"""`tilesight bench sessions`: recorded sessions through the live path, undisturbed and disturbed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import track

from tilesight.live.grid.controller import SquareSteward
from tilesight.replay.grid_replay import SquareReplay, start_of_squares, watch_squares
from tilesight.replay.tile_replay import Replay, compare_with_reference, start_of, watch
from tilesight.sessions.disturbed import DISTURBANCES
from tilesight.sessions.grid_session import SquareSession, is_square_session, read_square_session
from tilesight.sessions.session import Session, SessionError, read_session
from tilesight.settings import SettingsError


@dataclass(frozen=True, slots=True)
class Followed:
    """How one session was followed in one way. ``asked`` are the turns that people were asked about,
    ``alarms`` how often something was told to stand wrongly."""

    session: str
    way: str
    turns: int
    turns_exact: int
    scores_exact: int
    final_exact: bool
    asked: tuple[int, ...] = ()
    alarms: int = 0

    def to_json(self) -> dict[str, Any]:
        """The session as a row of the bench."""
        return {
            "session": self.session,
            "way": self.way,
            "turns": self.turns,
            "turns_exact": self.turns_exact,
            "scores_exact": self.scores_exact,
            "final_exact": self.final_exact,
            "asked": list(self.asked),
            "alarms": self.alarms,
        }

    def __str__(self) -> str:
        final = "exact" if self.final_exact else "WRONG"
        asked = f", asked about {', '.join(map(str, self.asked))}" if self.asked else ", nothing asked"
        alarms = f", {self.alarms} alarms" if self.alarms else ""
        return (
            f"{self.session} {self.way}: {self.turns_exact} of {self.turns} turns and "
            f"{self.scores_exact} running scores exact, final {final}{asked}{alarms}"
        )


def bench_sessions_command(
    folders: Annotated[list[Path], typer.Argument(metavar="SESSION...", help="sessions with their truth")],
    ways: Annotated[
        str, typer.Option("--as", help="how the camera was: " + ", ".join(DISTURBANCES))
    ] = ",".join(DISTURBANCES),
    gallery: Annotated[Path | None, typer.Option(help="the faces of a printed edition")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Replay sessions as recorded, with pictures doubled, with every third missing, and nudged."""
    names = [name.strip() for name in ways.split(",")]
    unknown = [name for name in names if name not in DISTURBANCES]
    if unknown:
        raise SettingsError(f"--as takes {', '.join(DISTURBANCES)}, not {unknown[0]!r}")
    sessions = [
        read_square_session(folder) if is_square_session(folder) else read_session(folder)
        for folder in folders
    ]
    for session in sessions:
        if session.reference is None:
            raise SessionError(f"{session.folder}: has no record to compare with")
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
    """Replay a session disturbed in one of the ways of ``DISTURBANCES``."""
    if isinstance(session, SquareSession):
        return _follow_squares(session, way, gallery)
    start, observe = start_of(session, gallery)
    replay = Replay(start)
    watch(DISTURBANCES[way](session), observe, replay, lambda *_: None)
    compare_with_reference(session, replay)
    compared = replay.compared
    assert compared is not None
    asked = tuple(number for number, _ in replay.asked())
    return Followed(
        session.folder.resolve().name,
        way,
        compared.turns,
        compared.turns_exact,
        compared.scores_exact,
        compared.final_exact,
        asked,
    )


def _follow_squares(session: SquareSession, way: str, gallery: Path | None) -> Followed:
    pack, observe = start_of_squares(session, gallery)
    session = session.played_with(pack)
    steward = SquareSteward(session.game, pack, session.opening, session.names)
    replay = SquareReplay(session)
    watch_squares(
        DISTURBANCES[way](session), observe, steward, lambda seen, index, _: replay.take(seen, index)
    )
    compared = replay.compared()
    return Followed(
        session.folder.resolve().name,
        way,
        compared["turns"],
        compared["turns_exact"],
        compared["scores_exact"],
        replay.exact,
        alarms=len(replay.alarms),
    )
