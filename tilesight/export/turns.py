"""Turns of a table's log as CSV, one line each."""

from __future__ import annotations

import csv
import json
from io import StringIO

from tilesight.export.pictures import KeptGame

FIELDS = (
    "turn", "player", "name", "tile", "x", "y", "rot", "action", "feature", "square",
    "provenance", "confidence",
)  # fmt: skip
"""Columns before those of the scores, one for each player."""


def turns_csv(game: KeptGame) -> str:
    """Return the turns with their provenance, and all scores after each.

    ``confidence`` is that of a doubtful turn; it is empty for one that people stated or that is not doubtful.
    ``record`` is the line of the game record.
    """
    players = list(game.ledger.header["players"])
    text = StringIO()
    table = csv.writer(text)
    table.writerow((*FIELDS, *(f"score {color}" for color in players), "record"))
    for number, turn in enumerate(game.ledger.turns, 1):
        line, position = turn.to_json(), game.positions[number]
        x, y = line.get("cell") or ("", "")
        action = line.get("action") or {}
        stated, doubt = number in game.stated, game.ledger.doubts.get(number)
        sure = "" if stated or doubt is None else round(doubt.confidence, 4)
        scores = getattr(position, "scores", None) or getattr(position, "points", {})
        table.writerow(
            (
                number,
                line["player"],
                game.ledger.names.get(line["player"], line["player"]),
                line.get("tile") or "",
                x,
                y,
                line.get("rot", ""),
                action.get("type", ""),
                action.get("feature", ""),
                line.get("to", ""),
                "corrected" if stated else "read",
                sure,
                *(scores.get(color, 0) for color in players),
                json.dumps(line, ensure_ascii=False),
            )
        )
    return text.getvalue()
