"""A hall that is set up as the page says, played in, cut, revoked, restored and forgotten."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.pack import load_pack
from engine.record import check, read_record
from tests.club.machines.network import Machine, MachineError, awaited
from tests.club.machines.page import Page
from tests.docs.pages import ROOT

PASSWORD = "tiles and camels"
CUT_S = 20.0
"""Length of the cut: longer than it takes to find that a connection is lost."""
LINK = (
    "-H 'Connection: Upgrade' -H 'Upgrade: websocket' "
    "-H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: eA=='"
)
"""Words for curl that ask for a WebSocket."""
SAMPLES = ROOT / "samples"
FIRST = "--game safari --players red=Ana,blue=Bo"
GAMES = {
    "table-1": ("staged/hand-resting", FIRST),
    "table-2": ("hill-town", "--game carcassonne --players red=Mia,blue=Noah,yellow=Lea"),
}
"""The recorded game of each table, and the words that start it."""
ARCHIVED = ("staged/illegal", "staged/moved", "staged/turned", "staged/late-piece")
TO_TABLE = ROOT / "tests" / "club" / "machines" / "entries.py"


class Hall:
    """The machines, and what the page says to type on each."""

    def __init__(self, page: Page, machines: dict[str, Machine]) -> None:
        self._page = page
        self._on = machines
        self._places = {name: machines[name.lower()].address for name in page.places}
        self._url = f"http://{machines['spectators'].address}:8781"
        self._key = self._serve_hub = ""
        machines["spectators"].where = ROOT

    def play(self) -> None:
        """The whole run; MachineError or AssertionError at the first thing that is not as the page says."""
        self._database()
        self._spectators_and_hub()
        self._tables()
        self._who_watches()
        self._archive()
        self._revoked()
        self._restored()
        self._removed()
        unread = self._page.titles - self._page.followed
        assert not unread, f"nobody followed what the page says of {unread}"

    # -- typing

    def _do(self, name: str, line: str, said: str | None = None) -> str:
        """What a line of the page says on a machine where the addresses were typed before."""
        print(f"{name}$ {_without_seed(line)}", flush=True)
        places = " ".join(f"{place}={address}" for place, address in self._places.items())
        return self._on[name].run(f"{places}; {line}", said)

    def _begin(self, name: str, line: str, what: str) -> Path:
        """Start a line of the page that goes on."""
        print(f"{name}$ {_without_seed(line)}", flush=True)
        for place, address in self._places.items():
            line = line.replace(f"${place}", address)
        return self._on[name].start(line.removeprefix("sudo "), what)

    def _asked(self, path: str) -> dict[str, Any]:
        """What nginx answers the guest; nothing where that is no JSON."""
        try:
            told: dict[str, Any] = json.loads(self._on["guest"].run(f"curl --silent {self._url}{path}"))
        except (MachineError, ValueError):
            return {}
        return told

    def _status(self, name: str, words: str) -> str:
        """The status with which a request of a machine is answered."""
        return self._on[name].run(f"curl --silent --output /dev/null --write-out '%{{http_code}}' {words}")

    def _card(self, table: str) -> dict[str, Any]:
        """A table as everybody sees it."""
        tables = self._asked("/api/tables").get("tables", ())
        return next(
            (one for one in tables if one["id"] == table), {"turns": 0, "players": [], "connection": ""}
        )

    # -- setting up

    def _database(self) -> None:
        version = sorted(path.name for path in Path("/usr/lib/postgresql").iterdir())[-1]
        # As `apt install postgresql` leaves it: an empty cluster that runs, with a certificate.
        self._on["database"].run(
            "rm -rf /etc/postgresql/* /var/lib/postgresql/* && "
            "make-ssl-cert generate-default-snakeoil --force-overwrite && "
            "install -d -o postgres -g postgres /run/postgresql /var/log/postgresql && "
            f"pg_createcluster {version} main && pg_ctlcluster {version} main start"
        )
        for line in self._page.lines("The database"):
            self._do("database", line, f"{PASSWORD}\n" * 2 if "--pwprompt" in line else None)

    def _spectators_and_hub(self) -> None:
        self._on["spectators"].run("mkdir -p /var/log/nginx")
        *before, serve = self._page.lines("Spectators")
        for line in before:
            self._do("spectators", line)
        self._begin("spectators", serve, "nginx")
        *before, self._serve_hub = self._page.lines("The hub", SECRET=PASSWORD)
        for line in before:
            self._do("hub", line)
        log = self._begin("hub", self._serve_hub, "hub")
        _until(lambda: "\nready " in log.read_text(), "the hub does not start")
        found = re.search(r"#key=(\S+)", log.read_text())
        assert found and f"everybody, to look at: {self._url}" in log.read_text()
        self._key = found[1]
        self._hub_is_well()

    def _hub_is_well(self) -> None:
        _until(lambda: bool(self._asked("/healthz").get("ok")), "the hub is not well")
        say(f"the hub is well: {self._asked('/healthz')}")

    # -- a game at each table

    def _tables(self) -> None:
        events = f"curl --silent --no-buffer -H 'Accept: text/event-stream' {self._url}/api/events"
        heard = self._on["guest"].start(events, "events")
        for number, (name, (sample, words)) in enumerate(GAMES.items(), 1):
            invite = self._page.lines("Invitations", **{"hall-1": f"hall-{number}"})[0]
            *_, invitation = self._do("hub", invite).split()
            assert "cert=" in invitation, "the connection is encrypted, the certificate pinned"
            instead = {FIRST: words, "--camera 0": f"--camera {SAMPLES / sample} --pace fast"}
            self._begin(name, self._page.lines("Invitations", INVITATION=invitation, **instead)[1], "table")
        _until(lambda: self._card("hall-2")["turns"] >= 2, "the second table's turns do not come", 400)
        backup, _ = self._page.lines("A backup")
        self._do("database", backup)
        self._cut()
        for number, (name, (sample, _)) in enumerate(GAMES.items(), 1):
            card = self._finished(f"hall-{number}", sample)
            shown = {one["name"]: one["score"] for one in card["players"]}
            entries = self._same_entries(name, f"hall-{number}")
            say(f"{name}: {card['turns']} turns, {shown} at {self._url}; {entries} entries once, in order")
        told = [json.loads(one[6:]) for one in heard.read_text().splitlines() if one.startswith("data: ")]
        last = {one["id"]: one["players"] for event in told for one in event["tables"]}
        assert last == {one: self._card(one)["players"] for one in ("hall-1", "hall-2")}
        say(f"the guest heard {len(told)} events through Nchan, the last with the same scores")

    def _cut(self) -> None:
        """Cut the second table's cable, and meanwhile stop and start PostgreSQL."""
        self._on["table-2"].unplug()
        began, before = time.monotonic(), self._card("hall-2")["turns"]
        _until(lambda: self._card("hall-2")["connection"] == "lost", "nobody sees the cut")
        self._on["database"].run("sudo systemctl stop postgresql")
        _until(lambda: "database" in self._asked("/healthz").get("wrong", ()), "the hub does not miss it")
        self._on["database"].run("sudo systemctl start postgresql")
        self._hub_is_well()
        time.sleep(max(0.0, CUT_S - (time.monotonic() - began)))
        assert self._card("hall-2")["turns"] <= before + 1, "a cable that is cut carries nothing"
        self._on["table-2"].plug()
        say(f"table-2 was cut for {time.monotonic() - began:.0f} s, PostgreSQL stopped and started meanwhile")

    def _finished(self, table: str, sample: str) -> dict[str, Any]:
        """A table's card, once the scores are those of its game's record."""
        record = read_record((SAMPLES / sample / "truth.game.jsonl").read_text("utf-8"))
        final = dict(check(record, load_pack(record.header.pack)).final)

        def scores() -> dict[str, int]:
            return {one["color"]: one["score"] for one in self._card(table)["players"]}

        _until(lambda: scores() == final, f"{table} does not come to {final}", 900)
        return self._card(table)

    def _same_entries(self, machine: str, table: str) -> int:
        """Number of entries in the log of a machine, once they are those of the database."""
        written = json.loads(self._on[machine].run("python", TO_TABLE.read_text("utf-8")))
        _until(lambda: self._kept(table) == written, f"not the entries of {machine} are in the database", 120)
        return len(written)

    def _kept(self, table: str) -> list[list[Any]]:
        """The entries of a table in the database."""
        row = "json_build_array(number, kind, at_s, data::json)"
        asked = (
            f"select coalesce(json_agg({row} order by number), '[]') "
            f"from entries join games on games.id = game_id where table_id = '{table}'"
        )
        run = f'sudo -u postgres psql club --tuples-only --command "{asked}"'
        told: list[list[Any]] = json.loads(self._on["database"].run(run))
        return told

    # -- who looks, and who should not

    def _who_watches(self) -> None:
        spectators, hub = self._on["spectators"].address, self._on["hub"].address
        assert self._status("guest", f"--data x http://{spectators}:8782/pub/tables") == "403"
        assert self._status("guest", f"--data x http://{spectators}:8781/pub/tables") == "404"
        assert self._status("guest", f"{self._url}/") == "200"
        assert self._status("guest", f"-H 'Host: evil.example.org' {self._url}/") == "421"
        database = f"-h {self._on['database'].address} -U club club"
        _refused(self._on["guest"], f"PGPASSWORD='{PASSWORD}' psql {database} --command 'select 1'")
        assert self._status("guest", f"--insecure --http1.1 {LINK} https://{hub}:8783/link") == "403"
        say("a guest sees the page and publishes nothing; PostgreSQL and the hub's link let nobody else in")
        ask = f"{self._url}/api/key -H 'X-Table-Key:"
        guesses = [self._status("guest", f"{ask} guess-{n}'") for n in range(6)]
        assert guesses[-1] == "429" and self._status("worker-1", f"{ask} {self._key}'") == "200"
        say("who guesses keys is locked out, and nobody else behind the same nginx")

    def _archive(self) -> None:
        sessions = self._on["archive"].folder.parent / "srv" / "sessions"
        for sample in ARCHIVED:
            shutil.copytree(SAMPLES / sample, sessions / Path(sample).name)
        scheduler, worker, score = self._page.lines("The archive")
        self._begin("archive", scheduler, "scheduler")
        for name in ("worker-1", "worker-2"):
            self._begin(name, worker, "dask")
        count = (
            "from distributed import Client\n"
            f"client = Client('tcp://{self._on['archive'].address}:8786', timeout=60)\n"
            "client.wait_for_workers(4, timeout=120)\n"
            "print(client.run(lambda dask_worker: dask_worker.state.executed_count))\n"
        )
        self._on["archive"].run("python", count)
        print(self._do("archive", score), end="")
        done = self._on["archive"].run("python", count)
        for name in ("worker-1", "worker-2"):
            counts = re.findall(rf"tcp://{self._on[name].address}:\d+': (\d+)", done)
            assert sum(map(int, counts)) > 0, f"{name} scored nothing: {done}"
            say(f"{name} did {sum(map(int, counts))} pieces of work")

    # -- the end of a key, of a database, of what was known of people

    def _revoked(self) -> None:
        undo = json.dumps({"path": "/api/undo"})
        words = f"-H 'X-Table-Key: {self._key}' --json '{undo}' {self._url}/api/tables"
        assert self._status("worker-1", f"{words}/hall-1/command") == "200"
        assert self._status("worker-1", f"{words}/hall-2/command") == "200"
        self._do("hub", "tilesight keys revoke hall-1")
        assert self._status("worker-1", f"{words}/hall-1/command") == "409"
        _until(lambda: self._card("hall-1")["connection"] != "there", "a revoked table is shown as there")
        say("hall-1 took a referee's word; with its key revoked nothing reaches it, and it reaches nobody")

    def _restored(self) -> None:
        entries = len(self._kept("hall-2"))
        self._on["hub"].stop("hub")
        _, restore = self._page.lines("A backup")
        self._do("database", restore)
        less = len(self._kept("hall-2"))
        assert less < entries, "the backup is older"
        self._begin("hub", self._serve_hub, "hub")
        self._hub_is_well()
        self._same_entries("table-2", "hall-2")
        say(f"the backup had {less} entries of hall-2, the hub that began with it has {entries} again")

    def _removed(self) -> None:
        games, one, person = self._page.lines("Removing")
        listed = self._do("hub", games)
        found = re.search(r"hall-2/\w{16}", listed)
        assert found and "Mia" in listed, listed
        self._do("hub", one.replace("hall-3/0123456789abcdef", found[0]), "y\n")
        self._do("hub", person, "y\n")
        _until(lambda: not self._card("hall-1")["players"], "the hub still shows who was removed")
        _until(lambda: not self._card("hall-2")["players"], "the hub still shows a game that was removed")
        dump = self._on["database"].run("sudo -u postgres pg_dump club")
        assert "Mia" not in dump and "Ana" not in dump and "hall-2" in dump
        say("a game and a person are gone from the page and from the database")


def _refused(machine: Machine, line: str) -> None:
    """Run a line that must fail."""
    try:
        said = machine.run(line)
    except MachineError:
        return
    raise AssertionError(f"{machine.name}$ {line}\n{said}")


def _until(true: Callable[[], bool], missing: str, within_s: float = 120.0) -> None:
    awaited(true, missing, within_s)


def _without_seed(line: str) -> str:
    return re.sub(r"key=\w+", "key=…", line)


def say(line: str) -> None:
    """Tell what was seen."""
    print(f"    {time.strftime('%X')} {line}", flush=True)
