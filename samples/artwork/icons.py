"""Icons of animals: Fluent Emoji from `icons.json`, one of them with more contrast."""

import json
from pathlib import Path

ICON_SIDE = 32
"""Side of the square in which icons are drawn."""
CLEARER = {"#d3d3d3": "#ffffff", "#636363": "#14171d", "#9b9b9b": "#c3cad2"}
"""Replaced colours of the zebra, whose greys are too close to each other to be read from afar."""


def read_icons(file: Path) -> dict[str, str]:
    """SVG bodies of an ``icons.json``, by animal."""
    icons: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))["icons"]
    for grey, clear in CLEARER.items():
        icons["zebra"] = icons["zebra"].replace(grey, clear)
    return icons
