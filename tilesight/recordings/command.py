"""`tilesight replay`: replay of a recorded session, printed and compared with its record."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from platformdirs import user_cache_path
from rich.console import Console

from engine.record import header_from_json
from engine.tiles.seen_position import UnseenState
from tilesight.live.presentation import Showing, print_event, progress_bar, say_ready, stay_open
from tilesight.live.publication import EventSink
from tilesight.live.watching import WatchedFrame
from tilesight.outward.options import (
    MqttOption,
    NetworkOption,
    OutwardOptions,
    WebhookOption,
    outward_options,
)
from tilesight.recordings.replay import Recording, ReplayNarrator
from tilesight.recordings.squares_replay import open_squares
from tilesight.recordings.tile_replay import open_tiles
from tilesight.server.addresses import DEFAULT_HOST
from tilesight.sessions.heading import GameOption, PackOption, PlayersOption, RulesOption, session_heading
from tilesight.sessions.opening_words import (
    HandsOption,
    PositionOption,
    ScoresOption,
    ToOption,
    UnderWay,
    check_told,
    position_line,
    told_of,
)
from tilesight.sessions.session import Session, read_session
from tilesight.sessions.squares_session import SquareSession, is_square_session, read_square_session
from tilesight.sessions.video import is_video, names_video, video_session
from tilesight.settings import SettingsError, WithOption
from tilesight.table_log.event_store import SUFFIX
from web.table.access import new_key

if TYPE_CHECKING:
    from tilesight.server.dashboard import Dashboard

EXAMPLE = "red=Ana,blue=Bo"


def read_any_session(folder: Path) -> Session | SquareSession:
    """Read the session in ``folder``, of either kind of game. Raises SessionError if it is malformed."""
    return read_square_session(folder) if is_square_session(folder) else read_session(folder)


def open_recording(
    session: Session | SquareSession,
    gallery: Path | None = None,
    sink: EventSink | None = None,
    told: UnseenState | None = None,
) -> Recording[Any]:
    """Open a session for replay.

    ``gallery`` holds the faces of a printed edition, ``sink`` receives every event, ``told`` gives scores,
    hands and the next player of a game under way. Raises SessionError if the pack is not of the session's
    game or ``told`` does not fit its players.
    """
    if told is not None:
        check_told(told, session.names)
    if isinstance(session, SquareSession):
        return open_squares(session, gallery, sink)
    return open_tiles(session, gallery, sink, told)


def _begun_from(session: Session | SquareSession, line: str) -> Session | SquareSession:
    """Return the session with the position of ``line`` (docs/notation.md) as the start of its game.

    Raises FieldError if the line is invalid.
    """
    opening = session.header
    value = {"tilesight": 1, "game": opening.game, "pack": opening.pack, "players": list(opening.players)}
    rules = {} if opening.rules is None else {"rules": opening.rules}
    begun: Any = header_from_json({**value, **rules, "position": line})
    return replace(session, header=begun)


def run_replay(
    folder: Path,
    gallery: Path | None,
    showing: Showing,
    under_way: UnderWay | None = None,
    outward: OutwardOptions | None = None,
) -> None:
    """Replay the session in ``folder``; show it on the terminal, as JSON, or on the dashboard.

    ``under_way`` is what the options say about a game under way, ``outward`` where events are sent. On
    KeyboardInterrupt the result so far is printed before the exception propagates. Raises typer.Exit(1) if no
    picture shows a board, SessionError if the session cannot be read.
    """
    lines = showing.as_json and showing.serve
    session = read_any_session(folder)
    if under_way is not None and under_way.position is not None:
        session = _begun_from(session, position_line(under_way.position, None))
    told = None if under_way is None else under_way.told
    recording = open_recording(session, gallery, print_event if lines else None, told)
    out = Console(file=sys.stdout, highlight=False, quiet=showing.as_json)
    aside = Console(stderr=True, highlight=False)
    narrator = recording.narrator(out)
    with _published(recording, showing, outward or OutwardOptions(), aside) as dashboard:
        narrator.begin()
        if dashboard is not None:
            say_ready(dashboard, out, aside, as_json=showing.as_json)
        try:
            _watch(recording, narrator, showing, aside)
        except KeyboardInterrupt:
            _tell_result(recording, narrator, as_json=showing.as_json, lines=lines)
            raise
        try:
            recording.replay.compare()
        finally:  # print the result even if the record cannot be read
            recording.table.game.close_with_source()
            _tell_result(recording, narrator, as_json=showing.as_json, lines=lines)
        if dashboard is not None and not showing.exit_at_end:
            stay_open(dashboard, aside)
    if not recording.replay.board_seen:
        print(f"tilesight: no picture of {folder} shows a board", file=sys.stderr)
        raise typer.Exit(1)


def replay_command(
    session: Annotated[Path, typer.Argument(help="a session's folder, or a video")],
    gallery: Annotated[Path | None, typer.Option(help="the faces of a printed edition")] = None,
    serve: Annotated[bool, typer.Option("--serve", help="show the game on the dashboard")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="one JSON document on stdout (with --serve: JSON Lines)")
    ] = False,
    host: Annotated[str, typer.Option(help="address to serve on")] = DEFAULT_HOST,
    port: Annotated[int | None, typer.Option(help="port to serve on")] = None,
    position: PositionOption = None,
    to: ToOption = None,
    scores: ScoresOption = None,
    hands: HandsOption = None,
    webhook: WebhookOption = None,
    webhook_network: NetworkOption = None,
    mqtt: MqttOption = None,
    game: GameOption = None,
    players: PlayersOption = None,
    pack: PackOption = None,
    rules: RulesOption = None,
    given: WithOption = None,
) -> None:
    """Replay a recorded session: print turns and scores with their reasons; compare them with its record."""
    if names_video(session):
        raise SettingsError(f"{session}: no such video")
    if session.suffix == SUFFIX and session.is_file():
        raise SettingsError(f"{session}: is a table; make a session of it: tilesight export {session} FOLDER")
    if is_video(session):
        if game is None or players is None:
            raise SettingsError(f"{session}: a video needs --game and --players, such as --players {EXAMPLE}")
        session = _session_of_video(session, session_heading(game, players, pack, rules, given or ()))
    elif any((game, players, pack, rules, given)):
        raise SettingsError("--game, --players, --pack, --rules, --with are for videos: a session names them")
    under_way = UnderWay(position, told_of(to, scores, hands))
    outward = outward_options(webhook, webhook_network, mqtt)
    showing = Showing(serve, as_json, exit_at_end=False, host=host, port=port)
    run_replay(session, gallery, showing, under_way, outward)


def _session_of_video(video: Path, heading: dict[str, Any]) -> Path:
    """Return the session of a video, which is read with a progress bar unless it was read before."""
    with progress_bar(Console(stderr=True)) as progress:
        task = progress.add_task("reading the video (s)", total=None)
        return video_session(
            video,
            heading,
            lambda t_s, all_s: progress.update(task, completed=round(t_s), total=round(all_s) or None),
            user_cache_path("tilesight", appauthor=False) / "videos",
        )


@contextmanager
def _published(
    recording: Recording[Any], showing: Showing, outward: OutwardOptions, aside: Console
) -> Iterator[Dashboard | None]:
    """Send the table's events outward and serve its dashboard, where asked for; yield the dashboard."""
    if not showing.serve and outward == OutwardOptions():
        yield None
        return
    # Imported here, since the web server takes as long to import as everything else.
    from tilesight.outward.outward import TableOutward
    from tilesight.server.dashboard import Dashboard
    from web.limits.keys import KeyGuard

    table, guard, shown = recording.table, KeyGuard(new_key()), showing.serve
    server = Dashboard(table, host=showing.host, port=showing.port, key=guard) if shown else nullcontext()
    with server as dashboard, TableOutward(table, guard, outward, aside) as sending:
        if dashboard is not None:
            dashboard.offer(sending)
        yield dashboard


