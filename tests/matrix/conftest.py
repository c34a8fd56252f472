"""One kit for each game of the engine's table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.matrix.games import GAMES, Kit, beginning, kit_of


@pytest.fixture(scope="module", params=GAMES)
def kit(request: pytest.FixtureRequest) -> Kit:
    return kit_of(request.param)


@pytest.fixture(scope="module")
def session(kit: Kit, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The beginning of the game's sample session."""
    return beginning(kit, tmp_path_factory.mktemp(kit.game) / "session")
