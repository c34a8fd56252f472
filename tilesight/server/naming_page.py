"""Server of the page of a box: people name, turn and replace the faces of an edition, known and found."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np

from calibration.face_sides import OtherSides, guessed_by_sides
from calibration.sheet import SheetFace, sides_of_named
from engine.pack import Pack
from tilesight.server.page_server import serve_page
from vision.tiles.gallery import FACE_PX, Gallery
from web.naming_app import FaceCard, FaceName, SidesFit, create_naming_app
from web.table.access import new_key

Read = Callable[[bytes], Sequence[SheetFace]]
"""Reads the distinct faces on a photograph (JPEG or PNG); none if there are no tiles."""
Names = tuple[FaceName, ...]
MOST_UNDONE = 500
"""Maximum number of changes that can be undone."""


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """Box as people made it.

    ``faces`` are the named faces of photographs as (face, design, quarter turns clockwise); ``known`` are the
    designs (None: removed) and quarter turns of the known gallery's pictures; ``others`` are the pictures of
    animals by file name. ``unnamed`` faces have no name; ``wrong`` have other sides than their name.
    """

    faces: Sequence[tuple[SheetFace, str, int]]
    known: Sequence[tuple[str | None, int]]
    others: Mapping[str, bytes]
    unnamed: int
    wrong: Sequence[OtherSides]


@dataclass(slots=True)
class _Held:
    """The faces of a box with their names: first those of the gallery, then its animals, then those found.

    ``animals`` are the encoded pictures of animals by face. ``batches`` are the ranges of faces that were
    photographed together.
    """

    faces: list[SheetFace]
    named: Names
    animals: dict[int, bytes]
    batches: list[range] = field(default_factory=list)
    before: list[Names] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Sides:
    """Findings of the sides with names ``named``: ``guesses`` for faces without one, and faces whose sides
    are ``wrong`` for their name; both by number."""

    named: Names
    guesses: Mapping[int, tuple[tuple[str, int], ...]]
    wrong: Mapping[int, OtherSides]


class FacesToName:
    """The faces of a box and their names. Thread-safe."""

    def __init__(
        self, pack: Pack, faces: Sequence[SheetFace], known: Gallery | None = None, read: Read = lambda _: ()
    ) -> None:
        """``faces`` were found in photographs, ``known`` is the gallery that they are added to."""
        self._pack = pack
        self._read = read
        self._lock = threading.RLock()
        self._held = _held(known)
        self._gallery = 0 if known is None else len(known.faces)
        self._known = len(self._held.faces)
        self._add(faces)
        self._told = _Sides((), {}, {})
        self.on_finish: Callable[[], None] = lambda: None

    @property
    def pack(self) -> Pack:
        """The pack of the designs."""
        return self._pack

    @property
    def photographed(self) -> Sequence[SheetFace]:
        """The faces found in photographs."""
        with self._lock:
            return tuple(self._held.faces[self._known :])

    def faces(self) -> Sequence[FaceCard]:
        """Return every face, in a fixed order."""
        with self._lock:
            held = self._held
            told, surplus = self._sides(), self._surplus()
            return [
                _card(
                    face,
                    named,
                    told.guesses.get(number, ()),
                    told.wrong.get(number),
                    (number < self._known, surplus),
                )
                for number, (face, named) in enumerate(zip(held.faces, held.named, strict=True))
            ]

    def _designs(self) -> list[tuple[int, SheetFace, str, int]]:
        """Return the surely named faces as (number, face, design, quarter turns); animals are left out."""
        held = self._held
        return [
            (number, face, one.design, one.turn)
            for number, (face, one) in enumerate(zip(held.faces, held.named, strict=True))
            if one.sure and not one.dropped and one.design in self._pack.designs and one.design is not None
        ]

    def _sides(self) -> _Sides:
        """Return what the sides tell with the names given so far; cached."""
        held = self._held
        if self._told.named != held.named:
            named = self._designs()
            firsts = [(SheetFace(face.views[:1]), design, turn) for _, face, design, turn in named]
            wrong = {named[one.number][0]: one for one in sides_of_named(firsts, self._pack)}
            guesses = guessed_by_sides(
                [face.views[0] for face in held.faces],
                [len(face.views) for face in held.faces],
                {number: (design, turn) for number, _, design, turn in named},
                self._pack,
            )
            self._told = _Sides(held.named, guesses, wrong)
        return self._told

    def _surplus(self) -> Mapping[str, int]:
        """Return the numbers of tiles photographed together and named alike, of designs of which a box has
        fewer. Where they are more than a box has in all, tiles were photographed twice: that tells nothing.
        """
        held = self._held
        found: dict[str, int] = {}
        for batch in held.batches:
            if sum(len(held.faces[at].views) for at in batch) > sum(self._counts().values()):
                continue
            told: Counter[str] = Counter()
            for at in batch:
                one = held.named[at]
                if one.sure and not one.dropped and one.design is not None:
                    told[one.design] += len(held.faces[at].views)
            found |= {name: count for name, count in told.items() if count > self._counts()[name]}
        return found

    def _counts(self) -> Mapping[str, int]:
        """Return the number of tiles, or animal tiles, of each name in a box."""
        animals = {
            stem: self._pack.tokens.get(stem.removeprefix("token-"), 1) for stem in self._pack.other_stems
        }
        return {name: design.count for name, design in self._pack.designs.items()} | animals

    def picture(self, number: int) -> bytes:
        """Return a face's first picture as JPEG."""
        with self._lock:
            view = self._held.faces[number].views[0]
        return cv2.imencode(".jpg", np.ascontiguousarray(view))[1].tobytes()

    def name(self, number: int, named: FaceName) -> None:
        """Set the name of a face."""
        with self._lock:
            held = self._held
            if held.named[number] == named:
                return
            held.before = [*held.before[1 - MOST_UNDONE :], held.named]
            held.named = (*held.named[:number], named, *held.named[number + 1 :])

    def undo(self) -> None:
        """Take the last change back; nothing if there is none."""
        with self._lock:
            held = self._held
            if held.before:
                before = held.before.pop()
                held.named = (*before, *held.named[len(before) :])

    @property
    def changes(self) -> int:
        """Number of changes that can be undone."""
        with self._lock:
            return len(self._held.before)

    def photographed_more(self, photograph: bytes) -> Sequence[int]:
        """Add the faces of a photograph and return their numbers; none if no tiles are seen in it."""
        found = self._read(photograph)
        with self._lock:
            return list(self._add(found))

    def _add(self, faces: Sequence[SheetFace]) -> range:
        """Add faces with their likeliest names, and return their numbers."""
        held = self._held
        added = range(len(held.faces), len(held.faces) + len(faces))
        held.faces += faces
        held.named = (*held.named, *map(_guess, faces))
        if faces:
            held.batches.append(added)
        return added

    def finish(self) -> None:
        """End the naming."""
        self.on_finish()

    def result(self) -> Box:
        """Return what people made of the box."""
        with self._lock:
            held, first, last = self._held, self._gallery, self._known
            designs = self._designs()
            names = {number: (design, turn) for number, _, design, turn in designs}
            # A picture of the gallery that is named as an animal leaves it: it is another kind of picture.
            known = [names.get(number, (None, 0)) for number in range(first)]
            others = {
                f"{one.design}.png": self._animal(number, one)
                for number, one in enumerate(held.named)
                if number >= first and one.sure and not one.dropped and one.design in self._pack.other_stems
            }
            return Box(
                [(face, design, turn) for number, face, design, turn in designs if number >= last],
                known,
                others,
                sum(not one.sure and not one.dropped for one in held.named[last:]),
                list(self._sides().wrong.values()),
            )

    def _animal(self, number: int, named: FaceName) -> bytes:
        """Return the picture of an animal as PNG: as it was stored, if it is not turned."""
        if number in self._held.animals and not named.turn:
            return self._held.animals[number]
        view = np.rot90(self._held.faces[number].views[0], named.turn)
        return cv2.imencode(".png", np.ascontiguousarray(view))[1].tobytes()


