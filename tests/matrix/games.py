"""What the matrix needs of each game: its sample session, its photographs, and the first turns of both.

Nothing here names a game. One of the engine's table that ships no session, no photographs or no pack with
pictures fails here, and with it every test of the matrix.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from engine.game import Game
from engine.games import game_named, game_names
from engine.pack import load_pack
from tilesight.sessions.samples import SamplesError, sample_of

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = ROOT / "samples"
GAMES = tuple(game_names())
TURNS = 4
"""Number of turns of a session's beginning: long enough for points, short enough for every path."""


@dataclass(frozen=True)
class Kit:
    """A game, the sample session and the photographs with truth that ship for it, and their pack."""

    game: str
    pack: str
    session: Path
    boards: Path

    @property
    def rules(self) -> Game:
        """The game's rules."""
        return game_named(self.game)

    @property
    def header(self) -> dict[str, Any]:
        """The session's own file."""
        return dict(json.loads((self.session / "session.json").read_text("utf-8")))

    @property
    def players(self) -> str:
        """The players as ``live --players`` takes them."""
        return ",".join(f"{one['color']}={one['name']}" for one in self.header["players"])

    @property
    def colors(self) -> list[str]:
        """The players' colours in turn order."""
        return [one["color"] for one in self.header["players"]]

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The turns played, as record lines with expectations."""
        text = (self.session / "truth.game.jsonl").read_text("utf-8")
        return [line for line in map(json.loads, text.splitlines()) if "player" in line]

    @property
    def photo(self) -> Path:
        """The photograph of the least bytes: one is as good as the other here."""
        return min(self.boards.glob("*.jpg"), key=lambda path: path.stat().st_size)

    def truth_of(self, image: Path) -> dict[str, Any]:
        """True content of a photograph."""
        entries = json.loads((self.boards / "truth.json").read_text("utf-8"))
        return next(dict(entry) for entry in entries if entry["file"] == image.name)


@lru_cache
def kit_of(game: str) -> Kit:
    """What ships for a game; AssertionError says what is missing."""
    try:
        session = sample_of(game)
    except SamplesError as error:
        raise AssertionError(f"{game}: there is no sample session in samples/") from error
    pack = load_pack(json.loads((session / "session.json").read_text("utf-8"))["pack"])
    assert all(pack.art_path(name) for name in pack.designs), f"{game}: {pack.id} does not ship its pictures"
    boards = [
        path.parent
        for path in sorted(SAMPLES.glob("*/truth.json"))
        if not (path.parent / "session.json").exists()
        and json.loads(path.read_text("utf-8"))[0]["pack"] == pack.id
    ]
    assert boards, f"{game}: there are no photographs with truth in samples/"
    return Kit(game, pack.id, session, boards[-1])


def beginning(
    kit: Kit,
    folder: Path,
    turns: int = TURNS,
    *,
    unseen: Sequence[int] = (),
    rest_after: int = 0,
    rest_s: int = 0,
) -> Path:
    """The first turns of a game's sample session as a session of its own, with its record. Nobody looked
    while the turns ``unseen`` were played: their pictures are missing. After the turn ``rest_after`` nobody
    plays for ``rest_s`` seconds: the same picture comes each second."""
    ends = [line["frame"] for line in kit.lines[1:turns]]
    last = kit.lines[turns - 1]["frame"] + 2  # three pictures show each table at rest
    header = kit.header
    missing = {at for turn in unseen for at in range(kit.lines[turn - 1]["frame"], ends[turn - 1])}
    frames = [frame for at, frame in enumerate(header["frames"][: last + 1]) if at not in missing]
    if rest_after:
        at = frames.index(header["frames"][kit.lines[rest_after]["frame"] - 1]) + 1
        still = frames[at - 1]
        resting = [{**still, "t_s": still["t_s"] + second} for second in range(1, rest_s + 1)]
        later = [{**frame, "t_s": frame["t_s"] + rest_s} for frame in frames[at:]]
        frames = [*frames[:at], *resting, *later]
    header["frames"] = frames
    folder.mkdir(parents=True)
    (folder / "frames").symlink_to(kit.session / "frames")
    (folder / "session.json").write_text(json.dumps(header), "utf-8")
    first = (kit.session / "truth.game.jsonl").read_text("utf-8").splitlines()[0]
    lines = [first, *(json.dumps(line) for line in kit.lines[:turns])]
    (folder / "truth.game.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return folder
