"""The server of the page on which tiles are named has the limits of every other."""

from __future__ import annotations

import threading
from dataclasses import replace
from queue import Queue

import httpx
import numpy as np

from calibration.sheet import SheetFace
from engine.pack import load_pack
from models import load
from tests.vision.joint.test_sides import SIDE, picture_of
from tilesight.server.naming_page import FacesToName, serve_naming
from vision.tiles.gallery import Carried, build_gallery
from web.naming_app import FaceName, SidesFit


def test_a_foreign_name_and_guessing_under_many_addresses_are_refused() -> None:
    naming = FacesToName(load_pack("savanna"), [])
    ready: Queue[tuple[str, str]] = Queue()
    server = threading.Thread(
        target=serve_naming,
        args=(naming, "127.0.0.1", 0, lambda url, key: ready.put((url, key))),
        daemon=True,
    )
    server.start()
    url, _ = ready.get(timeout=60)
    with httpx.Client(base_url=url) as client:
        assert client.get("/api/faces", headers={"Host": "evil.example"}).status_code == 421
        assert client.get("/api/faces").status_code == 200
        statuses = [
            client.post(
                "/api/finish", headers={"X-Table-Key": "WRONG", "X-Forwarded-For": f"10.1.1.{n}"}
            ).status_code
            for n in range(5)
        ]
        assert statuses == [403] * 4 + [429]
    naming.on_finish()
    server.join(10)
    assert not server.is_alive()


def test_a_face_whose_sides_fit_another_turn_is_noted_until_it_is_turned() -> None:
    pack = load_pack("carcassonne")
    names = [f"BC-{letter}" for letter in "ADEFIJKLNPUVW"]
    row = picture_of(pack, names)
    views = [row[None, :, at * SIDE : (at + 1) * SIDE] for at in range(len(names))]
    naming = FacesToName(pack, [SheetFace(view) for view in views])
    for number, name in enumerate(names):
        naming.name(number, FaceName(name, 1 if name == "BC-V" else 0, sure=True))
    wrong = {number: card.sides for number, card in enumerate(naming.faces()) if card.sides}
    assert wrong == {names.index("BC-V"): SidesFit(0)}
    naming.name(names.index("BC-V"), FaceName("BC-V", 0, sure=True))
    assert not any(card.sides for card in naming.faces())


def view(shade: int, copies: int = 1) -> SheetFace:
    return SheetFace(np.full((copies, 256, 256, 3), shade, np.uint8))


def test_a_known_box_is_corrected_and_animals_are_kept_apart() -> None:
    pack = load_pack("safari")
    names = ("CS1", "CS2-E", "CS3-E")
    known = build_gallery(pack.id, [(name, view(9).views[0]) for name in names], load("descriptor"))
    png = FacesToName(pack, [view(200)])
    png.name(0, FaceName("token-lion", 1, sure=True))
    lion = png.result().others["token-lion.png"]
    known = replace(known, carried=Carried("{}", {"token-lion.png": lion}))
    box = FacesToName(pack, [view(50)], known, lambda _: [view(70)])
    assert [card.known for card in box.faces()] == [True] * 4 + [False]
    box.name(0, FaceName("CS1", 2, sure=True))
    box.name(1, FaceName("CS4-M", 0, sure=True))
    box.name(2, FaceName(dropped=True, sure=True))
    box.name(4, FaceName("CS2-E", 3, sure=True))
    assert list(box.photographed_more(b"a photograph")) == [5]
    box.name(5, FaceName("token-zebra", sure=True))
    made = box.result()
    assert list(made.known) == [("CS1", 2), ("CS4-M", 0), (None, 0)]
    assert [(design, turn) for _, design, turn in made.faces] == [("CS2-E", 3)]
    assert made.others.keys() == {"token-lion.png", "token-zebra.png"} and made.unnamed == 0
    assert made.others["token-lion.png"] == lion, "an animal that was left alone stays as it was stored"
    assert box.changes == 5
    for _ in range(6):
        box.undo()
    assert list(box.result().known) == [(name, 0) for name in names]
    assert box.result().unnamed == 2, "what was photographed stays"


def test_more_tiles_of_a_name_than_the_box_has_are_said() -> None:
    pack = load_pack("safari")
    box = FacesToName(pack, [view(40, 3), view(90)])
    box.name(0, FaceName("CS3-G", sure=True))
    box.name(1, FaceName("CS1", sure=True))
    assert pack.designs["CS3-G"].count == 2
    assert [card.too_many for card in box.faces()] == [3, 0]
    everything = FacesToName(pack, [view(40, 300)])
    everything.name(0, FaceName("CS3-G", sure=True))
    assert everything.faces()[0].too_many == 0, "tiles were photographed more than once"
