"""README of each package: its purpose, few concepts, its modules, each once, and where to change what."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs import package_readmes
from tests.docs.pages import ROOT

FOLDERS = package_readmes.folders()
NUMBERS = re.compile(r"\[\w*params\]\(([\w/.]+\.py)\) \(((?:`\w+`(?:, )?)+)\)")
"""A link to a module of tuned numbers, and their names in brackets."""
MAP_BYTES = 12_000
CONCEPTS = 7
"""Concepts that a folder introduces, at most: a folder that needs more is two."""
ROW = re.compile(r"^\| \[(\w+)\]\(\1\.py\) \| .", re.MULTILINE)
"""A row of a table of modules: the module, linked by its own name, and its description."""


def page_of(folder: Path) -> str:
    return (ROOT / folder / "README.md").read_text("utf-8")


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_every_module_is_named_once_as_its_docstring_says(folder: Path) -> None:
    page = page_of(folder)
    assert package_readmes.with_table(page, folder) == page, "run: make readmes"
    assert page.startswith(f"# {folder.as_posix()}\n")


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_a_readme_describes_the_modules_of_its_own_folder_each_once(folder: Path) -> None:
    listed = page_of(folder).partition(package_readmes.BEGIN)[2].partition(package_readmes.END)[0]
    assert ROW.findall(listed) == [path.stem for path in package_readmes.modules(folder)]


def test_every_folder_of_the_packages_with_modules_has_a_readme() -> None:
    modules = (path for name in package_readmes.PACKAGES for path in (ROOT / name).rglob("*.py"))
    folders = {path.parent.relative_to(ROOT) for path in modules}
    shipped = {one for one in folders if not one.as_posix().startswith(package_readmes.LEFT_OUT)}
    assert shipped == set(FOLDERS)


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_a_readme_says_its_purpose_and_few_concepts(folder: Path) -> None:
    purpose, _, rest = page_of(folder).partition("\n## ")
    assert len(re.findall(r"\.(?:\s|$)", purpose.split("\n", 1)[1])) in (1, 2, 3, 4)
    concepts = rest.partition("Concepts\n")[2].partition("\n## ")[0] if rest.startswith("Concepts") else ""
    assert len(re.findall(r"^- \*\*", concepts, re.MULTILINE)) <= CONCEPTS


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_modules_that_a_readme_names_in_words_are_there(folder: Path) -> None:
    for name in re.findall(r"`([\w/]+\.py)`", page_of(folder)):
        assert any((ROOT / base / name).exists() for base in (folder, *folder.parents)), name


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_links_of_a_readme_lead_somewhere(folder: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page_of(folder)):
        assert (ROOT / folder / target).exists(), target


def test_every_folder_is_reached_from_the_one_above() -> None:
    for folder in FOLDERS:
        if folder.parent in FOLDERS:
            assert f"({folder.name}/README.md)" in page_of(folder.parent), folder


def test_tuned_numbers_are_in_the_module_that_a_page_names() -> None:
    found = [(folder, *one) for folder in FOLDERS for one in NUMBERS.findall(page_of(folder))]
    assert len(found) >= 10
    for folder, path, names in found:
        text = (ROOT / folder / path).read_text("utf-8")
        for name in re.findall(r"\w+", names):
            assert f"    {name}: " in text, f"{folder}/{path} has no {name}"


NAMED = re.compile(r"((?:`[A-Za-z_.]+`,? (?:and )?)+)\s*\(?(?:,\s+)?\[([\w/]+\.py)\]\(\2\)")
"""Names in code, and the module that the map links right after them."""


def defines(text: str, name: str) -> bool:
    """Whether a module defines a name, or all parts of `Class.method`."""
    return all(
        re.search(rf"^ *(?:class|(?:async )?def) {part}\b", text, re.MULTILINE) for part in name.split(".")
    )


def test_the_map_names_what_is_in_the_modules_that_it_links() -> None:
    page = re.sub(r"\s+", " ", (ROOT / "ARCHITECTURE.md").read_text("utf-8").partition("## One photo")[2])
    found = [(name, path) for names, path in NAMED.findall(page) for name in re.findall(r"[\w.]+", names)]
    assert len(found) > 20
    for name, path in found:
        assert defines((ROOT / path).read_text("utf-8"), name), f"{path} has no {name}"


def test_every_name_of_the_map_is_defined_somewhere() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    modules = (path for name in package_readmes.PACKAGES for path in (ROOT / name).rglob("*.py"))
    code = "\n".join(path.read_text("utf-8") for path in modules)
    for name in re.findall(r"`([A-Z]\w+(?:\.\w+)?|[a-z]+_\w+)`", page):
        assert defines(code, name), name


def test_the_map_is_small_and_names_every_package() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert len(page.encode()) <= MAP_BYTES
    assert all(f"({name}/README.md)" in page for name in package_readmes.PACKAGES)
