"""The pages that people read, and the commands in them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
BLOCK = re.compile(r"^( *)(<!--.*?-->\n+ *)?```(\w*)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
PARSE_ONLY = "<!-- parse only: "
"""Marks a block whose commands need a camera, own pictures or a reader: only their options are checked."""


@dataclass(frozen=True)
class Command:
    """A line `tilesight …` of a page, without the first word."""

    args: tuple[str, ...]
    runs: bool

    def __str__(self) -> str:
        return " ".join(self.args)


def commands_of(page: Path) -> Iterator[Command]:
    """The commands in a page's blocks, in order."""
    for found in BLOCK.finditer(page.read_text("utf-8")):
        comment, language, text = found.group(2) or "", found.group(3), found.group(4)
        for line in text.splitlines():
            words = shlex.split(line, comments=True)
            if language in ("", "bash") and words and words[0] == "tilesight":
                yield Command(tuple(words[1:]), not comment.startswith(PARSE_ONLY))


def commands_in_prose(page: Path) -> Iterator[Command]:
    """The commands that stand in backticks within a page's text, where they are whole."""
    for text in re.findall(r"`tilesight ([^`\n]*)`", page.read_text("utf-8")):
        if not re.search(r"[…|\[]", text):
            yield Command(tuple(shlex.split(text)), False)
