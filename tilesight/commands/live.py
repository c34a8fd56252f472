"""`tilesight live`: watches a camera, records the game, and serves it to every phone at the table."""

from __future__ import annotations

import math
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from engine.games import game_names
from tilesight.camera_option import CAMERA, profile_name, told_camera
from tilesight.commands.live_games import AskedGame, LiveRun, asked_game
from tilesight.commands.live_hub import HubLink, checked_hub
from tilesight.live.gallery_learning import Learning
from tilesight.live.phone_source import PhoneSource
from tilesight.live.presentation import JsonLines, ready_line, say_ready, stay_open
from tilesight.live.sources import Pace, SessionSource, Source, open_source
from tilesight.live.vitals import VitalsGatherer
from tilesight.live.watchdog import RestartedRecogniser, Watchdog
from tilesight.live.watching import Observe, Observer, advise, kept, watch
from tilesight.outward.options import (
    MqttOption,
    NetworkOption,
    OutwardOptions,
    WebhookOption,
    outward_options,
)
from tilesight.outward.outward import TableOutward
from tilesight.server.addresses import DEFAULT_HOST, EVERYWHERE, page_address
from tilesight.server.dashboard import Dashboard
from tilesight.server.reverse_proxy import ReverseProxy, reverse_proxy
from tilesight.server.service_manager import ServiceManager
from tilesight.server.table_control import controlled
from tilesight.sessions.opening_words import (
    HandsOption,
    PositionOption,
    ScoresOption,
    ToOption,
    UnderWay,
    told_of,
)
from tilesight.settings import DiscsOption, SettingsError, WithOption, live_camera
from tilesight.table_log.event_store import TableStore
from tilesight.table_log.log_files import find_or_name_log, table_access
from tilesight.table_log.retention import short_of_room
from tilesight.table_log.sqlite_log import outbox_of, watched_file_of
from vision.image.camera_profile import Camera
from vision.pipeline import Pipeline
from web.limits.keys import KeyGuard

DISK_WITHIN_S = 60.0
"""Seconds for which ``--exit-at-end`` retries to write the end of the game to a full disk."""
PHONE = "phone"
"""Value of ``--camera`` for a phone that sends pictures from the table's page."""

CameraOption = Annotated[
    str,
    typer.Option(
        envvar=CAMERA,
        help="camera index, video file, rtsp:// or http:// address, folder, session, phone, or @FILE",
    ),
]
KeepLabelsOption = Annotated[
    bool, typer.Option("--keep-labels", help="let `tilesight learn` use this game's pictures")
]


