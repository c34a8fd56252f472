"""Dependencies: pinned with hashes, and under known licences."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from docs import licence_table

ROOT = Path(__file__).resolve().parents[1]
RUN, CLUB, DEV = ROOT / "requirements.lock", ROOT / ".ci" / "club.lock", ROOT / ".ci" / "dev.lock"
LGPL = {"fpdf2", "psycopg", "psycopg-binary", "zeroconf"}
"""Packages under the LGPL, which are installed unmodified; of the GPL and the AGPL there is none."""


def pinned(lock: Path) -> dict[str, str]:
    """Versions in a lock, by package. Every one has at least one hash."""
    blocks = re.split(r"^(?=[a-z])", lock.read_text("utf-8"), flags=re.M)[1:]
    assert all("--hash=sha256:" in block for block in blocks)
    return dict(re.findall(r"^([a-z0-9-]+)==([^\s;]+)", "".join(blocks), re.M))


def test_the_locks_name_all_that_is_asked_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = {
        RUN: project["dependencies"],
        CLUB: [*project["dependencies"], *extras["club"]],
        DEV: [*project["dependencies"], *extras["dev"], *extras["art"]],
    }
    for lock, texts in wanted.items():
        names = {re.split(r"[\[<>=! ;]", text, maxsplit=1)[0].lower().replace("_", "-") for text in texts}
        assert names - set(pinned(lock)) == set(), "run .ci/lock"


def test_the_locks_agree() -> None:
    everything = pinned(DEV)
    for lock in (RUN, CLUB):
        assert {
            name: version
            for name, version in pinned(lock).items()
            if everything.get(name, version) != version
        } == {}
    assert set(pinned(RUN)) <= set(pinned(CLUB))


def test_set_up_refuses_files_of_another_hash() -> None:
    text = (ROOT / "Makefile").read_text("utf-8")
    installs = [line for line in text.splitlines() if "$(PIP)" in line]
    assert len(installs) == 3
    assert all("--require-hashes" in line or "--no-deps --no-build-isolation" in line for line in installs)


def test_the_table_of_licences_is_that_of_the_packages() -> None:
    table = licence_table.rows(licence_table.PAGE.read_text("utf-8"))
    assert list(table) == licence_table.locked(), "run make licences"
    found = licence_table.licences()
    assert len(found) > 60
    assert {name: table[name] for name in found} == found, "run make licences"


def test_no_dependency_is_under_the_gpl() -> None:
    table = licence_table.rows(licence_table.PAGE.read_text("utf-8"))
    general = {name for name, told in table.items() if re.search(r"GPL|General Public", told)}
    assert general == LGPL
    assert all(re.match(r"LGPL", table[name]) for name in LGPL)
