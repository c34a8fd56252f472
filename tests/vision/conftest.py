"""Fixtures that the tests of animal tiles share."""

from __future__ import annotations

import pytest

from engine.pack import Pack, load_pack
from models import load
from vision.tokens.templates import TokenFaces


@pytest.fixture(scope="package")
def pack() -> Pack:
    return load_pack("savanna")


@pytest.fixture(scope="package")
def faces(pack: Pack) -> TokenFaces:
    """The house deck's animal tiles."""
    faces = TokenFaces.of(pack, load("descriptor"))
    assert faces is not None
    return faces
