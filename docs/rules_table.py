"""Tests of each rulebook section in docs/rules-by-section.md: `make rules-table` writes them from the tests.

A test names the section that it proves by `@pytest.mark.rule(book, section)`. The page holds the sections and
their modules by hand; the last column of its tables is written from the marks.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "rules-by-section.md"
TESTS = ROOT / "tests" / "engine"
BOOK = re.compile(r"## [^:]*: (.*)")
REMARK = re.compile(r" \(20\d\d, .*")
"""What a row of the wiki's editions adds to the name of its section."""

Rule = tuple[str, str]
"""Book, as the page's heading has it after the colon, and section."""


def marks() -> Mapping[Rule, Sequence[str]]:
    """The tests of each section, `file.py::test`, in the order of files and lines."""
    found: dict[Rule, list[str]] = defaultdict(list)
    for path in sorted(TESTS.rglob("test_*.py")):
        for rule, name in _marks_in(ast.parse(path.read_text("utf-8"))):
            found[rule].append(f"{path.relative_to(TESTS).as_posix()}::{name}")
    return found


def _marks_in(tree: ast.Module) -> Iterator[tuple[Rule, str]]:
    for node in tree.body:
        for mark in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.rule":
                book, section = (str(ast.literal_eval(one)) for one in mark.args)
                assert isinstance(node, ast.FunctionDef)
                yield (book, section), node.name


def sections(text: str) -> Iterator[tuple[int, Rule]]:
    """The sections of the page, each with the number of its line."""
    book = ""
    for number, line in enumerate(text.splitlines()):
        if found := BOOK.fullmatch(line):
            book = found.group(1)
        elif line.startswith("| ") and not line.startswith("| section"):
            yield number, (book, REMARK.sub("", line.split("|")[1].strip()))


def with_tests(text: str) -> str:
    """The page with the tests of every section. ValueError where a mark names a section that it lacks, or a
    section has no test."""
    lines, known = text.splitlines(), marks()
    listed = {rule: number for number, rule in sections(text)}
    if astray := sorted(set(known) ^ set(listed)):
        raise ValueError(f"sections without a test, or tests of no section: {astray}")
    for rule, number in listed.items():
        _, section, modules, *_ = lines[number].split("|")
        lines[number] = f"|{section}|{modules}| {', '.join(f'`{name}`' for name in known[rule])} |"
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(with_tests(PAGE.read_text("utf-8")), "utf-8")