def _held(known: Gallery | None) -> _Held:
    """Return the known faces of a box: a gallery's pictures, then its animals."""
    held = _Held([], (), {})
    if known is None:
        return held
    for face, design in zip(known.faces, known.face_design, strict=True):
        held.faces.append(SheetFace(face[None]))
        held.named += (FaceName(known.designs[design], sure=True),)
    for name, data in ({} if known.carried is None else known.carried.pictures).items():
        image = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
        if image is None:
            continue
        small = cv2.resize(image, (FACE_PX, FACE_PX), interpolation=cv2.INTER_AREA)
        held.animals[len(held.faces)] = data
        held.faces.append(SheetFace(np.asarray(small, np.uint8)[None]))
        held.named += (FaceName(name.removesuffix(".png"), sure=True),)
    return held


def _card(
    face: SheetFace,
    named: FaceName,
    by_sides: tuple[tuple[str, int], ...],
    wrong: OtherSides | None,
    about: tuple[bool, Mapping[str, int]],
) -> FaceCard:
    """Return a face as the page shows it. ``about`` is whether it was known, and the surplus tiles by name.

    If no gallery knows the face, it gets the guesses by its sides.
    """
    by_faces = () if face.strange else tuple((guess.design, guess.turn) for guess in face.guesses)
    guesses = by_faces or by_sides
    if guesses and not named.sure and not named.dropped:
        named = FaceName(*guesses[0])
    fits = None if wrong is None else SidesFit((named.turn - wrong.turn) % 4, wrong.fits)
    known, surplus = about
    too_many = surplus.get(named.design or "", 0) if named.sure and not known else 0
    return FaceCard(len(face.views), named, guesses, fits, known, too_many)


def _guess(face: SheetFace) -> FaceName:
    """Return the likeliest name of a face."""
    if not face.guesses or face.strange:
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
