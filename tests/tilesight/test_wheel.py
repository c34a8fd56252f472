"""The built wheel, installed without a clone: every command finds its files."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from engine.pack import PACKS, pack_ids
from tests.test_library_page import BLOCKS
from tilesight.sessions.samples import DEMOS, PACKAGED, sample_games

pytestmark = pytest.mark.long
TREE = Path(__file__).parents[2]
VERSION: str = tomllib.loads((TREE / "pyproject.toml").read_text("utf-8"))["project"]["version"]
OF_THE_BUILD = ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE")
LARGEST_DOWNLOAD = 25_000_000
"""Bytes of a wheel and of a source distribution."""
INNER = ("calibration", "engine", "models", "vision", "web")
"""Packages of the tree that a wheel has inside of `tilesight`."""
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, testrun_uid: str, worker_id: str) -> Path:
    """The folder of one build that all processes of a run share: `source`, `wheel`, `sdist`, `installed`."""
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / f"built-{testrun_uid}"
    folder.mkdir(exist_ok=True)
    return folder


def _once(folder: Path, make: Callable[[Path], object]) -> Path:
    """Fill a folder by ``make`` in the first process that asks; the others wait for it."""
    whole = folder.with_suffix(".whole")
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not whole.exists():
            shutil.rmtree(folder, ignore_errors=True)  # what a process left that failed
            folder.mkdir()
            make(folder)
            whole.touch()
    return folder


@pytest.fixture(scope="session")
def source(built: Path) -> Path:
    """A copy of the tree's files for a build, which leaves its folder behind."""
    return _once(built / "source", _copy_tree)


def _copy_tree(source: Path) -> None:
    for name in OF_THE_BUILD:
        shutil.copyfile(TREE / name, source / name)
    left_out = shutil.ignore_patterns("__pycache__", "*.egg-info")
    for folder in (*INNER, "tilesight", *(f"samples/{name}" for name in DEMOS)):
        shutil.copytree(TREE / folder, source / folder, ignore=left_out)


@pytest.fixture(scope="session")
def wheel(built: Path, source: Path) -> Path:
    """The wheel, built from the tree."""
    (wheel,) = _once(built / "wheel", lambda out: _wheel_of(source, out)).iterdir()
    return wheel


@pytest.fixture(scope="session")
def sdist(built: Path, source: Path) -> Path:
    """The source distribution, built from the tree."""
    (sdist,) = _once(built / "sdist", lambda out: _build_sdist(source, out)).iterdir()
    return sdist


