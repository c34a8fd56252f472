"""README of each package: its modules, each named once, and tuned numbers that are where the page says."""

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


def page_of(folder: Path) -> str:
    return (ROOT / folder / "README.md").read_text("utf-8")


@pytest.mark.parametrize("folder", FOLDERS, ids=str)
def test_every_module_is_named_once_as_its_docstring_says(folder: Path) -> None:
    page = page_of(folder)
    assert package_readmes.with_table(page, folder) == page, "run: make readmes"
    assert page.startswith(f"# {folder.as_posix()}\n")


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


def test_the_map_is_small_and_names_every_package() -> None:
    page = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    assert len(page.encode()) <= MAP_BYTES
    assert all(f"({name}/README.md)" in page for name in package_readmes.PACKAGES)
