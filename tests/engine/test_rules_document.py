"""The rules table in ARCHITECTURE.md names modules and tests that exist and every rulebook section."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.engine.lab import SHARED

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text("utf-8").split("# The rules, section by section\n")[-1]
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| section")
]
RULEBOOKS = SHARED / "rulebooks"
BOOKS = {
    title: [re.sub(r" \(20.*", "", row) for row in re.findall(r"^\| (?!section)(.*?) \|", text, re.MULTILINE)]
    for title, text in re.findall(r"^## [^:\n]*: (.*)\n((?:(?!^## ).*\n)*)", PAGE, re.MULTILINE)
}
NO_RULES = {"carcassonne", "hunters and gatherers", "published by"}
"""Headings of the rulebook under which no rule stands."""


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"[^\w&' ]", " ", text.replace("’", "'"))).strip().lower()


def test_the_page_has_a_table_for_each_rulebook() -> None:
    books = {name for title in BOOKS for name in title.split(", ")}
    assert {"safari-zman-2018", "safari-wiki-2018", "safari-wiki-2020"} <= books
    assert {"hunters-gatherers-2020", "tricky-safari-online"} <= books
    assert len(ROWS) == sum(map(len, BOOKS.values())) > 50


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_every_module_and_test_of_the_page_exists(row: list[str]) -> None:
    section, modules, tests = row
    assert section
    named = re.findall(r"`([\w/]+\.py)`", modules)
    assert named or modules.startswith("none: ")
    for module in named:
        assert (ROOT / "engine" / module).is_file(), module
    proofs = re.findall(r"`(\w+\.py)::(\w+)`", tests)
    assert proofs
    for file, name in proofs:
        assert f"def {name}(" in (ROOT / "tests" / "engine" / file).read_text("utf-8"), f"{file}::{name}"


@pytest.mark.skipif(not RULEBOOKS.is_dir(), reason="../shared/rulebooks is not here")
@pytest.mark.parametrize("title", BOOKS)
def test_every_section_of_the_page_stands_in_the_rulebook(title: str) -> None:
    texts = [plain((RULEBOOKS / f"{name}.txt").read_text("utf-8")) for name in title.split(", ")]
    for section in BOOKS[title]:
        assert any(plain(section) in text for text in texts), section


@pytest.mark.skipif(not RULEBOOKS.is_dir(), reason="../shared/rulebooks is not here")
def test_every_heading_of_the_hunters_rulebook_is_in_the_page() -> None:
    text = (RULEBOOKS / "hunters-gatherers-2020.txt").read_text("utf-8")
    known = {plain(section) for section in BOOKS["hunters-gatherers-2020"]} | NO_RULES
    for heading in re.findall(r"^#+ (.*)$", text, re.MULTILINE):
        assert plain(re.sub(r"^\d+[ab]?\. ", "", heading)) in known, heading


@pytest.mark.skipif(not RULEBOOKS.is_dir(), reason="../shared/rulebooks is not here")
def test_every_heading_of_tricky_safari_is_in_the_page() -> None:
    text = (RULEBOOKS / "tricky-safari-online.txt").read_text("utf-8")
    contents = text[text.index("Inhalt") : text.index("Safari Spielregeln\n", text.index("Inhalt") + 60)]
    headings = {plain(line.split("\t")[0]) for line in contents.splitlines()[1:] if line.strip()}
    known = {plain(section) for section in BOOKS["tricky-safari-online"]} | {"safari spielregeln"}
    assert headings <= known


@pytest.mark.skipif(not RULEBOOKS.is_dir(), reason="../shared/rulebooks is not here")
def test_every_heading_of_the_safari_rulebook_is_in_the_page() -> None:
    """Its headings stand in capitals, or are numbered, on a line of their own before its list of tiles."""
    text = (RULEBOOKS / "safari-zman-2018.txt").read_text("utf-8")
    text = text[text.index("COMPONENTS AND SETUP") : text.index("OVERVIEW OF THE TILES")]
    known = {plain(section) for section in BOOKS["safari-zman-2018"]} | {
        "overview and object of the game", "animal trails and bush",  # said in the sections that follow
    }  # fmt: skip
    capitals = {plain(line) for line in text.splitlines() if line.isupper() and len(line) > 12}
    assert capitals <= known, capitals - known
