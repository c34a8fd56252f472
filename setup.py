"""The build step that pyproject.toml cannot say: sample sessions go into wheel and sdist, each with its film.

A wheel built from the sdist has the very films that lie there; in a clone they are made of `samples/`.
"""

import json
import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))  # an isolated build does not have it there

from tilesight.sessions.samples import DEMOS, PACKAGED  # noqa: E402

BESIDE = ("README.md", "truth.game.jsonl")
"""What goes with a session's pictures. Not truth.json, which says where every corner lies, and
manifest.json, which holds the hashes of the pictures as they are in the clone."""
NOTE = "\nHere the pictures are a film (frames.avif), and of the other files only these are there: %s.\n"


class BuildWithSamples(build_py):
    """`build_py`, then the sample sessions; an editable install takes them from `samples/`."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            write_samples(Path(self.build_lib))


class SdistWithSamples(sdist):
    """`sdist`, with the sample sessions as the wheel has them."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        write_samples(Path(base_dir))


def write_samples(out: Path) -> None:
    """The sample sessions, in the package tilesight in `out`."""
    there = ROOT / "tilesight" / PACKAGED
    if there.is_dir():  # an unpacked sdist
        shutil.copytree(there, out / "tilesight" / PACKAGED, dirs_exist_ok=True)
        return
    for name in DEMOS:
        write_packaged(ROOT / "samples" / name, out / "tilesight" / PACKAGED / name)


def write_packaged(folder: Path, out: Path) -> None:
    """The session in `folder` written to `out`, its pictures as a film. The sessions still replay exactly
    (tests/tilesight/test_wheel.py), at a ninth of the bytes."""
    from tilesight.sessions.film import FILM, write_film

    out.mkdir(parents=True, exist_ok=True)
    for name in ("session.json", *BESIDE):
        shutil.copyfile(folder / name, out / name)
    frames = json.loads((folder / "session.json").read_text("utf-8"))["frames"]
    write_film([folder / frame["file"] for frame in frames], out / FILM)
    with (out / "README.md").open("a", encoding="utf-8") as readme:
        readme.write(NOTE % ", ".join(("session.json", *BESIDE)))


setup(cmdclass={"build_py": BuildWithSamples, "sdist": SdistWithSamples})
