"""A network is published only from a checkpoint."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from models.train.publish import require_checkpoint


def test_a_missing_checkpoint_ends_the_program_with_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = argparse.ArgumentParser(prog="recipe")
    with pytest.raises(SystemExit) as stop:
        require_checkpoint(parser, tmp_path / "none.pt")
    assert stop.value.code == 2
    assert f"there is no checkpoint {tmp_path / 'none.pt'} to publish" in capsys.readouterr().err
    (tmp_path / "some.pt").write_bytes(b"weights")
    require_checkpoint(parser, tmp_path / "some.pt")


def test_the_descriptor_recipe_publishes_nothing_without_a_checkpoint(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("torch", reason="recipes need torch (pip install torch)")
    from models.train.descriptor.__main__ import main

    with pytest.raises(SystemExit):
        main(["--publish", "--checkpoint", str(tmp_path / "none.pt"), "--models", str(tmp_path / "models")])
    assert "there is no checkpoint" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
