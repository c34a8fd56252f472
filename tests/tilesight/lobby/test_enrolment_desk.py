"""The lobby's enrolment, with a process that is only played."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from engine.message import Message
from engine.pack import Pack, load_pack
from tilesight.lobby import enrolment_desk
from tilesight.lobby.command_process import Line
from tilesight.lobby.enrolment_desk import EnrolmentDesk
from web.table.refusal import Refusal

PACK = "hunters-gatherers-2020"
JPEG, PNG = b"\xff\xd8\xff one", b"\x89PNG two"


class PlayedProcess:
    """A process that tells what the test wants."""

    begun: ClassVar[list[PlayedProcess]] = []

    def __init__(self, arguments: Sequence[str], heard: Callable[[Line], None]) -> None:
        self.arguments, self.heard = list(arguments), heard
        self.running, self.done, self.reason = True, False, ""
        self.begun.append(self)

    def end(self, reason: str = "") -> None:
        self.running, self.done, self.reason = False, not reason, reason

    def stop(self) -> None:
        self.running = False


def pack_of(name: str) -> Pack:
    if name != PACK:
        raise Refusal("unknown_pack", Message("there is no such edition"))
    return load_pack(name)


@pytest.fixture
def known() -> list[str]:
    return []


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch, known: list[str]) -> Iterator[EnrolmentDesk]:
    monkeypatch.setattr(PlayedProcess, "begun", [])
    monkeypatch.setattr(enrolment_desk, "CommandProcess", PlayedProcess)
    made = EnrolmentDesk(pack_of, "127.0.0.1", lambda: known.append("yes"))
    yield made
    made.stop()


def folder_of(errand: PlayedProcess) -> Path:
    return Path(errand.arguments[2].partition("=")[2])


def test_photographs_are_looked_at_and_their_faces_named(desk: EnrolmentDesk, known: list[str]) -> None:
    for name, picture in (("a table.jpg", JPEG), ("a table.jpg", JPEG), ("../../x.png", PNG)):
        assert desk.add(PACK, name, picture).state == "idle"
    assert desk.begin(PACK).state == "looking" and desk.begin(PACK).state == "looking"
    [errand] = PlayedProcess.begun
    folder = folder_of(errand)
    assert sorted(path.name for path in folder.iterdir()) == ["a-table.jpg", "a-table_1.jpg", "x.png"]
    assert errand.arguments[:2] == ["enrol", f"--pack={PACK}"] and errand.arguments[2].startswith("--sheet=")
    errand.heard({"looked": 2, "of": 3})
    assert desk.now().looked == 2
    with pytest.raises(Refusal, match="already"):
        desk.add(PACK, "late.jpg", JPEG)
    errand.heard({"ready": True, "url": "http://127.0.0.1:9", "key": "K", "faces": 5})
    assert (desk.now().state, desk.now().url) == ("naming", "http://127.0.0.1:9/#key=K")
    errand.heard({"tilesight": 1, "designs": 5, "missing": ["HG05"], "sides": [{"design": "HG07"}]})
    errand.end()
    assert (desk.now().state, desk.now().designs, desk.now().missing) == ("done", 5, ("HG05",))
    assert desk.now().sides == ({"design": "HG07"},)
    assert known == ["yes"]
    desk.add(PACK, "more.jpg", JPEG)
    assert not folder.exists(), "what was enrolled is thrown away"


def test_flat_pictures_are_known_by_their_names(desk: EnrolmentDesk) -> None:
    designs = sorted(load_pack(PACK).designs)[:2]
    desk.add(PACK, f"{designs[0]}.jpg", JPEG)
    desk.add(PACK, f"{designs[1]}_2.png", PNG)
    desk.begin(PACK)
    assert PlayedProcess.begun[0].arguments[2].startswith("--images=")


@pytest.mark.parametrize(
    ("reason", "problem"),
    [("no tiles are seen in /tmp/x.jpg: lay them out", "no_tiles"), ("a disk is full", "other")],
)
def test_a_problem_is_told_without_paths(desk: EnrolmentDesk, reason: str, problem: str) -> None:
    desk.add(PACK, "a.jpg", JPEG)
    desk.begin(PACK)
    PlayedProcess.begun[0].end(reason)
    assert (desk.now().state, desk.now().problem) == ("failed", problem)
    desk.add(PACK, "b.jpg", JPEG)
    assert (desk.now().state, desk.now().pictures) == ("idle", 2), "the others are still there"


def test_without_photographs_the_box_is_opened_as_it_is_known(desk: EnrolmentDesk) -> None:
    assert desk.begin(PACK).state == "looking"
    [errand] = PlayedProcess.begun
    assert errand.arguments == ["enrol", f"--pack={PACK}", "--host=127.0.0.1", "--json"]
    errand.end("interrupted")
    with pytest.raises(Refusal):
        desk.add("no-such", "a.jpg", JPEG)
    desk.add(PACK, "a.jpg", JPEG)
    assert desk.stop().state == "idle" and desk.now().pictures == 0
