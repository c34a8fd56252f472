"""Rendering of random games for benchmarks, by the development program `models.train.render_record`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from engine.record import Record, write_record
from tilesight.settings import SettingsError
from vision.image.whole_file import folder_beside


def render_record(folder: Path, record: Record, seed: int, *options: str) -> None:
    """Render a game record as the session ``folder``, with further ``options`` of the program.

    Raises SettingsError if the program fails or is not installed.
    """
    with folder_beside(folder) as part:
        game = part / "game.jsonl"
        game.write_text(write_record(record), encoding="utf-8")
        words = [sys.executable, "-m", "models.train.render_record", str(game), str(part)]
        done = subprocess.run(
            [*words, "--seed", str(seed), *options], capture_output=True, encoding="utf-8", check=False
        )
        if done.returncode:
            why = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise SettingsError(
                "this benchmark renders its games with models.train.render_record, which only a checkout "
                f"has; it failed with: {why}"
            )
        game.unlink()
