"""The server of the page on which tiles are named has the limits of every other."""

from __future__ import annotations

import threading
from queue import Queue

import httpx

from calibration.sheet import SheetFace
from engine.pack import load_pack
from tests.vision.joint.test_sides import SIDE, picture_of
from tilesight.server.naming_page import FacesToName, serve_naming
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
