"""The unit, the container and the compose file start commands that exist."""

from __future__ import annotations

import json
import re
import subprocess
from configparser import RawConfigParser
from pathlib import Path
from subprocess import PIPE

import pytest
import yaml  # type: ignore[import-untyped]

from tests.test_readme import accepted
from tests.tilesight.club.nginx_servers import CONFIGURATION, FOLDER, configured, faults, needs_nginx
from tilesight.club.hub.broadcast import EVENT_BYTES
from tilesight.club.link.link import LAST_S
from tilesight.club.worker.child import END_S
from tilesight.live.watchdog import STALLED_AFTER_S

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
DEPLOY = DOCS / "deploy"
CLUB = DEPLOY / "club"


def test_the_unit_starts_what_the_environment_says_and_waits_for_signs_of_life() -> None:
    service = unit(DEPLOY / "tilesight.service")["Service"]
    lines = (DEPLOY / "table.env").read_text("utf-8").splitlines()
    named = dict(line.partition("=")[::2] for line in lines if not line.startswith("#"))
    program, *words = re.sub(r"\$\{(\w+)\}", lambda m: named[m[1]], service["ExecStart"]).split()
    assert program.endswith("/tilesight")
    accepted(tuple(words))
    assert (service["Type"], service["Restart"]) == ("notify", "on-failure")
    assert float(service["WatchdogSec"]) > STALLED_AFTER_S, "it is told first"


def test_the_desktop_entry_opens_the_lobby() -> None:
    entry = RawConfigParser()
    entry.optionxform = str  # type: ignore[assignment, method-assign]
    entry.read(DEPLOY / "tilesight.desktop", "utf-8")
    said = entry["Desktop Entry"]
    assert said["Type"] == "Application" and said["Exec"] == "tilesight"  # alone: the lobby
    assert said["Terminal"] == "true", "without one the lobby opens no browser"
    for language in ("de", "fr"):
        assert said[f"Comment[{language}]"] != said["Comment"]


def test_the_container_starts_a_table() -> None:
    text = (DEPLOY / "Containerfile").read_text("utf-8")
    said = {name: json.loads(value) for name, value in re.findall(r"^(ENTRYPOINT|CMD) (\[.*\])$", text, re.M)}
    assert said["ENTRYPOINT"] == ["tilesight"]
    accepted(tuple(said["CMD"]))
    compose = (DEPLOY / "compose.yaml").read_text("utf-8")
    lines = dict(re.findall(r"^ +(command|restart|context|dockerfile): (.+)$", compose, re.M))
    accepted(tuple(lines["command"].split()))
    assert lines["restart"] == "on-failure" and "max-size" in compose
    root = (DEPLOY / lines["context"]).resolve()
    assert (root / lines["dockerfile"]).is_file()
    [lock] = re.findall(r'^ARG LOCK="(.+)"$', text, re.M)
    assert (root / lock).is_file()


def test_the_unit_of_a_hub_starts_what_the_environment_says() -> None:
    service = unit(CLUB / "tilesight-hub.service")["Service"]
    lines = (CLUB / "club.env").read_text("utf-8").splitlines()
    named = dict(line.partition("=")[::2] for line in lines if not line.startswith("#"))
    program, *words = re.sub(r"\$\{(\w+)\}", lambda m: named[m[1]], service["ExecStart"]).split()
    assert program.endswith("/tilesight")
    accepted(tuple(words))
    assert service["Restart"] == "on-failure" and service["LimitNOFILE"] == descriptors()


def test_the_unit_of_a_worker_starts_it_and_leaves_it_time_to_give_its_tables_back() -> None:
    service = unit(CLUB / "tilesight-worker.service")["Service"]
    program, *words = service["ExecStart"].replace("${WORKER}", "INVITATION").split()
    assert program.endswith("/tilesight")
    accepted(tuple(words))
    assert int(service["TimeoutStopSec"]) > END_S > LAST_S and service["RestartPreventExitStatus"] == "2"


def test_the_unit_of_nginx_runs_it_in_the_folder_of_its_configuration() -> None:
    service = unit(CLUB / "tilesight-spectators.service")["Service"]
    assert Path("/run", service["RuntimeDirectory"]) == Path(FOLDER)
    assert service["LimitNOFILE"] == descriptors()


