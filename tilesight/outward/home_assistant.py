"""Home Assistant: the table's state as JSON, and the discovery message that describes it (device discovery).

The names of entities are stable: players are counted by seat, so that automations outlive a game.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from engine.message import plain
from web.table.question import Question
from web.table.squares import SquareView
from web.table.view import TableView

DISCOVERY = "homeassistant"
"""First part of the topics that Home Assistant watches for new devices."""
SEATS = 8
"""Number of seats for which scores are described; seats without a player are described as removed."""
SENSOR, BINARY_SENSOR = "sensor", "binary_sensor"

Json = dict[str, Any]


def state_message(view: TableView | SquareView, questions: Sequence[Question]) -> Json:
    """Return the table's state: scores by seat, player to move, questions, tiles left, whether it is over."""
    scores, to_move, over = _scores(view), _to_move(view), _over(view)
    names = {seat.color: seat.name for seat in view.seats}
    return {
        **{f"score_{number}": scores.get(seat.color, 0) for number, seat in enumerate(view.seats, 1)},
        "players": [
            {"color": seat.color, "name": seat.name, "score": scores.get(seat.color, 0)}
            for seat in view.seats
        ],
        "to_move": names.get(to_move or ""),
        "to_move_color": to_move,
        "question": "ON" if questions else "OFF",
        "questions": [plain(question.text) for question in questions],
        "tiles_left": None if isinstance(view, SquareView) else sum(view.state.bag.values()),
        "over": "ON" if over else "OFF",
        "winners": [names.get(color, color) for color in _winners(view)] if over else [],
    }


def _over(view: TableView | SquareView) -> bool:
    """Whether the game is over."""
    return view.phase == "over" or (isinstance(view, TableView) and view.state.over)


def _scores(view: TableView | SquareView) -> Mapping[str, int]:
    """Return the points of each colour, as the dashboard shows them."""
    if isinstance(view, SquareView):
        return {} if view.state is None else dict(view.state.points)
    if view.final is not None:
        return view.final.scores
    return {color: points + view.by_hand.get(color, 0) for color, points in view.state.scores.items()}


def _to_move(view: TableView | SquareView) -> str | None:
    """Return the colour of the player to move; None after the end, or while the set-up is not read."""
    return None if view.state is None or _over(view) else view.state.player


def _winners(view: TableView | SquareView) -> Sequence[str]:
    """Return the colours of the winners of a game that is over."""
    if isinstance(view, SquareView):
        return view.winners
    return () if view.final is None else view.final.winners


def node_of(prefix: str) -> str:
    """Return the id of the device for a prefix of topics: letters, digits, ``_`` and ``-``."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", prefix)


def discovery_topic(prefix: str) -> str:
    """Return the topic of the discovery message."""
    return f"{DISCOVERY}/device/{node_of(prefix)}/config"


def discovery_message(prefix: str, view: TableView | SquareView) -> Json:
    """Return the discovery message of a table whose topics begin with ``prefix``."""
    node = node_of(prefix)

    def entity(platform: str, key: str, name: str, **more: str) -> Json:
        template = {"value_template": f"{{{{ value_json.{key} }}}}"}
        return {"platform": platform, "unique_id": f"{node}_{key}", "name": name, **template, **more}

    scores = {"state_class": "measurement", "icon": "mdi:scoreboard"}
    entities = {
        "to_move": entity(SENSOR, "to_move", "Player to move", icon="mdi:account-arrow-right"),
        "question": entity(BINARY_SENSOR, "question", "Question open", icon="mdi:help-circle"),
        "over": entity(BINARY_SENSOR, "over", "Game over", icon="mdi:flag-checkered"),
        **{
            f"score_{number}": entity(SENSOR, f"score_{number}", f"Score {number}: {seat.name}", **scores)
            for number, seat in enumerate(view.seats, 1)
        },
    }
    if isinstance(view, TableView):
        entities["tiles_left"] = entity(SENSOR, "tiles_left", "Tiles left", icon="mdi:cards")
    # A component with a platform alone removes the entity of an earlier game.
    removed = ["tiles_left", *(f"score_{number}" for number in range(1, SEATS + 1))]
    gone = {key: {"platform": SENSOR} for key in removed if key not in entities}
    return {
        "device": {
            "identifiers": [node],
            "name": "Tilesight" if prefix == "tilesight" else f"Tilesight {prefix}",
            "manufacturer": "Tilesight",
            "model": view.game,
        },
        "origin": {"name": "tilesight"},
        "availability_topic": f"{prefix}/availability",
        "state_topic": f"{prefix}/state",
        "components": {**entities, **gone},
    }