def live_command(
    game: Annotated[str, typer.Option(help=f"the game on the table: {', '.join(game_names())}")],
    players: Annotated[str, typer.Option(help="who plays, in turn order: red=Ana,blue=Bo")],
    camera: CameraOption,
    pack: Annotated[str | None, typer.Option(help="id or folder of a pack")] = None,
    gallery: Annotated[Path | None, typer.Option(help="the faces of a printed edition")] = None,
    rules: Annotated[str | None, typer.Option(help="a rule edition of the game")] = None,
    given: WithOption = None,
    host: Annotated[str, typer.Option(help="address to serve on")] = DEFAULT_HOST,
    port: Annotated[int | None, typer.Option(help="port to serve on")] = None,
    key: Annotated[str | None, typer.Option(help="the table's join key; default: a random one")] = None,
    public_url: Annotated[
        str | None,
        typer.Option(help="public address behind a reverse proxy, e.g. https://table.example.org"),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(help="address or network of a reverse proxy whose X-Forwarded-For is trusted"),
    ] = None,
    pace: Annotated[
        str, typer.Option(help="replay a session's frames at their times (real) or at once (fast)")
    ] = "real",
    table: Annotated[Path | None, typer.Option(help="the file of this table's log")] = None,
    new: Annotated[
        bool, typer.Option("--new", help="start a new game instead of resuming an unfinished one")
    ] = False,
    learn: Annotated[
        bool, typer.Option("--learn", help="add surely read tiles to the gallery, for later games")
    ] = False,
    keep_labels: KeepLabelsOption = False,
    discs: DiscsOption = False,
    position: PositionOption = None,
    to: ToOption = None,
    scores: ScoresOption = None,
    hands: HandsOption = None,
    hub: Annotated[
        str | None,
        typer.Option(
            metavar="INVITATION", envvar="TILESIGHT_HUB", help="send this table's log to a club's hub"
        ),
    ] = None,
    webhook: WebhookOption = None,
    webhook_network: NetworkOption = None,
    mqtt: MqttOption = None,
    exit_at_end: Annotated[bool, typer.Option("--exit-at-end", help="exit when the pictures end")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON Lines on stdout")] = False,
) -> None:
    """Watch a camera, record the game, and serve it to every phone at the table."""
    camera = told_camera(camera)
    if pace not in ("real", "fast"):
        raise SettingsError(f"--pace is real or fast, not {pace!r}")
    behind = reverse_proxy(public_url, proxy or ())
    more = checked_hub(hub), outward_options(webhook, webhook_network, mqtt), discs
    served = _Served(host, port, key, keep_labels, behind, exit_at_end, as_json, *more)
    under_way = UnderWay(position, told_of(to, scores, hands))
    asked = asked_game(game, players, pack, gallery, rules, given or (), learn=learn, under_way=under_way)
    learning = asked.learning(gallery) if learn else None
    path = table or find_or_name_log(game, asked.broken_off_in, new=new)
    with TableStore(path) as store:
        _Live(asked, store, learning, served, camera).run("fast" if pace == "fast" else "real")


@dataclass(frozen=True, slots=True)
class _Served:
    """Options for serving the table, and for the output to its user."""

    host: str
    port: int | None
    key: str | None
    keep_labels: bool
    proxy: ReverseProxy
    exit_at_end: bool
    as_json: bool
    hub: str | None = None
    outward: OutwardOptions = field(default_factory=OutwardOptions)
    discs: bool = False


class _Live:
    """One run of the command."""

    def __init__(
        self, asked: AskedGame, store: TableStore, learning: Learning | None, served: _Served, camera: str
    ) -> None:
        self._asked = asked
        self._store = store
        self._learning = learning
        self._served = served
        self._camera = camera
        # Files and folders have no profile of their own.
        self._kept = asked.begun_in(store, None if Path(camera).exists() else profile_name(camera))
        self._lines = JsonLines() if served.as_json else None
        self._out = Console(file=sys.stdout, highlight=False)
        self._aside = Console(stderr=True, highlight=False)

    def _recogniser(self, seen_by: Camera) -> Observe:
        """Return a new recogniser of the pictures of a camera."""
        pipeline = Pipeline(self._asked.faces, self._asked.pack, discs=self._served.discs)
        return seen_by.through(pipeline.observe)

    def run(self, pace: Pace) -> None:
        """Watch until the pictures end, or until Ctrl-C."""
        served, camera, resumed = self._served, self._camera, len(self._kept.turns)
        last = max((frame for frame in self._kept.frames if frame is not None), default=-1)
        phone = PhoneSource() if camera == PHONE else None
        skip_to = last + 1 if resumed else 0
        watched = watched_file_of(self._store.path)
        source = phone or open_source(camera, pace, skip_to, self._kept.used, watched)
        sink = self._lines.tell if self._lines is not None else None
        rendered = isinstance(source, SessionSource) and source.rendered
        run = self._asked.run(self._store, rendered=rendered, sink=sink)
        if resumed:
            self._aside.print(f"Resuming {self._store.path.name} after turn {resumed} (--new: a new game).")
        if warning := short_of_room(self._store.path.parent):
            self._aside.print(warning, soft_wrap=True)
        observe = RestartedRecogniser(partial(self._recogniser, live_camera(camera)))
        vitals = VitalsGatherer(source, run.table.game)
        here = "127.0.0.1" if served.host in EVERYWHERE else served.host
        guard, outbox = self._guard(run), outbox_of(self._store.path)
        with (
            self._dashboard(run, phone, vitals, guard) as dashboard,
            HubLink(served.hub, self._store.path, page_address(here, dashboard.port)) as link,
            TableOutward(run.table, guard, served.outward, self._aside, outbox) as outward,
            controlled(self._store.path, ready_line(dashboard)),
        ):
            dashboard.offer(outward)
            vitals.hub = lambda: link.state
            say_ready(dashboard, self._out, self._aside, as_json=served.as_json, host=True)
            if self._lines is not None:
                self._lines.release()
            game, observers = run.table.game, [*self._observers(run), vitals.see]
            observers.append(lambda _: advise(game))
            manager = ServiceManager()
            # Not under the game's lock, which a stalled thread may hold.
            with Watchdog(manager.alive, game.publication.tell_lost) as watchdog:
                vitals.silent_s = lambda: math.inf if observe.stalled else watchdog.silent_s
                manager.ready(f"{game.publication.view.title}: {dashboard.url}")
                patience_s = DISK_WITHIN_S if served.exit_at_end else math.inf
                try:
                    watch(
                        source,
                        vitals.counting(observe),
                        game,
                        observers,
                        keep_going=True,
                        beat=watchdog.beat,
                        patience_s=patience_s,
                    )
                    watchdog.rest()
                    vitals.over()
                    if source.complete:
                        kept(game.close_with_source, game.lost, patience_s)
                finally:
                    source.close()
                    if served.exit_at_end:
                        manager.stopping()
                    self._tell(run, source)
                if not served.exit_at_end:
                    stay_open(dashboard, self._aside)

    def _guard(self, run: LiveRun) -> KeyGuard:
        """Return the guard of the table's keys, which are kept in its log."""
        given = self._served.key
        access = table_access(self._store, given, keep_labels=self._served.keep_labels)
        if given not in (None, access.player):
            self._aside.print(f"The key of --key was replaced at the table by {access.player}.")
        return KeyGuard(access, keep=run.table.game.keep_access)

    def _dashboard(
        self, run: LiveRun, phone: PhoneSource | None, vitals: VitalsGatherer, guard: KeyGuard
    ) -> Dashboard:
        """Return the table's server."""
        served = self._served
        return Dashboard(
            run.table,
            host=served.host,
            port=served.port,
            key=guard,
            phone=phone,
            proxy=served.proxy,
            vitals=vitals.vitals,
            tournament=served.hub is not None,
        )

    def _observers(self, run: LiveRun) -> list[Observer[Any]]:
        learning = self._learning
        if learning is None:
            return [run.take]
        return [run.take, lambda seen: learning.see(seen.frame.image, seen.observation, seen.understood)]

    def _tell(self, run: LiveRun, source: Source) -> None:
        """Print the game's result, and save what was learned."""
        path = self._store.path
        if self._lines is not None:
            result = {"table": str(path), "dropped": source.dropped, **run.to_json()}
            self._lines.close({"type": "result", **result})
        else:
            about = f"[dim]The log is {path}; {source.dropped} pictures dropped[/dim]"
            with suppress(OSError):  # e.g. a closed pipe or a full disk
                self._out.print(run.text())
                self._out.print(about, soft_wrap=True)
        if self._learning is None:
            return
        try:
            learned = self._learning.save()
        except OSError as error:  # the dashboard must stay available
            said = f"The learned faces could not be saved: {error}"
        else:
            said = f"{learned} new pictures of faces -> {self._learning.path}" if learned else ""
        if said:
            with suppress(OSError):
                self._aside.print(said, soft_wrap=True)
