"""A session whose pictures are a film: written, read like one with pictures; faults in one line."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import numpy as np
import platformdirs
import pytest
from PIL import Image

from tilesight.archive.versions import session_hash
from tilesight.sessions.film import FILM, FilmError, kept_pictures, pictures_of, write_film
from tilesight.sessions.session import SessionError, read_session

SAMPLE = Path(__file__).parents[3] / "samples" / "staged" / "nudge"


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache of the test's own."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(platformdirs, "user_cache_path", lambda *_, **__: folder)
    return folder


@pytest.fixture
def filmed(tmp_path: Path) -> Path:
    """A staged session with a film in the place of its pictures."""
    folder = tmp_path / "filmed"
    shutil.copytree(SAMPLE, folder, ignore=shutil.ignore_patterns("frames"))
    write_film([file.path for file in read_session(SAMPLE).frames], folder / FILM)
    return folder


def test_a_film_is_read_as_the_pictures_it_was_made_of(filmed: Path, cache: Path) -> None:
    pictures, film = read_session(SAMPLE), read_session(filmed)
    assert [(one.t_s, one.index) for one in film.frames] == [(one.t_s, one.index) for one in pictures.frames]
    for one, other in zip(film.frames, pictures.frames, strict=True):
        assert one.path.is_relative_to(cache) and one.path.name == other.path.name
        off = np.abs(one.read().image.astype(float) - other.read().image)
        assert off.mean() < 3, one.path.name
    assert (filmed / FILM).stat().st_size * 4 < sum(one.path.stat().st_size for one in pictures.frames)
    assert film.reference == filmed / "truth.game.jsonl"


def test_a_film_is_the_same_whenever_it_is_written(tmp_path: Path) -> None:
    pictures = [file.path for file in read_session(SAMPLE).frames][:2]
    write_film(pictures, tmp_path / "one.avif")
    time.sleep(1.1)  # the encoder writes the second
    write_film(pictures, tmp_path / "two.avif")
    assert (tmp_path / "one.avif").read_bytes() == (tmp_path / "two.avif").read_bytes()


def test_the_pictures_are_taken_out_once(filmed: Path, cache: Path) -> None:
    first = read_session(filmed).frames[0].path
    written = first.stat().st_mtime_ns
    assert read_session(filmed).frames[0].path.stat().st_mtime_ns == written
    assert [path.name for path in (cache / "films").iterdir()] == [first.parents[1].name]


def test_an_archive_knows_a_filmed_session_by_its_film(filmed: Path) -> None:
    def named() -> str:
        return session_hash(filmed, [one.path for one in read_session(filmed).frames])

    before = named()
    write_film([one.path for one in read_session(SAMPLE).frames][::-1], filmed / FILM)
    assert before != named()


def test_a_damaged_or_mismatched_film_is_reported_in_one_line(
    filmed: Path, tmp_path: Path, cache: Path
) -> None:
    told = json.loads((filmed / "session.json").read_text("utf-8"))
    told["frames"].pop()
    (filmed / "session.json").write_text(json.dumps(told), "utf-8")
    with pytest.raises(SessionError, match=rf"frames: {FILM} holds \d+ pictures, \d+ are named"):
        read_session(filmed)
    (filmed / FILM).write_bytes((filmed / FILM).read_bytes()[:2000])
    with pytest.raises(SessionError, match=f"frames: {FILM} cannot be read") as caught:
        read_session(filmed)
    assert "\n" not in str(caught.value)
    Image.new("RGB", (8, 8)).save(tmp_path / "other.avif", "PNG")
    with pytest.raises(FilmError, match="cannot be read"):
        list(pictures_of(tmp_path / "other.avif"))
    assert not list((cache / "films").iterdir()), "nothing half taken out is left"


def test_a_pillow_that_reads_no_films_is_told_with_what_to_do(
    filmed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tilesight.sessions.film.features.check", lambda _: False)
    with pytest.raises(SessionError, match="by this Pillow: pip install --force-reinstall pillow"):
        read_session(filmed)


def test_a_name_outside_the_session_is_refused_before_anything_is_written(
    filmed: Path, tmp_path: Path
) -> None:
    told = json.loads((filmed / "session.json").read_text("utf-8"))
    told["frames"][0]["file"] = "../../../escaped.jpg"
    (filmed / "session.json").write_text(json.dumps(told), "utf-8")
    with pytest.raises(SessionError, match="lies outside"):
        read_session(filmed)
    assert not list(tmp_path.rglob("escaped.jpg"))


def test_a_cache_that_cannot_be_written_is_one_line(filmed: Path, cache: Path) -> None:
    cache.write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(FilmError, match="cannot be kept"):
        kept_pictures(filmed / FILM, ["a.jpg"])
