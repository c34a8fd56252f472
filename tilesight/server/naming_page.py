"""Naming page server: serves the page on which people name enrolled faces."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from calibration.face_sides import OtherSides, guessed_by_sides
from calibration.sheet import SheetFace, sides_of_named
from engine.pack import Pack
from tilesight.server.page_server import serve_page
from web.naming_app import FaceCard, FaceName, SidesFit, create_naming_app
from web.table.access import new_key


@dataclass(frozen=True, slots=True)
class _Sides:
    """Findings of the sides with names ``named``: ``guesses`` for faces without one, and faces whose sides
    are ``wrong`` for their name; both by number."""

    named: list[FaceName]
    guesses: Mapping[int, tuple[tuple[str, int], ...]]
    wrong: Mapping[int, OtherSides]


class FacesToName:
    """The faces of an enrolment and their names. Thread-safe."""

    def __init__(self, pack: Pack, faces: Sequence[SheetFace]) -> None:
        self._pack = pack
        self._faces = tuple(faces)
        self._lock = threading.Lock()
        self._named = [_guess(face) for face in self._faces]
        self._sides = _Sides([], {}, {})
        self.on_finish: Callable[[], None] = lambda: None

    @property
    def pack(self) -> Pack:
        """The pack of the designs."""
        return self._pack

    def faces(self) -> Sequence[FaceCard]:
        """Return every face, in a fixed order."""
        with self._lock:
            if self._sides.named != self._named:
                self._sides = self._read_sides()
            guesses, wrong = self._sides.guesses, self._sides.wrong
            return [
                _card(face, named, guesses.get(number, ()), wrong.get(number))
                for number, (face, named) in enumerate(zip(self._faces, self._named, strict=True))
            ]

    def _read_sides(self) -> _Sides:
        """Return what the sides tell with the names given so far."""
        named = {
            number: (one.design, one.turn)
            for number, one in enumerate(self._named)
            if one.design is not None and one.sure and not one.dropped
        }
        pictures = [face.views[0] for face in self._faces]
        numbers, views = list(named), [len(face.views) for face in self._faces]
        told = sides_of_named(
            [(SheetFace(self._faces[number].views[:1]), *name) for number, name in named.items()], self._pack
        )
        return _Sides(
            list(self._named),
            guessed_by_sides(pictures, views, named, self._pack),
            {numbers[one.number]: one for one in told},
        )

    def picture(self, number: int) -> bytes:
        """Return a face's first picture as JPEG."""
        _, code = cv2.imencode(".jpg", np.ascontiguousarray(self._faces[number].views[0]))
        return code.tobytes()

    def name(self, number: int, named: FaceName) -> None:
        """Set the name of a face."""
        with self._lock:
            self._named[number] = named

    def finish(self) -> None:
        """End the naming."""
        self.on_finish()

    def result(self) -> list[tuple[SheetFace, str, int]]:
        """Return the faces with confirmed or certain names, as (face, design, quarter turns clockwise)."""
        with self._lock:
            return [
                (face, named.design, named.turn)
                for face, named in zip(self._faces, self._named, strict=True)
                if named.design is not None and named.sure and not named.dropped
            ]

    @property
    def unnamed(self) -> int:
        """Number of faces without a name. Faces marked as no tile do not count."""
        with self._lock:
            return sum(not named.sure and not named.dropped for named in self._named)


def _card(
    face: SheetFace, named: FaceName, by_sides: tuple[tuple[str, int], ...], wrong: OtherSides | None
) -> FaceCard:
    """Return a face as the page shows it.

    If no gallery knows the face, it gets the guesses by its sides.
    """
    guesses = tuple((guess.design, guess.turn) for guess in face.guesses) or by_sides
    if named == FaceName() and guesses:
        named = FaceName(*guesses[0])
    fits = None if wrong is None else SidesFit((named.turn - wrong.turn) % 4, wrong.fits)
    return FaceCard(len(face.views), named, guesses, fits)


def _guess(face: SheetFace) -> FaceName:
    """Return the likeliest name of a face."""
    if not face.guesses:
        return FaceName()
    first = face.guesses[0]
    return FaceName(first.design, first.turn, sure=face.sure is not None)


def serve_naming(naming: FacesToName, host: str, port: int | None, ready: Callable[[str, str], None]) -> None:
    """Serve the page until the users finish; ``ready`` gets the address and the key.

    Raises DashboardError if it cannot be served, KeyboardInterrupt when interrupted.
    """
    key = new_key()

    def started(url: str, stop: Callable[[], None]) -> None:
        naming.on_finish = stop
        ready(url, key)

    serve_page(create_naming_app(naming, key=key), host, port, started)