def test_the_containers_of_a_club_start_commands_that_exist() -> None:
    compose = yaml.safe_load((CLUB / "compose.yaml").read_text("utf-8"))
    services = compose["services"]
    [network] = compose["networks"]["default"]["ipam"]["config"]
    assert f"--proxy {network['subnet']}" in services["hub"]["command"]
    assert set(services) == {"postgres", "hub", "nginx", "scheduler", "worker", "table-worker"}
    accepted(tuple(services["hub"]["command"].split()))
    containerfile = (DEPLOY / "Containerfile").read_text("utf-8")
    accepted(tuple(services["table-worker"]["command"]))
    for name in ("hub", "scheduler", "worker", "table-worker"):
        build = services[name]["build"]
        root = (CLUB / build["context"]).resolve()
        assert (root / build["dockerfile"]).is_file() and (root / build["args"]["LOCK"]).is_file()
        assert all(f"ARG {arg}=" in containerfile for arg in build["args"])
    assert (CLUB / services["nginx"]["build"]["dockerfile"]).is_file()
    assert str(services["nginx"]["ulimits"]["nofile"]) == descriptors()
    for name, service in services.items():
        assert "max-size" in service["logging"]["options"] and service["restart"] == "unless-stopped", name
        assert set(service.get("depends_on", ())) <= set(services), name
    assert services["worker"]["deploy"]["replicas"] == services["table-worker"]["deploy"]["replicas"] == 2
    # The image's own check asks a table.
    assert all("healthcheck" in service for name, service in services.items() if name != "nginx")


def test_dask_takes_the_words_of_its_containers() -> None:
    from distributed.cli import dask_scheduler, dask_worker

    services = yaml.safe_load((CLUB / "compose.yaml").read_text("utf-8"))["services"]
    for name, command in (("scheduler", dask_scheduler.main), ("worker", dask_worker.main)):
        program, which, *words = services[name]["entrypoint"]
        assert (program, which) == ("dask", name)
        command.make_context(name, words)


def test_nginx_takes_the_hubs_events_and_serves_the_port_of_its_container() -> None:
    text = CONFIGURATION.read_text("utf-8")
    assert text.count(f" {EVENT_BYTES};") == 2
    compose = yaml.safe_load((CLUB / "compose.yaml").read_text("utf-8"))["services"]
    [port] = re.findall(r"listen (\d+) ", text)
    assert f"{port}:{port}" in compose["nginx"]["ports"]


def test_the_dashboard_shows_what_the_hub_tells() -> None:
    dashboard = json.loads((CLUB / "grafana.json").read_text("utf-8"))
    asked = {
        name
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"tilesight_club_(\w+)", target["expr"])
    }
    told = (ROOT / "tilesight/club/hub").rglob("*.py"), (ROOT / "web/club").glob("*.py")
    code = "".join(path.read_text("utf-8") for paths in told for path in paths)
    assert len(dashboard["panels"]) == 8 and all(f'"{name}"' in code for name in asked), asked


@needs_nginx
@pytest.mark.parametrize("where", ["this machine", "a container", "a machine of its own"])
def test_nginx_takes_its_configuration(where: str, tmp_path: Path) -> None:
    """As it ships, and as the container and the page on machines adapt it."""
    files = {"a container": CLUB / "nginx.Containerfile", "a machine of its own": DOCS / "club-deploy.md"}
    text = configured({FOLDER: str(tmp_path)})
    if where in files:
        page = files[where].read_text("utf-8")
        [script] = re.findall(r'^(?:RUN )?sed (?:-i )?"(.*)" ', page, re.M)
        words = ["sed", re.sub(r"\$(HUB|SPECTATORS)", "192.0.2.1", script)]
        text = subprocess.run(words, input=text, stdout=PIPE, text=True, check=True).stdout
        assert all(old not in text for old in ("127.0.0.1:8780", "127.0.0.1:8782", "allow 127.0.0.1"))
        text = text.replace("//hub:", "//192.0.2.1:").replace("listen 192.0.2.1", "listen 127.0.0.1")
    assert faults(text, tmp_path) == ""


def descriptors() -> str:
    """Files and connections of one of nginx's processes."""
    [number] = re.findall(r"worker_rlimit_nofile (\d+);", CONFIGURATION.read_text("utf-8"))
    return str(number)


def unit(path: Path) -> RawConfigParser:
    """A unit of systemd."""
    one = RawConfigParser(strict=False)
    one.optionxform = str  # type: ignore[assignment, method-assign]
    one.read(path, "utf-8")
    return one
