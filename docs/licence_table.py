"""Table of the licences of all that is installed, in docs/dependencies.md: `make licences` writes it.

The packages are those of .ci/club.lock, which include those of requirements.lock. Their licences are read
from the metadata of the running environment.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from docs.marked_part import with_part

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "dependencies.md"
LOCK = ROOT / ".ci" / "club.lock"
BEGIN, END = "<!-- licences: make licences -->", "<!-- end of licences -->"
LOCKED = re.compile(r"^([a-z0-9-]+)==", re.M)
ROW = re.compile(r"^\| (?!package)([a-z0-9-]+) \| (.+) \|$", re.M)
CLASSIFIER = "License :: OSI Approved :: "


def locked() -> list[str]:
    """Names of the packages in the lock, in order."""
    return LOCKED.findall(LOCK.read_text("utf-8"))


def told_licence(package: Distribution) -> str:
    """The licence that a package's metadata state: the SPDX expression, else the classifiers, else the free
    text. ValueError where they state none."""
    metadata = package.metadata
    stated = metadata.get_all("License-Expression") or [
        one.removeprefix(CLASSIFIER)
        for one in metadata.get_all("Classifier") or []
        if one.startswith(CLASSIFIER)
    ]
    if names := stated or (metadata.get_all("License") or [""])[0].splitlines()[:1]:
        return ", ".join(names)
    raise ValueError(f"{metadata['Name']} states no licence")


def licences() -> Mapping[str, str]:
    """The licence of every locked package that is installed here, by name."""
    found = {}
    for name in locked():
        try:
            found[name] = told_licence(distribution(name))
        except PackageNotFoundError:  # of another system
            continue
    return found


def rows(text: str) -> Mapping[str, str]:
    """The licences that the page's table states, by name."""
    return dict(ROW.findall(text.partition(BEGIN)[2].partition(END)[0]))


def with_licences(text: str) -> str:
    """The page with the table of all locked packages. Packages of other systems keep their rows; ValueError
    where one has none."""
    known = {**rows(text), **licences()}
    if missing := [name for name in locked() if name not in known]:
        raise ValueError(f"not installed here, and in no row of the table yet: {', '.join(missing)}")
    table = "".join(f"| {name} | {known[name]} |\n" for name in locked())
    return with_part(text, PAGE.name, f"{BEGIN}\n| package | licence |\n|---|---|\n{table}{END}", BEGIN, END)


if __name__ == "__main__":
    PAGE.write_text(with_licences(PAGE.read_text("utf-8")), "utf-8")
