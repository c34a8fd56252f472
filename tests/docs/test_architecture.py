"""ARCHITECTURE.md names tuned numbers that are in the module beside which they stand."""

from __future__ import annotations

import re

from tests.docs.pages import ROOT

PAGE = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
NUMBERS = re.compile(r"\[\w*params\]\(([\w/]+\.py)\) \(((?:`\w+`(?:, )?)+)\)")
"""A link to a module of tuned numbers, and their names in brackets."""


def test_tuned_numbers_are_in_the_module_that_the_page_names() -> None:
    found = NUMBERS.findall(PAGE)
    assert len(found) >= 10
    for path, names in found:
        text = (ROOT / path).read_text("utf-8")
        for name in re.findall(r"\w+", names):
            assert f"    {name}: " in text, f"{path} has no {name}"
