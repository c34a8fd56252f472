"""The code keeps its measures: functions, classes, folders and modules are small, public names documented."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("engine", "vision", "calibration", "models", "tilesight", "web")
APART = ("models/train",)
"""Folders of training recipes: programs that run from top to bottom."""
FUNCTION_LINES, CLASS_METHODS, FOLDER_MODULES, MODULE_LINES = 60, 20, 14, 400

Named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
Functions = (ast.FunctionDef, ast.AsyncFunctionDef)


@cache
def modules() -> dict[str, ast.Module]:
    """The syntax trees of all modules that are not recipes, by path."""
    paths = [path.relative_to(ROOT) for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    return {
        path.as_posix(): ast.parse((ROOT / path).read_text("utf-8"))
        for path in sorted(paths)
        if not path.as_posix().startswith(APART)
    }


def methods(node: ast.ClassDef) -> list[str]:
    """The names of a class's methods and properties; one with several variants (`overload`) counts once."""
    return sorted({one.name for one in node.body if isinstance(one, Functions)})


def long_functions(tree: ast.Module) -> Iterator[str]:
    """Functions of more lines than a screen shows."""
    for node in ast.walk(tree):
        if isinstance(node, Functions):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES:
                yield f"{node.name}: {lines} lines"


def large_classes(tree: ast.Module) -> Iterator[str]:
    """Classes that answer too much."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and len(methods(node)) > CLASS_METHODS:
            yield f"{node.name}: {len(methods(node))} methods"


def undocumented(tree: ast.Module) -> Iterator[str]:
    """Public modules, classes, functions and methods without a docstring. A property's setter, an overload
    and a method marked as an override need none."""
    if not ast.get_docstring(tree):
        yield "the module"
    yield from _undocumented(tree, "")


def _undocumented(parent: ast.Module | ast.ClassDef, prefix: str) -> Iterator[str]:
    for node in parent.body:
        if not isinstance(node, Named) or node.name.startswith("_") or _is_variant(node):
            continue
        if not ast.get_docstring(node):
            yield prefix + node.name
        if isinstance(node, ast.ClassDef):
            yield from _undocumented(node, f"{prefix}{node.name}.")


def _is_variant(node: Named) -> bool:
    """A property's setter, an overload, or an override that says so."""
    words = {ast.unparse(one).split(".")[-1] for one in node.decorator_list}
    return bool(words & {"setter", "deleter", "overload", "override"})


@pytest.mark.parametrize(
    "rule", [long_functions, large_classes, undocumented], ids=lambda rule: rule.__name__
)
def test_a_module_keeps_the_measure(rule: Callable[[ast.Module], Iterator[str]]) -> None:
    assert [f"{path}: {fault}" for path, tree in modules().items() for fault in rule(tree)] == []


def test_no_folder_has_too_many_modules() -> None:
    counts = Counter(Path(path).parent.as_posix() for path in modules() if not path.endswith("__init__.py"))
    assert {folder: count for folder, count in counts.items() if count > FOLDER_MODULES} == {}


def test_no_module_is_too_long() -> None:
    lengths = {path: (ROOT / path).read_text("utf-8").count("\n") for path in modules()}
    assert {path: lines for path, lines in lengths.items() if lines > MODULE_LINES} == {}


def test_the_rules_notice_what_they_forbid() -> None:
    body = "\n".join(["    x = 1"] * FUNCTION_LINES)
    many = "\n".join(f"    def m{number}(self): ..." for number in range(CLASS_METHODS + 1))
    tree = ast.parse(f"def long():\n{body}\n\nclass Large:\n{many}\n\ndef _private(): ...\n")
    assert list(long_functions(tree)) == [f"long: {FUNCTION_LINES + 1} lines"]
    assert list(large_classes(tree)) == [f"Large: {CLASS_METHODS + 1} methods"]
    assert (
        len(list(undocumented(tree))) == 1 + 1 + 1 + CLASS_METHODS + 1
    )  # the module, both names, the methods


def test_a_table_s_log_needs_no_web_server() -> None:
    program = "import sys, tilesight.table_log.event_fold; print('fastapi' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout.strip() == "False"
