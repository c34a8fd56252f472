"""The command line as an impatient user meets it: one line and the right exit code, never a traceback."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import tomllib
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from PIL import Image

from tests.docs.pages import ROOT
from tilesight import app as command_line

PICTURE = np.full((90, 120, 3), 128, np.uint8)


def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: object
) -> tuple[int, str, str]:
    """The program's exit code, output and messages."""
    monkeypatch.setattr(sys, "argv", ["tilesight", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        command_line.main()
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return int(ended.value.code or 0), out, err


def save(path: Path, picture: Any = PICTURE, **options: Any) -> Path:
    Image.fromarray(picture).save(path, **options)
    return path


@pytest.mark.parametrize("name", sorted(command_line.COMMANDS))
def test_the_list_of_commands_says_what_each_command_says(name: str) -> None:
    where, line = command_line.COMMANDS[name]
    module, _, attribute = where.partition(":")
    found = getattr(import_module(module), attribute)
    told = found.info.help if isinstance(found, typer.Typer) else found.__doc__
    assert told is not None
    told = told.split("\n\n")[0]
    assert line == " ".join(told.split())


def test_help_of_every_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for words in ([], *([name] for name in command_line.COMMANDS), ["bench", "vision"], ["bench", "engine"]):
        code, out, err = run(monkeypatch, capsys, *words, "--help")
        assert (code, err) == (0, "")
        assert " ".join(["tilesight", *words]) in " ".join(out.split())


@pytest.mark.parametrize(
    ("words", "beside"),
    [
        ("--help", {"cv2", "numpy", "onnxruntime", "fastapi", "uvicorn", "fpdf"}),
        ("check -", {"cv2", "numpy", "onnxruntime", "fastapi", "uvicorn", "fpdf"}),
        (
            "photo nowhere.jpg",
            {"engine.tricky_safari.game", "vision.squares", "fastapi"},
        ),
        ("replay nowhere", {"fastapi"}),
    ],
)
def test_a_command_loads_what_it_needs(words: str, beside: set[str]) -> None:
    code = (
        f"import sys; sys.argv = ['tilesight', *{words.split()!r}]\n"
        "from tilesight.app import main\n"
        "try: main()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], input="", capture_output=True, text=True, timeout=60)
    loaded = set(done.stderr.split())
    assert "typer" in loaded
    assert not loaded & beside


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("chek", "No such command 'chek'. Did you mean 'check'?"),
        ("bench visoin", "No such command 'visoin'"),
        ("photo", "Missing argument"),
        ("photo a.jpg --packs savanna", "No such option"),
        ("play", "Missing option '--game'"),
        ("play --game safari --seed x", "--seed"),
        ("play --game safari --players 9", "at most 5 players"),
        ("play --game ludo", "no rules for a game 'ludo'"),
        ("print savanna out.pdf --paper a5", "--paper"),
        ("print mat out.pdf --sheets 9x9", "1 to 4 columns and rows of sheets"),
        ("print mat out.pdf --sheets two", "--sheets takes columns x rows, for example 2x2"),
        ("print serengeti out.pdf", "no pack"),
        ("enrol --pack serengeti --images .", "no pack"),
        ("photo nowhere.jpg", "nowhere.jpg: no such file"),
        ("photo .", "is a folder"),
        ("replay nowhere", "nowhere: no such folder"),
        ("replay nowhere.mp4 --game safari --players red=Ana", "nowhere.mp4: no such video"),
        ("replay .", "no session here (the folder is empty)"),
        ("check nowhere.jsonl", "nowhere.jsonl: cannot be read"),
        ("bench vision .", "holds no truth.json"),
        ("bench engine nowhere", "nowhere"),
    ],
)
def test_wrong_use_is_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    words: str,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(monkeypatch, capsys, *words.split())
    assert (code, out) == (2, "")
    assert err.startswith("tilesight")
    assert err.count("\n") == 1
    assert said in err


@pytest.mark.parametrize("words", ["hub", "hub --help", "accounts", "club games"])
def test_a_command_of_an_extra_that_is_not_installed_names_it(words: str) -> None:
    command, *_ = words.split()
    code = (
        "import sys\n"
        f"for name in {command_line.EXTRAS['club']!r}: sys.modules[name] = None\n"  # as if not installed
        f"sys.argv = ['tilesight', *{words.split()!r}]\n"
        "from tilesight.app import main\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"tilesight: {command} needs more of Tilesight (")
    assert done.stderr.endswith("): pip install 'tilesight[club]'\n")
    assert done.stderr.count("\n") == 1


def test_the_modules_of_an_extra_are_those_of_its_distributions() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    always = {_distribution(line) for line in pyproject["dependencies"]}
    modules_in_order: dict[str, set[str]] = {}
    for module, owners in metadata.packages_distributions().items():
        for owner in owners:
            modules_in_order.setdefault(_distribution(owner), set()).add(module)
    for extra, modules in command_line.EXTRAS.items():
        named = {_distribution(line) for line in pyproject["optional-dependencies"][extra]} - always
        for distribution in named & modules_in_order.keys():  # torch is not everywhere
            assert modules_in_order[distribution] & set(modules), distribution


def _distribution(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None
    return found.group().lower().replace("_", "-")


def test_the_version(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(monkeypatch, capsys, "--version")
    assert (code, out, err) == (0, f"tilesight {metadata.version('tilesight')}\n", "")


def broken_pictures(folder: Path) -> dict[Path, str]:
    """Unusable pictures, and the error for each."""
    jpeg = io.BytesIO()
    Image.fromarray(np.random.default_rng(1).integers(0, 255, (200, 300, 3), np.uint8)).save(jpeg, "JPEG")
    whole = jpeg.getvalue()
    files = {
        "half.jpg": (whole[: len(whole) // 2], "damaged or cut short"),
        "text.jpg": (b"this is no picture", "is not a picture"),
        "nothing.png": (b"", "is empty"),
    }
    said = {}
    for name, (data, why) in files.items():
        (folder / name).write_bytes(data)
        said[folder / name] = why
    said[save(folder / "one.png", np.zeros((1, 1, 3), np.uint8))] = "too small"
    said[save(folder / "narrow.png", np.zeros((200, 63, 3), np.uint8))] = "63 × 200 px is too small"
    return said


def test_pictures_that_cannot_be_used(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for path, why in broken_pictures(tmp_path).items():
        code, out, err = run(monkeypatch, capsys, "photo", path, "--json")
        assert (code, out) == (2, ""), path
        assert why in err
        assert err.count("\n") == 1


def test_a_picture_without_a_board(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    picture = save(tmp_path / "table.png")
    code, out, err = run(monkeypatch, capsys, "photo", picture, "--pack", "none", "--json")
    assert (code, err) == (1, "")
    answer = json.loads(out)
    assert answer["tiles"] == answer["pieces"] == answer["faults"] == []
    assert answer["image"] == {"size_wh": [120, 90]}
    assert answer["timing_ms"].keys() >= {"total", "locate", "tiles", "pieces", "solve"}
    code, out, err = run(monkeypatch, capsys, "photo", picture, "--pack", "none")
    assert (code, out) == (1, "")
    assert err.startswith(f"tilesight: no board found in {picture}: it shows hardly any detail")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--pack", "serengeti"], "no pack"),
        (["--pack", ""], "no pack"),
        (["--pack", "none", "--gallery", "a.gallery"], "takes no --gallery"),
        (["--gallery", "a.gallery"], "a.gallery: cannot be read"),
        (["--rules", "house"], "no rules 'house' for safari"),
        (["--overlay", "nowhere/o.png"], "there is no folder nowhere"),
        (["--overlay", "."], "it is a folder"),
    ],
)
def test_photo_options_that_cannot_be_fulfilled(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    options: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path / "home"))
    code, out, err = run(monkeypatch, capsys, "photo", save(tmp_path / "table.png"), *options)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "truth.json: not JSON"),
        ("[]", "truth.json: is empty"),
        ('[{"file":"a.png"}]', "[0].tiles: is missing"),
        ('[{"file":"b.png","tiles":[]}]', '[0].file: there is no "b.png"'),
        (
            '[{"file":"a.png","tiles":[{"tile":null,"cell":[0,0],"corners_px":[]}]}]',
            "corners_px: must have 4",
        ),
        ('[{"file":"a.png","tiles":[],"pieces":[{"kind":"hut"}]}]', "[0].pieces[0].point_px: is missing"),
    ],
)
def test_a_broken_reference_file(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    text: str,
    said: str,
) -> None:
    save(tmp_path / "a.png")
    (tmp_path / "truth.json").write_text(text, "utf-8")
    code, out, err = run(monkeypatch, capsys, "bench", "vision", tmp_path, "--json")
    assert (code, out) == (2, "")
    assert said in err


def test_a_session_without_a_board_and_with_a_broken_record(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    players = [{"name": "Ana", "color": "red"}, {"name": "Bo", "color": "blue"}]
    frames = [{"file": f"{i}.png", "t_s": i} for i in range(2)]
    session = {"tilesight": 1, "game": "safari", "pack": "savanna", "players": players, "frames": frames}
    (tmp_path / "session.json").write_text(json.dumps(session), "utf-8")
    for frame in frames:
        save(tmp_path / str(frame["file"]))
    code, out, err = run(monkeypatch, capsys, "replay", tmp_path, "--json")
    assert code == 1
    assert json.loads(out)["turns"] == []
    assert err == f"tilesight: no picture of {tmp_path} shows a board\n"

    (tmp_path / "truth.game.jsonl").write_text("{", "utf-8")
    code, out, err = run(monkeypatch, capsys, "replay", tmp_path, "--json")
    assert code == 2
    assert json.loads(out)["turns"] == []  # what was understood is told all the same
    assert "truth.game.jsonl, line 1: not JSON" in err


def test_a_reader_who_has_seen_enough() -> None:
    """A closed pipe ends the program quietly."""
    command = [sys.executable, "-m", "tilesight.app", "play", "--game", "safari"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        program.stdout.close()
        assert program.stderr.read() == b""


SWALLOWED = """
import os, signal, time, weakref
from tilesight.app import heed_signals

class Thing:
    pass

signal.signal(signal.SIGINT, signal.default_int_handler)  # a program in the background may ignore it
heed_signals()
thing = Thing()
callback = weakref.ref(thing, lambda _: os.kill(os.getpid(), signal.{name}))
try:
    del thing  # Python ignores what is raised in the callback
    time.sleep(30)
    print("lost")
except KeyboardInterrupt:
    time.sleep(1.5)  # it is raised once
    print("heeded")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_no_signal_is_lost_that_comes_while_python_ignores_errors(name: str) -> None:
    words = [sys.executable, "-c", SWALLOWED.format(name=name)]
    run = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert run.stdout == "heeded\n", run.stderr
