"""Recorded session: a folder with frames, the players, and optionally the true record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, TypeVar

from engine import jsonvalue as jv
from engine.game import Opening
from engine.games import game_named, read_turn
from engine.pack import Pack, PackError
from engine.record import check, header_from_json, header_keys, read_record
from engine.tiles.game import Header
from engine.tiles.turn import Turn
from tilesight.sessions.film import FILM, FilmError, kept_pictures
from tilesight.sessions.placed import KEPT_LOG, PlacedError, whole_pictures
from vision.image.decode import read_frame
from vision.image.decoder import FrameError
from vision.observation import Frame

SESSION_FILE = "session.json"
REFERENCE_FILE = "truth.game.jsonl"


Kind = TypeVar("Kind")


class SessionError(ValueError):
    """A session cannot be used; the message is one line that names the file and field."""


@dataclass(frozen=True, slots=True)
class FrameFile:
    """One picture of a session, and its time in seconds since the session began."""

    path: Path
    t_s: float
    index: int

    def read(self) -> Frame:
        """Decode the picture. Raises vision.image.decode.FrameError if that fails."""
        return read_frame(self.path, t_s=self.t_s, index=self.index, name=self.path.name)


@dataclass(frozen=True, slots=True)
class Said:
    """Statement of people after picture ``frame_index``.

    ``turns`` are all turns so far, with certainty; ``not_these`` are ruled out as the next turn.
    """

    frame_index: int
    turns: tuple[Turn, ...]
    not_these: tuple[Turn, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedSession:
    """A session of any kind of game as described in its folder.

    ``names`` maps colours to people's names. ``rendered`` is true if the session's manifest says that its
    pictures are rendered. ``names_pack`` is true if it names its pack; otherwise the header has the game's
    default.
    """

    folder: Path
    header: Opening
    names: Mapping[str, str]
    frames: tuple[FrameFile, ...]
    title: str
    rendered: bool = False
    names_pack: bool = True

    def played_with(self, pack: Pack) -> Self:
        """Return the session with ``pack`` as its pack, unless the session names one itself."""
        return self if self.names_pack else replace(self, header=replace(self.header, pack=pack.id))

    @property
    def reference(self) -> Path | None:
        """Path of the record of the game played; None if the folder has none."""
        path = self.folder / REFERENCE_FILE
        return path if path.is_file() else None


@dataclass(frozen=True, slots=True)
class Session(RecordedSession):
    """A session of a tile game.

    ``turns_before`` were played before frame 0; ``said`` are people's statements in between.
    """

    header: Header
    turns_before: tuple[Turn, ...] = ()
    said: tuple[Said, ...] = ()


def read_session(folder: Path | str) -> Session:
    """Read the session in ``folder``. Raises SessionError with file and field.

    Pictures must exist and are not opened yet.
    """
    return read_as(folder, _session)


def read_as(folder: Path | str, read: Callable[[Mapping[str, Any], Path], Kind]) -> Kind:
    """Read a session of any kind of game; ``read`` parses its file's JSON, given the folder.

    Raises SessionError with file and field.
    """
    folder = Path(folder)
    path = folder / SESSION_FILE
    if not folder.is_dir():
        raise SessionError(f"{folder}: no such folder" if not folder.exists() else f"{folder}: is no folder")
    if not path.is_file():
        empty = not any(folder.iterdir())
        why = "the folder is empty" if empty else f"there is no {SESSION_FILE}"
        raise SessionError(f"{folder}: no session here ({why})")
    try:
        source = jv.object_at(jv.parse(path.read_text("utf-8")), "")
        return read(source, folder)
    except UnicodeDecodeError:
        raise SessionError(f"{path}: is not UTF-8 text") from None
    except OSError as error:
        raise SessionError(f"{path}: cannot be read ({error.strerror})") from None
    except jv.FieldError as error:
        raise SessionError(f"{path}: {error}") from None


def _session(source: Mapping[str, Any], folder: Path) -> Session:
    names = players_in(source)
    known = header_keys(source.get("game"))
    given = {key: value for key, value in source.items() if key in known}
    if "pack" not in source:
        given["pack"] = game_named(jv.text_at(jv.get(source, "game"), "game")).default_pack
    header = header_from_json({**given, "players": list(names)})
    if not isinstance(header, Header):
        raise jv.FieldError("game", f"sessions of {header.game} cannot be read yet")
    fields = session_fields(source, folder, names)
    before = _turns_before(source, folder, header)
    return Session(header=header, turns_before=before, said=_said(source, len(fields["frames"])), **fields)


def session_fields(source: Mapping[str, Any], folder: Path, names: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a session that are the same for all kinds of game, by name.

    ``source`` is the content of ``session.json``. Raises jsonvalue.FieldError.
    """
    return {
        "folder": folder,
        "names": names,
        "frames": frames_in(source, folder),
        "title": jv.text_at(source.get("title", folder.resolve().name), "title"),
        "rendered": source.get("origin") == "rendered",
        "names_pack": "pack" in source,
    }


