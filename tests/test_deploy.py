"""The unit, the container and the compose file start commands that exist."""

from __future__ import annotations

import json
import re
from configparser import RawConfigParser
from pathlib import Path

from tests.test_readme import accepted
from tilesight.live.watchdog import STANDS_STILL_S

DEPLOY = Path(__file__).resolve().parents[1] / "docs" / "deploy"


def test_the_unit_starts_what_the_environment_says_and_waits_for_signs_of_life() -> None:
    unit = RawConfigParser(strict=False)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(DEPLOY / "tilesight.service", "utf-8")
    service = unit["Service"]
    lines = (DEPLOY / "table.env").read_text("utf-8").splitlines()
    named = dict(line.partition("=")[::2] for line in lines if not line.startswith("#"))
    program, *words = re.sub(r"\$\{(\w+)\}", lambda m: named[m[1]], service["ExecStart"]).split()
    assert program.endswith("/tilesight")
    accepted(tuple(words))
    assert (service["Type"], service["Restart"]) == ("notify", "on-failure")
    assert float(service["WatchdogSec"]) > STANDS_STILL_S, "it is told first"


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
    assert (root / lines["dockerfile"]).is_file() and (root / "requirements.lock").is_file()
