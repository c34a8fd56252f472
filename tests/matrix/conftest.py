"""One kit for each game of the engine's table."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.games import tile_game_names
from tests.matrix.games import GAMES, Kit, beginning, kit_of


def parametrized() -> list[object]:
    """The games; those of a kind (tiles or squares) that has one already are long."""
    first_of_kind = {name in tile_game_names(): name for name in reversed(GAMES)}
    return [
        pytest.param(name, marks=[] if name in first_of_kind.values() else pytest.mark.long) for name in GAMES
    ]


@pytest.fixture(scope="module", params=parametrized())
def kit(request: pytest.FixtureRequest) -> Kit:
    return kit_of(request.param)


@pytest.fixture(scope="module")
def session(kit: Kit, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The beginning of the game's sample session."""
    return beginning(kit, tmp_path_factory.mktemp(kit.game) / "session")