def players_in(source: Mapping[str, Any]) -> dict[str, str]:
    """Return each player's name by colour, in turn order. Raises jsonvalue.FieldError."""
    names: dict[str, str] = {}
    for i, item in enumerate(jv.list_at(jv.get(source, "players"), "players")):
        at = f"players[{i}]"
        if isinstance(item, str):
            color, name = jv.text_at(item, at), item
        else:
            player = jv.object_at(item, at)
            color = jv.text_at(jv.get(player, "color", at), f"{at}.color")
            name = jv.text_at(player.get("name", color), f"{at}.name")
        if color in names:
            raise jv.FieldError(f"{at}.color", f"{color} is there twice")
        names[color] = name
    return names


def frames_in(source: Mapping[str, Any], folder: Path) -> tuple[FrameFile, ...]:
    """Return the pictures that a session lists, extracted from its film if it has one.

    Raises jsonvalue.FieldError, also if a picture is missing or the list is empty or not in order of time.
    """
    frames: list[FrameFile] = []
    for i, item in enumerate(jv.list_at(jv.get(source, "frames"), "frames")):
        at = f"frames[{i}]"
        entry = jv.object_at(item, at)
        name = jv.text_at(jv.get(entry, "file", at), f"{at}.file")
        t_s = jv.number_at(jv.get(entry, "t_s", at), f"{at}.t_s")
        if frames and t_s < frames[-1].t_s:
            raise jv.FieldError(f"{at}.t_s", f"is before the frame above it ({frames[-1].t_s})")
        frames.append(FrameFile(_inside(folder, name, f"{at}.file"), t_s, i))
    if not frames:
        raise jv.FieldError("frames", "is empty: a session needs at least one picture")
    if (folder / FILM).is_file():
        frames = _out_of_film(folder, frames)
    elif (folder / KEPT_LOG).is_file():
        frames = _out_of_log(folder, frames, source["frames"])
    for frame in frames:
        if not frame.path.is_file():
            shown = jv.shown(frame.path.relative_to(folder).as_posix())
            raise jv.FieldError(f"frames[{frame.index}].file", f"there is no {shown} in the session's folder")
    return tuple(frames)


def _out_of_film(folder: Path, frames: Sequence[FrameFile]) -> list[FrameFile]:
    """Return the same frames, each with the file extracted for it from the folder's film.

    Raises jsonvalue.FieldError if the film cannot be read.
    """
    names = [frame.path.relative_to(folder).as_posix() for frame in frames]
    try:
        kept = kept_pictures(folder / FILM, names)
    except FilmError as error:
        raise jv.FieldError("frames", str(error)) from None
    return [replace(frame, path=kept / name) for frame, name in zip(frames, names, strict=True)]


def _out_of_log(folder: Path, frames: Sequence[FrameFile], listed: Sequence[Any]) -> list[FrameFile]:
    """Return the same frames, each with the whole picture made of the one in the log; ``listed`` are those of
    the session's file.

    Raises jsonvalue.FieldError if one cannot be made.
    """
    try:
        made = whole_pictures(folder, listed)
    except (PlacedError, FrameError) as error:
        raise jv.FieldError("frames", str(error)) from None
    return [replace(frame, path=made / frame.path.relative_to(folder)) for frame in frames]


def _turns_before(source: Mapping[str, Any], folder: Path, header: Header) -> tuple[Turn, ...]:
    at = "record_so_far"
    if at not in source:
        return ()
    name = jv.text_at(source[at], at)
    record = read_record(_inside(folder, name, at))
    if (record.header.game, record.header.players) != (header.game, header.players):
        players = ", ".join(record.header.players)
        raise jv.FieldError(at, f"{name} is a game of {record.header.game} by {players}, not this one")
    try:
        result = check(record, game_named(header.game).records.pack(record.header))
    except PackError:
        return record.turns  # the pack may come from a gallery; legality is checked once it is known
    if result.faults:
        raise jv.FieldError(at, f"{name}, line {result.line}: {result.faults[0].message}")
    return record.turns


def _said(source: Mapping[str, Any], frames: int) -> tuple[Said, ...]:
    found = []
    for i, item in enumerate(jv.list_at(source.get("said", []), "said")):
        at = f"said[{i}]"
        entry = jv.object_at(item, at)
        frame = jv.integer_at(jv.get(entry, "frame", at), f"{at}.frame", least=0)
        if frame >= frames:
            raise jv.FieldError(f"{at}.frame", f"there are only {frames} frames")
        told = [jv.list_at(entry.get(key, []), f"{at}.{key}") for key in ("turns", "not_these")]
        turns, refused = (tuple(map(read_turn, lines)) for lines in told)
        found.append(Said(frame, turns, refused))
    return tuple(found)


def _inside(folder: Path, name: str, at: str) -> Path:
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise jv.FieldError(at, f"{jv.shown(name)} lies outside the session's folder")
    return folder / name
