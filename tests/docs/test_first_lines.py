"""First lines of modules and folders: each is one whole sentence that begins with the module's noun."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

PACKAGES = ("engine", "models", "vision", "calibration", "tilesight", "web")
MODULES = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
RIDDLES = ("What ", "Where ", "Who ", "How ", "Which ", "Whether ", "When ", "Since ", "So ")
"""Words that open a clause where a noun belongs."""

CLAUSES = ("What ", "Where ", "Who ", "Whose ", "Why ", "How ", "Which ", "When ", "Since ", "So ")
"""Openings that no text of a function, class or constant has."""


def text_of(node: ast.AST) -> str:
    """The text of a docstring, or of one below a constant; "" of any other node."""
    held = node.value if isinstance(node, ast.Expr) else None
    return held.value if isinstance(held, ast.Constant) and isinstance(held.value, str) else ""


@cache
def syntax(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def first_line(path: Path) -> str:
    return (ast.get_docstring(syntax(path)) or "").partition("\n")[0]


@pytest.mark.parametrize("name", PACKAGES)
def test_every_module_says_its_job_in_its_first_line(name: str) -> None:
    for path in MODULES:
        if path.is_relative_to(ROOT / name):
            line = first_line(path)
            assert line.endswith((".", "`")) and len(line) > 20, path.relative_to(ROOT)
            assert not line.startswith(RIDDLES), path.relative_to(ROOT)


@pytest.mark.parametrize("name", PACKAGES)
def test_texts_of_functions_and_constants_name_a_thing_or_an_act(name: str) -> None:
    for path in MODULES:
        if path.is_relative_to(ROOT / name):
            texts = [line.lstrip() for line in map(text_of, ast.walk(syntax(path)))]
            assert [text for text in texts if text.startswith(CLAUSES)] == [], path.relative_to(ROOT)


def test_no_two_modules_say_the_same() -> None:
    assert [line for line, n in Counter(map(first_line, MODULES)).items() if n > 1] == []
