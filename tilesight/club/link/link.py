"""Link of one table: publishes its log and status, and forwards commands to it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import Callable

from tilesight.club.frames import SECOND, Told
from tilesight.club.invitation import Invitation
from tilesight.club.link.leftovers import Leftovers
from tilesight.club.link.log_reader import LogReader
from tilesight.club.link.publisher import DivergedError, Publisher
from tilesight.club.link.table_api import SILENT, TableApi
from tilesight.club.link.uplink import AWAY_AFTER_S, Uplink
from tilesight.club.messages import Command, Reply, Status
from tilesight.table_log.event_store import StoreError
from web.table.vitals import HubState

log = logging.getLogger("tilesight.club.link")

LOOK_S = 0.2
"""Seconds between two looks into the log."""
RETRY_S = 1.0
"""Seconds after which an entry that the hub did not take is sent again."""
STATUS_S = 5.0
"""Seconds after which a status is sent again that has not changed."""
ASK_S = 1.0
"""Seconds between two questions to the table how it is."""
PREVIEW_S = 2.0
"""Seconds between two small pictures."""
LAST_S = 5.0
"""Seconds for what is left to be sent when the table has ended."""
REPLIES_KEPT = 100
"""Replies that are kept for commands that come twice."""


class ThrownOutError(Exception):
    """The server closed the connection, as it does when a key is revoked; a new connection is needed."""


class Link:
    """Connects the table whose log ``log`` reads to its hub.

    ``say`` prints a line for people, ``tell`` hears `web.table.vitals.HubState` at each change.
    """

    def __init__(
        self,
        invited: Invitation,
        log: LogReader,
        api: TableApi,
        say: Callable[[str], None],
        leftovers: Leftovers | None,
        tell: Callable[[HubState], None] = lambda _: None,
    ) -> None:
        """``leftovers`` are the logs of earlier games that the hub has not got (None: they are not kept)."""
        self._invited = invited
        self._leftovers = leftovers
        self._log = log
        self._api = api
        self._say = say
        self._tell = tell
        self._ended = asyncio.Event()
        self._is_away: bool | None = None
        self._is_refused = False
        self._replies: OrderedDict[str, Reply] = OrderedDict()
        self._doing = asyncio.Lock()
        self._told: tuple[Status, float] | None = None

    def end(self) -> None:
        """Send the rest of the log, and return from `run`."""
        self._ended.set()

    async def run(self) -> None:
        """Run the link until `end`. What the hub has not received by then is sent with the next game.

        Raises DivergedError if another table has continued this game, ThrownOutError if a new link must be
        created.
        """
        self._note()
        uplink = Uplink(self._invited)
        if not await uplink.connect(self._ended, self._tell_away, self._tell_refused):
            self._note()
            return
        try:
            uplink.execute(self._command)
            at_once = (self._statuses, self._previews, self._send_leftovers)
            beside = [asyncio.create_task(one(uplink)) for one in at_once]
            await self._publish(uplink, Publisher(uplink, self._log))
            for task in beside:
                task.cancel()
            await asyncio.gather(*beside, return_exceptions=True)
        finally:
            await uplink.close()

    async def _publish(self, uplink: Uplink, publisher: Publisher) -> None:
        """Publish the log until the table has ended and everything is sent, or the time limit is reached.

        Raises ThrownOutError if the server has closed the connection for good.
        """
        clock = asyncio.get_running_loop().time
        answered_s, until_s = clock(), None
        while until_s is None or clock() < until_s:
            if self._ended.is_set() and until_s is None:
                until_s = clock() + LAST_S
                self._note()
            pause_s = LOOK_S
            if uplink.is_closed:
                raise ThrownOutError(f"the hub {self._invited.hub} closed the connection")
            try:
                sent = await publisher.publish_new()
                answered_s = clock()
                self._tell_back(publisher)
                if until_s is not None and not sent:
                    self._note(done=True)
                    return
            except OSError as error:
                log.debug("%s: %s", self._invited.hub, error)
                pause_s = RETRY_S
                if clock() - answered_s > AWAY_AFTER_S:
                    self._tell_away()
            except DivergedError:
                raise
            except StoreError as error:
                log.warning("%s", error)
                pause_s = RETRY_S * 5
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), pause_s)
            if until_s is not None:
                await asyncio.sleep(pause_s)

    def _tell_away(self) -> None:
        """Print once that the hub does not answer."""
        if self._is_away is not True:
            self._tell("away")
            self._say(
                f"The hub {self._invited.hub} is away. The game goes on; it is sent when the hub is back."
            )
        self._is_away = True

    async def _tell_refused(self, code: int) -> None:
        """Print once that the hub refuses our key, or that another table is connected with it."""
        if not self._is_refused:
            hub = self._invited.hub
            told = (
                f"Another table is connected to the hub {hub} with this invitation: each needs its own."
                if code == SECOND
                else f"The hub {hub} refuses this table's invitation: ask its host for a new one."
            )
            self._tell("second" if code == SECOND else "refused")
            self._say(f"{told} The game goes on.")
        self._is_refused = self._is_away = True

    def _tell_back(self, publisher: Publisher) -> None:
        """Print once that the hub answers again."""
        if self._is_away is not False and publisher.sent:
            again = "back" if self._is_away else "there"
            sent = f"{publisher.sent} entries sent as table {self._invited.speaks_as}"
            self._tell("there")
            self._say(f"The hub {self._invited.hub} is {again}: {sent}.")
            self._is_away = self._is_refused = False

    def _note(self, *, done: bool = False) -> None:
        """Record whether the hub has this log completely."""
        if self._leftovers is None:
            return
        with contextlib.suppress(OSError, StoreError):
            if (game := self._log.game) is not None and done:
                self._leftovers.done(game)
            elif game is not None:
                self._leftovers.note(game, self._log.path)

    async def _send_leftovers(self, uplink: Uplink) -> None:
        """Send the logs left by earlier games."""
        if self._leftovers is None:
            return
        for path in list(self._leftovers.logs()):
            log = LogReader(path)
            publisher = Publisher(uplink, log)
            with contextlib.suppress(StoreError):  # a damaged one stays for when it is mended
                while True:
                    try:
                        sent = await publisher.publish_new()
                    except OSError:
                        await asyncio.sleep(RETRY_S)
                        continue
                    if log.game is not None:
                        self._leftovers.done(log.game)
                    if sent:
                        self._say(f"{path.name}: {sent} entries of an earlier game sent.")
                    break
            log.close()

    async def _statuses(self, uplink: Uplink) -> None:
        """Publish the table's status at each change, and periodically."""
        clock = asyncio.get_running_loop().time
        while True:
            with contextlib.suppress(*SILENT, OSError, StoreError):
                if uplink.is_connected and (game := self._log.game) is not None:
                    status = await asyncio.to_thread(self._api.status, game)
                    known, at_s = self._told or (None, 0.0)
                    if status != known or clock() - at_s >= STATUS_S:
                        await uplink.send(Told(status=status))
                        self._told = status, clock()
            await asyncio.sleep(ASK_S)

    async def _previews(self, uplink: Uplink) -> None:
        """Publish small pictures, unless the table's host hides the camera."""
        last = b""
        while True:
            with contextlib.suppress(*SILENT, OSError, StoreError):
                access = self._log.access
                if uplink.is_connected and access is not None and access.spectators_see_camera:
                    jpeg = await asyncio.to_thread(self._api.preview, access.host)
                    if jpeg is not None and jpeg != last:
                        await uplink.send(jpeg)
                        last = jpeg
            await asyncio.sleep(PREVIEW_S if last else ASK_S)

    async def _command(self, command: Command) -> Reply:
        """Forward a command to the table and return its reply; a repeated command is not executed twice
        (idempotent by id)."""
        async with self._doing:
            try:
                access = self._log.access
            except StoreError as error:
                return Reply(status=422, body={"error": {"code": "invalid", "message": str(error)}})
            if access is None:
                return Reply(status=409, body={"error": {"code": "starting", "message": "the table starts"}})
            if command.id not in self._replies:
                self._replies[command.id] = await asyncio.to_thread(self._api.do, command, access.host)
                while len(self._replies) > REPLIES_KEPT:
                    self._replies.popitem(last=False)
            return self._replies[command.id]
