"""`tilesight.__version__`: the version of the installed distribution, or a sign that none is installed."""

from __future__ import annotations

from importlib import metadata

import pytest

import tilesight


def test_the_version_is_that_of_the_installed_distribution() -> None:
    assert tilesight.__version__ == metadata.version("tilesight")


def test_a_checkout_that_was_never_installed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert tilesight.__version__ == "0+unknown"


def test_other_attributes_are_refused_as_usual() -> None:
    unknown = "__licence__"
    with pytest.raises(AttributeError, match="has no attribute '__licence__'"):
        getattr(tilesight, unknown)
