"""Mirrored photographs: pictures in which faces are known only after left and right are exchanged."""

from __future__ import annotations

from collections.abc import Iterable

from vision.image.mapping import flipped
from vision.locate.locator import HasFaces, Locator, count_known_faces
from vision.observation import Image, Sight

FACES = 2
"""Minimum number of known faces in a mirrored picture; one may be a false match."""


def shows_mirrored_faces(image: Image, galleries: Iterable[HasFaces]) -> bool:
    """Whether the mirror image of a picture shows faces of one of the galleries."""
    sight = Sight(flipped(image))
    return any(count_known_faces(sight, Locator.load(), faces) >= FACES for faces in galleries)
