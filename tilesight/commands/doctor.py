"""`tilesight doctor`: checks of this machine, one line each, with a remedy for each problem.

Libraries are imported inside the checks, because a library that does not load is itself a finding.
"""

from __future__ import annotations

import datetime as dt
import json
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Literal

import typer

from tilesight.camera_option import CAMERA, shown_camera, told_camera
from vision.observation import Sight

FindingState = Literal["good", "note", "bad"]
"""State of a finding: it works; it works, with a remark; it does not work."""

LIBRARIES = ("numpy", "opencv-python-headless", "onnxruntime", "fastapi", "uvicorn", "fpdf2")
"""Packages whose versions are reported."""
FREE_MB = 500.0
"""Megabytes of free disk space below which doctor warns; a game with its pictures takes about a tenth."""
CAMERAS_TRIED = 3
"""Number of camera indices that are tried, from 0."""
CAMERA_WITHIN_S = 8.0
"""Timeout for a camera's first picture in seconds."""
LOOK_MS = 60.0
"""Maximum milliseconds per board location with which a live table keeps up with its camera."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check.

    ``says`` describes it in a few words. ``advice`` tells the user what to do, None if nothing.
    """

    name: str
    state: FindingState
    says: str
    advice: str | None = None


def doctor_command(
    camera: Annotated[
        str | None,
        typer.Option(envvar=CAMERA, help="the camera to try, as for live; default: the first ones found"),
    ] = None,
    host: Annotated[str, typer.Option(help="address that live would serve on")] = "0.0.0.0",
    port: Annotated[int | None, typer.Option(help="port that live would serve on")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON document on stdout")] = False,
) -> None:
    """Check this computer: libraries, models, folders, camera, port, clock, browser address."""
    checks: tuple[tuple[str, Callable[[], Sequence[Finding]]], ...] = (
        ("program", _program),
        ("models", _models),
        ("folders", _folders),
        ("galleries", _galleries),
        ("camera", lambda: _camera(camera)),
        ("port", lambda: _port(host, port)),
        ("clock", _clock),
    )
    findings: list[Finding] = []
    for name, check in checks:
        for finding in _found(name, check):
            findings.append(finding)
            if not as_json:
                _tell(finding)
    works = all(finding.state != "bad" for finding in findings)
    if as_json:
        print(json.dumps({"tilesight": 1, "works": works, "checks": [asdict(one) for one in findings]}))
    raise typer.Exit(0 if works else 1)


def _found(name: str, check: Callable[[], Sequence[Finding]]) -> Sequence[Finding]:
    """Run a check; an error that stops it becomes its result."""
    try:
        return check()
    except ImportError as error:
        return [Finding(name, "bad", f"a library does not load: {_line(error)}", _how_to_install(error))]
    except (OSError, ValueError) as error:
        return [Finding(name, "bad", _line(error))]


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _how_to_install(error: ImportError) -> str:
    """Return advice for a library that does not load, such as an OpenCV that needs libGL or glib."""
    if any(library in str(error) for library in ("libGL", "libgthread", "libglib")):
        return "pip uninstall opencv-python, then install Tilesight again: it brings its own OpenCV"
    return "install Tilesight again: make setup"


def _tell(finding: Finding) -> None:
    sign = {"good": "ok  ", "note": "note", "bad": "BAD "}[finding.state]
    advice = f" — {finding.advice}" if finding.advice else ""
    print(f"{sign} {finding.name}: {finding.says}{advice}", flush=True)


def _program() -> list[Finding]:
    told = []
    for name in LIBRARIES:
        try:
            told.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            return [Finding("program", "bad", f"{name} is not installed", "make setup")]
    import cv2

    python = f"Python {platform.python_version()}"
    cores = cv2.getNumberOfCPUs()
    return [Finding("program", "good", ", ".join([python, *told, f"{cores} cores"]))]


def _models() -> list[Finding]:
    """Check that all networks load, and the speed of one; raises ValueError for a damaged file."""
    from models import load, models_mb
    from models.loader import model_names

    names = model_names()
    for name in names:
        load(name)  # raises if a file differs from the manifest
    return [Finding("models", "good", f"{len(names)} networks intact, {models_mb():.1f} MB"), _speed()]


def _speed() -> Finding:
    """Measure the time of one board location."""
    import time

    import numpy as np

    from vision.locate.heatmap import look
    from vision.locate.locator import Locator

    locator, picture = Locator.load(), np.full((1080, 1920, 3), 96, np.uint8)
    took = []
    for _ in range(5):
        began = time.perf_counter()
        look(Sight(picture), locator.heat)
        took.append(1e3 * (time.perf_counter() - began))
    ms = sorted(took)[len(took) // 2]
    if ms <= LOOK_MS:
        return Finding("speed", "good", f"a search for tiles takes {ms:.0f} ms")
    return Finding(
        "speed", "note", f"a search for tiles takes {ms:.0f} ms", "close other programs while playing"
    )


def _folders() -> list[Finding]:
    """Check that the home folder is writable and has space."""
    from tilesight.home import home_folder

    home = home_folder()
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=home) as file:
        file.write(b"tilesight")
    free_mb = shutil.disk_usage(home).free / 1e6
    says = f"{home} can be written, {free_mb / 1e3:.1f} GB free"
    if free_mb < FREE_MB:
        return [Finding("folders", "note", says, "a game's pictures may not fit: free some space")]
    return [Finding("folders", "good", says)]


def _galleries() -> list[Finding]:
    """Check for each bundled or enrolled pack whether there are pictures of its faces."""
    from engine.pack import load_pack, pack_ids
    from tilesight.settings import enrolled_galleries

    findings = [_enrolled(path) for path in enrolled_galleries()]
    enrolled = {finding.name for finding in findings}
    for pack_id in pack_ids():
        pack = load_pack(pack_id)
        if f"pack {pack_id}" in enrolled:
            continue
        if pack.quarters or any(pack.art_path(name) for name in pack.designs):
            findings.append(Finding(f"pack {pack_id}", "good", "includes pictures of its faces"))
        else:
            advice = f"enrol its tiles once: tilesight enrol --pack {pack_id} --sheet PHOTO…"
            findings.append(Finding(f"pack {pack_id}", "note", "ships no pictures", advice))
    return findings


def _enrolled(path: Path) -> Finding:
    from tilesight.settings import PASSED_OVER, open_pack

    try:
        pack, gallery = open_pack(None, path)
    except PASSED_OVER as error:
        return Finding(f"pack {path.stem}", "bad", _line(error), "enrol it again: tilesight enrol")
    assert pack is not None and gallery is not None
    missing = [name for name in pack.designs if name not in gallery.designs]
    says = f"enrolled, {len(gallery.faces)} pictures of {len(gallery.designs)} designs"
    if missing:
        advice = f"{len(missing)} designs are missing: tilesight enrol adds them"
        return Finding(f"pack {pack.id}", "note", says, advice)
    return Finding(f"pack {pack.id}", "good", says)


def _camera(asked: str | None) -> list[Finding]:
    if asked == "phone":
        return [_certificate()]
    if asked is not None:
        return [_asked_camera(asked)]
    import cv2

    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)  # no warnings for missing cameras
    seen = []
    for index in range(CAMERAS_TRIED):
        if sys.platform == "linux" and not Path(f"/dev/video{index}").exists():
            continue
        camera = cv2.VideoCapture(index)
        try:
            ok, image = camera.read()
        finally:
            camera.release()
        if ok:
            seen.append(f"camera {index}: {image.shape[1]} × {image.shape[0]}")
    if seen:
        return [Finding("camera", "good", "; ".join(seen)), _certificate()]
    advice = "plug one in, give its address with --camera, or use a phone: live --camera phone"
    return [Finding("camera", "note", "none is connected to this computer", advice), _certificate()]


