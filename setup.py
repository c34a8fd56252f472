"""The build step that pyproject.toml cannot say: sample sessions with small pictures go into the wheel."""

import json
import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))  # an isolated build does not have it there

from tilesight.sessions.samples import DEMOS, PACKAGED  # noqa: E402

WIDTH, HEIGHT, QUALITY = 960, 540, 75
"""Pixels that a picture may have, and its JPEG quality: the sessions still replay exactly
(tests/tilesight/test_wheel.py), at a third of the bytes."""
BESIDE = ("README.md", "truth.game.jsonl")
"""What goes with a session's pictures. Not truth.json, which says where every corner lies, and
manifest.json, which holds the hashes of the pictures in their full size."""
NOTE = f"\nHere the pictures are made smaller (at most {WIDTH} x {HEIGHT}), and only these are there: %s.\n"


class BuildWithSamples(build_py):
    """`build_py`, then the sample sessions; an editable install takes them from `samples/`."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for name in DEMOS:
                write_small(ROOT / "samples" / name, Path(self.build_lib, "tilesight", PACKAGED, name))

    def get_source_files(self) -> list[str]:
        """Also the samples, so that a wheel can be built from the source distribution."""
        found = [path for name in DEMOS for path in session_files(ROOT / "samples" / name)]
        return [*super().get_source_files(), *(path.relative_to(ROOT).as_posix() for path in found)]


def session_files(folder: Path) -> list[Path]:
    """The session's own file, what goes beside it, its pictures."""
    frames = json.loads((folder / "session.json").read_text("utf-8"))["frames"]
    return [folder / name for name in ("session.json", *BESIDE, *(frame["file"] for frame in frames))]


def write_small(folder: Path, out: Path) -> None:
    """The session in `folder` written to `out` with pictures of at most WIDTH x HEIGHT."""
    from PIL import Image

    for path in session_files(folder):
        to = out / path.relative_to(folder)
        to.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".jpg":
            with Image.open(path) as picture:
                picture.thumbnail((WIDTH, HEIGHT), Image.Resampling.LANCZOS, reducing_gap=None)
                picture.save(to, quality=QUALITY, optimize=True)
        else:
            shutil.copyfile(path, to)
    with (out / "README.md").open("a", encoding="utf-8") as readme:
        readme.write(NOTE % ", ".join(("session.json", *BESIDE, "frames/")))


setup(cmdclass={"build_py": BuildWithSamples})