def _watch(
    recording: Recording[Any], narrator: ReplayNarrator[Any], showing: Showing, aside: Console
) -> None:
    with progress_bar(aside) as progress:
        task = progress.add_task("watching", total=len(recording.session.frames))

        def advance(seen: WatchedFrame[Any]) -> None:
            progress.update(task, completed=seen.frame.index + 1)

        recording.watch(narrator.take, advance, _slowly(showing.turn_s))


def _slowly(turn_s: float) -> Callable[[WatchedFrame[Any]], None]:
    """Return an observer that sleeps so that new turns come at least ``turn_s`` seconds apart (0: never)."""
    last_s = time.monotonic()
    known: list[Any] = []

    def wait(seen: WatchedFrame[Any]) -> None:
        nonlocal last_s, known
        turns = [turn.turn for turn in seen.understood.turns]
        if turn_s and turns != known:
            time.sleep(max(0.0, last_s + turn_s - time.monotonic()))
            last_s = time.monotonic()
        known = turns

    return wait


def _tell_result(
    recording: Recording[Any], narrator: ReplayNarrator[Any], *, as_json: bool, lines: bool
) -> None:
    if as_json:
        document = recording.replay.to_json()
        print(json.dumps({"type": "result", **document} if lines else document), flush=True)
    else:
        narrator.end()
