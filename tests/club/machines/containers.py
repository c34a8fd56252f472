"""What compose.yaml says, done in namespaces: its services' commands with their variables, under their names.

Neither images nor Docker are tried: the programs are this machine's. Kept are the network, the names in it, a
file system that nobody writes where `read_only` is said, and the absence of capabilities.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from typing import Any

import yaml  # type: ignore[import-untyped]

from tests.club.machines.hall import SAMPLES, say
from tests.club.machines.network import OWN, Machine, awaited
from tests.club.postgres import program
from tests.docs.pages import DOCS

CLUB = DOCS / "deploy" / "club"
SERVICES: dict[str, Any] = yaml.safe_load((CLUB / "compose.yaml").read_text("utf-8"))["services"]
NAMES = ("postgres", "hub", "nginx", "scheduler", "worker-1", "worker-2", "guest")
WITHOUT_RIGHTS = "setpriv --bounding-set=-all --inh-caps=-all --no-new-privs"
"""Program that runs another as `cap_drop` and `no-new-privileges` have it."""


class Containers:
    """The services on their machines."""

    def __init__(self, machines: dict[str, Machine]) -> None:
        self._on = machines

    def run(self) -> None:
        """Start them as compose does, and a table; MachineError where something does not come about."""
        self._postgres()
        self._hub_and_nginx()
        self._table()
        self._archive()

    def _start(self, name: str, command: str, **variables: str) -> None:
        print(f"{name}$ {command}", flush=True)
        words = " ".join(f"{key}={value}" for key, value in variables.items())
        self._on[name].start(f"env {words} {command}", name)

    def _is_healthy(self, name: str) -> None:
        _, *test = SERVICES[name]["healthcheck"]["test"]

        def healthy() -> bool:
            return self._on[name].run(f"{shlex.join(test)} >&2 && echo yes || true").strip() == "yes"

        awaited(healthy, f"{name} is not healthy", 120)
        say(f"{name} is healthy")

    def _read_only(self, name: str) -> None:
        assert SERVICES[name]["read_only"]
        over = " && ".join(f"mount -o remount,ro {top}" for top in OWN)
        self._on[name].run(f"{over} && mount -o remount,bind,ro /")

    def _postgres(self) -> None:
        said = SERVICES["postgres"]["environment"]
        user, data = said["POSTGRES_USER"], "/var/lib/postgresql/data"
        assert said["POSTGRES_HOST_AUTH_METHOD"] == "trust"
        machine = self._on["postgres"]
        machine.run("install -d -o postgres -g postgres /run/postgresql")
        as_owner = "runuser -u postgres --"
        machine.run(f"cd / && {as_owner} {program('initdb')} -D {data} -U {user} --auth=trust")
        machine.run(f"echo 'host all all all trust' >> {data}/pg_hba.conf")
        machine.start(f"{as_owner} {program('postgres')} -D {data} -h '*'", "postgres")
        self._is_healthy("postgres")
        machine.run(f"createdb -U {user} {said['POSTGRES_DB']}")

    def _hub_and_nginx(self) -> None:
        hub, nginx = self._on["hub"], self._on["nginx"]
        for machine, folder in ((hub, "/data"), (hub, "/run/tmp"), (nginx, "/run/tilesight-nginx")):
            machine.run(f"mkdir -p {folder}" if folder != "/data" else "mkdir -p /run/data")
        containerfile = (CLUB / "nginx.Containerfile").read_text("utf-8")
        [adapt] = re.findall(r"^RUN (sed .*)$", containerfile, re.M)
        nginx.run(f"mkdir -p /var/log/nginx && cp {CLUB}/nginx.conf /etc/nginx/nginx.conf && {adapt}")
        for name in ("hub", "nginx"):
            self._read_only(name)
        assert SERVICES["hub"]["cap_drop"] == ["ALL"]
        command = f"{WITHOUT_RIGHTS} tilesight {SERVICES['hub']['command']}"
        self._start("hub", command, TILESIGHT_HOME="/run/data", TMPDIR="/run/tmp")
        self._is_healthy("hub")
        [words] = re.findall(r"^CMD (\[.*\])$", containerfile, re.M)
        self._start("nginx", shlex.join(json.loads(words)))

    def _table(self) -> None:
        page = (DOCS / "club-deploy.md").read_text("utf-8")
        [invite] = re.findall(r"^docker compose .* exec hub (.* hall-3 .*)$", page, re.M)
        invite = invite.replace("ADDRESS:4222", "hub:4222").replace("ADDRESS:8781", "nginx:8781")
        *_, invitation = self._on["hub"].run(f"TILESIGHT_HOME=/run/data {invite}").split()
        camera = f"{SAMPLES / 'staged/hand-resting'} --pace fast --exit-at-end"
        players = "--game safari --players red=Ana,blue=Bo"
        self._on["guest"].start(f"tilesight live {players} --camera {camera} --hub '{invitation}'", "table")
        ask = "curl --silent http://nginx:8781/api/tables"

        def shown() -> list[Any]:
            return [one for one in json.loads(self._on["guest"].run(ask))["tables"] if one["turns"] >= 3]

        awaited(shown, "the table does not come to the page", 300)
        say(f"hall-3 is on nginx's page: {[(one['name'], one['score']) for one in shown()[0]['players']]}")

    def _archive(self) -> None:
        srv = self._on["worker-1"].folder.parent / "srv"
        for sample in ("staged/illegal", "staged/moved"):
            shutil.copytree(SAMPLES / sample, srv / sample)
        self._start("scheduler", shlex.join(SERVICES["scheduler"]["entrypoint"]))
        for number in range(1, SERVICES["worker"]["deploy"]["replicas"] + 1):
            self._start(f"worker-{number}", shlex.join(SERVICES["worker"]["entrypoint"]), TMPDIR="/run")
        score = "tilesight archive score /srv --store /srv/scores --cluster tcp://scheduler:8786"
        print(self._on["worker-1"].run(score), end="")
