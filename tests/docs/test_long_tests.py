"""docs/long-tests.md lists the files whose tests `make test` leaves out."""

from __future__ import annotations

import re

from tests.docs.pages import DOCS, ROOT

TESTS = ROOT / "tests"
MARK = "pytest.mark." + "long"


def test_the_page_lists_every_file_that_marks_tests_as_long() -> None:
    listed = re.findall(r"^\| `([^`]+)` \|", (DOCS / "long-tests.md").read_text("utf-8"), re.MULTILINE)
    marked = {
        path.relative_to(TESTS).as_posix() for path in TESTS.rglob("*.py") if MARK in path.read_text("utf-8")
    }
    assert len(set(listed)) == len(listed)
    assert set(listed) == marked