def _asked_camera(asked: str) -> Finding:
    """Check that a camera, stream, video, folder or session gives a picture within `CAMERA_WITHIN_S`."""
    from tilesight.live.sources import first_of, open_source
    from vision.observation import Frame

    asked = told_camera(asked)
    shown = shown_camera(asked)
    got = first_of(open_source(asked, "fast"), CAMERA_WITHIN_S)
    if isinstance(got, Frame):
        height, width = got.image.shape[:2]
        return Finding("camera", "good", f"{shown}: {width} × {height}")
    says = f"{shown} gives no picture" if got is None else got.message
    return Finding("camera", "bad", says, "is it plugged in, awake, and used by no other program?")


def _certificate() -> Finding:
    """Check the certificate that a phone needs to be the camera; create it if it is missing."""
    from tilesight.home import certificates_folder
    from tilesight.server.addresses import lan_address
    from tilesight.server.certificate import certificate_for

    certificate = certificate_for(lan_address(), certificates_folder())
    return Finding("phone as camera", "good", f"certificate kept in {certificate.cert_path.parent}")


def _port(host: str, port: int | None) -> list[Finding]:
    """Check that the dashboard's port is free, and that its address is reachable from other devices."""
    from tilesight.server.addresses import page_address, reached_at
    from tilesight.server.dashboard import DEFAULT_PORT, listen

    listening = listen(host, port)
    number = listening.getsockname()[1]
    listening.close()
    taken = port is None and number != DEFAULT_PORT
    says = f"{number} is free" + (f" ({DEFAULT_PORT} is in use)" if taken else "")
    shown, url = reached_at(host), page_address(host, number)
    address = Finding("browser address", "good", f"{url} for every phone in the same network")
    if shown.startswith("127.") or shown in ("::1", "localhost"):
        address = Finding("browser address", "note", f"{url}, on this computer only", "join a Wi-Fi network")
    return [Finding("port", "good", says), address]


def _clock() -> list[Finding]:
    """Check that the clock is not behind the program's files.

    Phones would reject certificates made with such a clock.
    """
    now = dt.datetime.now().astimezone()
    made = max(path.stat().st_mtime for path in Path(__file__).parents[1].rglob("*.py"))
    says = now.strftime("%Y-%m-%d %H:%M:%S %Z")
    if now.timestamp() < made - 86400:
        return [Finding("clock", "bad", f"{says} is in the past", "set the computer's clock")]
    return [Finding("clock", "good", says)]
