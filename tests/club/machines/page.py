"""Commands that a page tells people to type, each block under what it is for, in bold letters."""

from __future__ import annotations

import re
from pathlib import Path

BLOCK = re.compile(r"\*\*([^*\n]+)\*\*(?:(?!\n\*\*|\n#|```).)*?\n\n```\n(.*?)\n```", re.DOTALL)
"""What a block is for, and its lines."""
PLACES = re.compile(r"^```\n(HUB=.*)\n```$", re.MULTILINE)
"""The line that says where the machines are."""


class Page:
    """The blocks of a page; ``followed`` are those that were asked for."""

    def __init__(self, path: Path) -> None:
        text = path.read_text("utf-8")
        self._blocks: dict[str, list[str]] = {
            title: block.splitlines() for title, block in BLOCK.findall(text)
        }
        places = PLACES.search(text)
        assert places, f"{path.name} does not say where the machines are"
        self.places = dict(one.split("=") for one in places[1].split())
        self.followed: set[str] = set()

    @property
    def titles(self) -> set[str]:
        """What the blocks are for."""
        return set(self._blocks)

    def lines(self, title: str, **instead: str) -> list[str]:
        """The lines of a block, words replaced by others. KeyError where there is no such block, or it
        does not have a word that is to be replaced."""
        self.followed.add(title)
        lines = self._blocks[title]
        for word, other in instead.items():
            if not any(word in line for line in lines):
                raise KeyError(f"{title}: {word}")
            lines = [line.replace(word, other) for line in lines]
        return lines
