"""The code keeps its measures: classes hold few values, functions take few, public names are documented.

Lengths of functions and modules and numbers of methods are coarse: they show at a glance what has grown too
large. What a reader must hold in mind are fields, parameters, and the concepts of a folder, which
`tests/docs/test_package_readmes.py` counts.
"""

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
FIELDS, PARAMETERS = 12, 7
"""Fields of a class and parameters of a function, at most; `self` and `cls` do not count."""

WIDE_CLASSES: dict[str, int] = {
    "engine/pack.py:Pack": 16,
    "tilesight/club/database/models.py:Game": 16,
    "tilesight/grading/marks.py:Marks": 21,
    "tilesight/grading/squares_marks.py:SquareMarks": 13,
    "tilesight/inference/opening/tracker.py:OpeningTracker": 13,
    "tilesight/table_log/event_fold.py:GameLedger": 24,
    "vision/pieces/piece_reader.py:PieceReader": 13,
    "vision/tiles/matching.py:ScoreValues": 14,
    "web/api/shapes.py:SquareStateShape": 19,
    "web/api/shapes.py:StateShape": 13,
    "web/api/shapes.py:TableShape": 18,
    "web/club/views.py:ClubTable": 18,
    "web/report/page.py:Report": 13,
    "web/table/squares.py:SquareView": 19,
    "web/table/view.py:TableView": 18,
}
"""Classes of more fields: the list may shrink, and no class on it may grow. Lists of tuned
numbers (`*Params`) do not count: `tilesight bench params` shows them."""

LONG_CALLS: dict[str, int] = {
    "tilesight/bench/inference/command.py:bench_inference_command": 9,
    "tilesight/bench/live.py:bench_live_command": 9,
    "tilesight/club/hub_command.py:hub_command": 11,
    "tilesight/commands/calibrate.py:calibrate_command": 8,
    "tilesight/commands/demo.py:demo_command": 8,
    "tilesight/commands/enrol.py:enrol_command": 9,
    "tilesight/commands/live.py:live_command": 28,
    "tilesight/commands/live_games.py:asked_game": 8,
    "tilesight/commands/lobby.py:lobby_command": 8,
    "tilesight/commands/photo.py:photo_command": 10,
    "tilesight/live/squares/table.py:SquaresTable.__init__": 9,
    "tilesight/live/tiles/table.py:TileTable.__init__": 11,
    "tilesight/recordings/command.py:replay_command": 18,
    "tilesight/recordings/record.py:record_command": 9,
    "tilesight/server/dashboard.py:Dashboard.__init__": 11,
    "tilesight/simulation/tile_games.py:random_game": 10,
    "web/app.py:create_app": 8,
    "web/lobby_app.py:create_lobby_app": 9,
}
"""Functions of more parameters, in the same way; those of a command are its options."""

FOREIGN_PRIVATES = {
    "tilesight/live/tiles/board.py: board._start",
}
"""Private fields that are written from outside of their class, each once; the list may shrink."""

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


def stored(node: ast.AST) -> Iterator[ast.Attribute]:
    """The attributes that a statement assigns or deletes."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.Delete):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        targets = [node.target]
    for target in targets:
        for one in ast.walk(target):
            if isinstance(one, ast.Attribute) and not isinstance(one.ctx, ast.Load):
                yield one


def is_own(attribute: ast.Attribute) -> bool:
    """Whether an attribute is of `self` or `cls`."""
    return isinstance(attribute.value, ast.Name) and attribute.value.id in ("self", "cls")


def held(node: ast.ClassDef) -> set[str]:
    """The fields of a class: those declared, and those that its methods assign to `self`."""
    declared = {
        one.target.id
        for one in node.body
        if isinstance(one, ast.AnnAssign)
        and isinstance(one.target, ast.Name)
        and "ClassVar" not in ast.unparse(one.annotation)
    }
    inside = (inner for one in node.body if isinstance(one, Functions) for inner in ast.walk(one))
    return declared | {one.attr for inner in inside for one in stored(inner) if is_own(one)}


def taken(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The number of a function's parameters without `self`, `cls`, `*args` and `**kwargs`."""
    names = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def defined(parent: ast.AST, prefix: str = "") -> Iterator[tuple[str, Named]]:
    """The classes and functions below a node, each with its name: `Class.method`."""
    for node in ast.iter_child_nodes(parent):
        name = prefix
        if isinstance(node, Named):
            name = f"{prefix}.{node.name}" if prefix else node.name
            yield name, node
        yield from defined(node, name)


def wide_classes(tree: ast.Module) -> dict[str, int]:
    """Classes of many fields, with how many."""
    counts = {name: len(held(one)) for name, one in defined(tree) if isinstance(one, ast.ClassDef)}
    return {name: n for name, n in counts.items() if n > FIELDS and not name.endswith("Params")}


def long_calls(tree: ast.Module) -> dict[str, int]:
    """Functions of many parameters, with how many."""
    counts = {name: taken(one) for name, one in defined(tree) if isinstance(one, Functions)}
    return {name: n for name, n in counts.items() if n > PARAMETERS}


def foreign_privates(tree: ast.Module) -> list[str]:
    """Private fields written on anything but `self` and `cls`."""
    written = [one for node in ast.walk(tree) for one in stored(node) if one.attr.startswith("_")]
    return sorted(ast.unparse(one) for one in written if not is_own(one))


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


@pytest.mark.parametrize(
    ("rule", "listed"),
    [(wide_classes, WIDE_CLASSES), (long_calls, LONG_CALLS)],
    ids=["fields", "parameters"],
)
def test_no_class_or_function_exceeds_its_permitted_width(
    rule: Callable[[ast.Module], dict[str, int]], listed: dict[str, int]
) -> None:
    found = {f"{path}:{name}": n for path, tree in modules().items() for name, n in rule(tree).items()}
    assert {name: n for name, n in found.items() if n > listed.get(name, 0)} == {}
    assert sorted(set(listed) - set(found)) == [], "narrow by now: take it off the list"


def test_private_fields_are_written_by_their_own_class() -> None:
    found = Counter(f"{path}: {text}" for path, tree in modules().items() for text in foreign_privates(tree))
    assert {text: n for text, n in found.items() if text not in FOREIGN_PRIVATES or n > 1} == {}
    assert sorted(FOREIGN_PRIVATES - set(found)) == [], "mended by now: take it off the list"


def test_the_measures_of_width_notice_what_they_forbid() -> None:
    fields = "\n".join(f"    f{number}: int" for number in range(FIELDS))
    names = ", ".join(f"p{number}" for number in range(PARAMETERS))
    wide = f"class Wide:\n{fields}\n    def m(self, {names}, *, more):\n        self.g = more\n"
    tuned = f"class LocateParams:\n{fields}\n    more: int\n"
    tree = ast.parse(f"{wide}        more._hidden = self._own = 1\n\n{tuned}")
    assert wide_classes(tree) == {"Wide": FIELDS + 2}
    assert long_calls(tree) == {"Wide.m": PARAMETERS + 1}
    assert foreign_privates(tree) == ["more._hidden"]


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
