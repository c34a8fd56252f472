"""docs/rules-by-section.md names modules that exist, every rulebook section, and the tests marked with it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from docs import rules_table

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "rules-by-section.md").read_text("utf-8")
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| section")
]
HEADINGS: dict[str, dict[str, list[str]]] = json.loads(
    (Path(__file__).parent / "facts" / "rulebook-headings.json").read_text("utf-8")
)
"""The rulebooks' headings, and passages that the page names beside them; the texts are not ours to ship."""
RULINGS = (ROOT / "docs" / "rulings.md").read_text("utf-8").split("## Carcassonne and The River\n")[-1]
"""The chapter that stands for the rulebook of the base game."""
BOOKS = {
    title: [re.sub(r" \(20.*", "", row) for row in re.findall(r"^\| (?!section)(.*?) \|", text, re.MULTILINE)]
    for title, text in re.findall(r"^## [^:\n]*: (.*)\n((?:(?!^## ).*\n)*)", PAGE, re.MULTILINE)
}
NO_RULES = {
    "carcassonne", "hunters and gatherers", "published by", "safari spielregeln",
    "actions and header carcassonne", "fault codes carcassonne",
    "overview and object of the game", "animal trails and bush",  # said in the sections that follow
}  # fmt: skip
"""Headings under which no rule stands."""


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"[^\w&' ]", " ", text.replace("’", "'"))).strip().lower()


HEADINGS["rulings-carcassonne"] = {
    "headings": [plain(heading) for heading in re.findall(r"^### (.*)$", RULINGS, re.MULTILINE)]
}


def test_the_page_has_a_table_for_each_rulebook() -> None:
    books = {name for title in BOOKS for name in title.split(", ")}
    assert {"safari-zman-2018", "safari-wiki-2018", "safari-wiki-2020"} <= books
    assert {"hunters-gatherers-2020", "tricky-safari-online", "rulings-carcassonne"} <= books
    assert len(ROWS) == sum(map(len, BOOKS.values())) > 50


def test_the_tests_of_the_page_are_those_marked_with_its_sections() -> None:
    assert rules_table.with_tests(PAGE) == PAGE, "run: make rules-table"


def test_a_mark_of_no_section_and_a_section_without_a_test_are_noticed() -> None:
    for text in (PAGE.replace("| The Ranger |", "| The Rangers |"), PAGE + "| Nothing | `pack.py` | |\n"):
        with pytest.raises(ValueError, match="sections without a test"):
            rules_table.with_tests(text)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0][:40])
def test_every_module_and_test_of_the_page_exists(row: list[str]) -> None:
    section, modules, tests = row
    assert section
    named = re.findall(r"`([\w/]+\.py)`", modules)
    assert named or modules.startswith("none: ")
    for module in named:
        assert (ROOT / "engine" / module).is_file(), module
    proofs = re.findall(r"`([\w/]+\.py)::(\w+)`", tests)
    assert proofs
    for file, name in proofs:
        assert f"def {name}(" in (ROOT / "tests" / "engine" / file).read_text("utf-8"), f"{file}::{name}"


@pytest.mark.parametrize("title", BOOKS)
def test_every_section_of_the_page_stands_in_the_rulebook(title: str) -> None:
    known = [phrase for name in title.split(", ") for part in HEADINGS[name].values() for phrase in part]
    for section in BOOKS[title]:
        assert any(plain(section) in phrase for phrase in known), section


@pytest.mark.parametrize(
    "name", ["safari-zman-2018", "hunters-gatherers-2020", "tricky-safari-online", "rulings-carcassonne"]
)
def test_every_heading_of_the_rulebook_is_in_the_page(name: str) -> None:
    known = {plain(section) for section in BOOKS[name]} | NO_RULES
    assert HEADINGS[name]["headings"]
    for heading in HEADINGS[name]["headings"]:
        assert heading in known, heading