def _build_sdist(source: Path, out: Path) -> None:
    build = f"from setuptools.build_meta import build_sdist; build_sdist({str(out)!r})"
    done = subprocess.run(
        [sys.executable, "-c", build], cwd=source, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def _wheel_of(source: Path, out: Path) -> Path:
    """The wheel built from a folder or an sdist, with the time of a release for all files in it."""
    _pip("wheel", str(source), "--no-deps", "--no-build-isolation", "--no-index", "-w", str(out))
    (built,) = out.glob("*.whl")
    return built


def _pip(*arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", *arguments, "--disable-pip-version-check"],
        capture_output=True, text=True, check=False,
        env={**os.environ, "SOURCE_DATE_EPOCH": "1767225600"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="session")
def installed(built: Path, wheel: Path) -> Run:
    """Runs a program of an environment into which the wheel is installed, in an empty folder. The environment
    borrows the dependencies of the running one; that these are all named is what an install with them proves
    (`pip install dist/*.whl`). Other packages there are called as those of the tree, and break when they are
    imported."""
    home = _once(built / "installed", partial(_install, wheel))
    programs, told = home / "venv" / "bin", os.environ | {"TILESIGHT_HOME": str(home / "kept")}
    told.pop("PYTHONPATH", None)

    def run(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [programs / program, *arguments], cwd=home / "empty", env=told,
            capture_output=True, text=True, check=False, timeout=540,
        )  # fmt: skip

    asked = "import tilesight.app, tilesight.engine.record as r; print(tilesight.app.__file__, r.__file__)"
    where = run("python", "-c", asked)
    assert all(Path(file).is_relative_to(_packages(home)) for file in where.stdout.split()), where.stderr
    return run


def _install(wheel: Path, home: Path) -> None:
    """Create the environment of `installed` in a folder."""
    venv.create(home / "venv", with_pip=False, symlinks=True)
    _pip("--python", str(home / "venv" / "bin" / "python"), "install", "--no-deps", "--no-index", str(wheel))
    site = _packages(home)
    borrowed = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    (site / "borrowed.pth").write_text("\n".join(borrowed) + "\n", "utf-8")
    (home / "empty").mkdir()
    for name in INNER:
        (site / name).mkdir()
        (site / name / "__init__.py").write_text("raise ImportError(__name__)\n", "utf-8")


def _packages(home: Path) -> Path:
    (site,) = (home / "venv").glob("lib/python3*/site-packages")
    return site


@pytest.fixture(scope="session")
def tilesight(installed: Run) -> Run:
    """Runs the installed command."""
    return partial(installed, "tilesight")


def test_the_wheel_has_what_people_need_and_no_more(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {name.split("/")[0] for name in names} == {"tilesight", f"tilesight-{VERSION}.dist-info"}
    assert not [name for name in names if name.startswith("tilesight/models/train")]
    there = {
        f"tilesight/{path.relative_to(TREE / 'tilesight' if package == 'tilesight' else TREE).as_posix()}"
        for package in (*INNER, "tilesight")
        for path in (TREE / package).rglob("*")
        if path.is_file()
        and "__pycache__" not in path.parts
        and not path.name.startswith(".")
        and path.name != "README.md"  # for readers of the source
        and not path.is_relative_to(TREE / "models" / "train")
    }
    of_samples = {name for name in names if name.startswith(f"tilesight/{PACKAGED}/")}
    assert {name for name in names if name.startswith("tilesight/")} - of_samples == there
    assert {name.split("/")[2] for name in of_samples} == set(DEMOS)


def test_the_download_is_small(wheel: Path, sdist: Path) -> None:
    assert wheel.stat().st_size < LARGEST_DOWNLOAD
    assert sdist.stat().st_size < LARGEST_DOWNLOAD


def test_the_source_distribution_builds_the_same_wheel(wheel: Path, sdist: Path, tmp_path: Path) -> None:
    """Byte for byte, though the films of the sample sessions were made twice."""
    with tarfile.open(sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert not [name for name in names if name.startswith(("tests", "samples", "docs", "models/train"))]
    assert _wheel_of(sdist, tmp_path).read_bytes() == wheel.read_bytes()


@pytest.mark.parametrize("game", sample_games())
def test_the_demo_of_each_game_is_exact_from_its_film(tilesight: Run, game: str) -> None:
    done = tilesight("demo", "--game", game, "--exit-at-end", "--json", "--host", "127.0.0.1", "--port", "0")
    assert done.returncode == 0, done.stderr
    last = json.loads(done.stdout.splitlines()[-1])
    assert last["compare"]["turns_exact"] == last["compare"]["turns"] > 0
    assert last["compare"]["final_exact"] is True


def test_a_photograph_is_read(tilesight: Run) -> None:
    done = tilesight("photo", str(TREE / "samples" / "house-boards" / "house-01.jpg"), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["tiles"]


def test_a_session_is_replayed_and_watched(tilesight: Run, tmp_path: Path) -> None:
    session = _first_turns(TREE / "samples" / DEMOS[0], tmp_path / "session", frames=9)
    replayed = tilesight("replay", str(session), "--json")
    assert replayed.returncode == 0, replayed.stderr
    turns = json.loads(replayed.stdout)["turns"]
    assert turns
    watched = tilesight(
        "live", "--game", "safari", "--players", "red=Ana,blue=Bo", "--camera", str(session),
        "--pace", "fast", "--exit-at-end", "--json", "--host", "127.0.0.1", "--port", "0",
    )  # fmt: skip
    assert watched.returncode == 0, watched.stderr
    told = [json.loads(line) for line in watched.stdout.splitlines()]
    assert sum(line.get("type") == "turn" for line in told) == len(turns)


def _first_turns(folder: Path, out: Path, frames: int) -> Path:
    session: dict[str, Any] = json.loads((folder / "session.json").read_text("utf-8"))
    session["frames"] = session["frames"][:frames]
    (out / "frames").mkdir(parents=True)
    for frame in session["frames"]:
        shutil.copyfile(folder / frame["file"], out / frame["file"])
    (out / "session.json").write_text(json.dumps(session), "utf-8")
    return out


@pytest.mark.parametrize("pack", [name for name in pack_ids() if (PACKS / name / "art").is_dir()])
def test_sheets_are_printed(tilesight: Run, tmp_path: Path, pack: str) -> None:
    done = tilesight("print", pack, str(tmp_path / "sheets.pdf"), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pages"] > 0


def test_the_version_is_that_of_the_project(installed: Run) -> None:
    told = installed("python", "-c", "import tilesight; print(tilesight.__version__)")
    assert told.stdout.strip() == VERSION


def test_the_lines_of_the_library_page_work_without_the_clone(installed: Run, tmp_path: Path) -> None:
    lines = tmp_path / "library.py"
    lines.write_text("".join(BLOCKS), "utf-8")
    with_data = f"import os, runpy; os.chdir({str(tmp_path)!r}); runpy.run_path('library.py')"
    for folder in ("samples", "tests"):
        (tmp_path / folder).symlink_to(TREE / folder)
    done = installed("python", "-P", "-c", with_data)
    assert done.returncode == 0, done.stderr
    assert "24 tiles" in done.stdout
    assert (tmp_path / "seen.png").is_file()
