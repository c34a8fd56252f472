"""Draws a game record as a recorded session: `python -m models.train.render_record RECORD OUT --seed 1`.

A record says what was played; the stage shows it to a camera as people play: hands now and then, the pieces
of a turn at rest before those that score go home. The session folder holds the record as its truth.
With --photograph it is one picture of the last table, as people photograph theirs: a worn print, any light.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from engine.games import tile_game_named
from engine.pack import Pack, load_pack
from engine.record import Record, header_to_json, read_record, write_record
from engine.tiles.game import GameState, Header
from engine.tiles.turn import Turn
from models.train.disturbed_play import MISHAPS, as_disturbed
from models.train.moments import REACT_S, THINK_S, Moment, tables_of
from models.train.table_stage import PLAIN, Shot, Stage

FRAME_S = 0.4
JPEG_QUALITY = 80


def as_played(
    start: GameState, turns: Sequence[Turn], rng: np.random.Generator, *, hands: float, frames: int
) -> Iterator[Moment]:
    """A game as a camera sees it that misses nothing; ``hands`` is the share of turns that show one."""
    state = start
    yield Moment(start.board, start.standing, 0, frames=frames, after_s=1.0)
    for number, turn in enumerate(turns, 1):
        if rng.random() < hands:
            reach = Shot(hand_at=turn.cell)
            yield Moment(state.board, state.standing, number - 1, reach, after_s=THINK_S / 2)
        step = state.apply(turn)
        state = step.state
        tables = list(tables_of(turn, step))
        for standing, finished in tables:
            after_s = REACT_S if finished and len(tables) > 1 else THINK_S
            yield Moment(
                state.board, standing, number if finished else number - 1, frames=frames, after_s=after_s
            )


def at_the_end(start: GameState, turns: Sequence[Turn], rng: np.random.Generator, *, hands: float) -> Moment:
    """The table after a game's last turn; ``hands`` is the probability of a hand over one of its tiles."""
    state = start
    for turn in turns:
        state = state.apply(turn).state
    cells = list(state.board)
    reach = Shot(hand_at=cells[int(rng.integers(len(cells)))]) if rng.random() < hands else PLAIN
    return Moment(state.board, state.standing, len(turns), reach)


def record_session(
    out: Path,
    record: Record,
    pack: Pack,
    moments: Sequence[Moment],
    seed: int,
    *,
    title: str,
    size_wh: tuple[int, int] = (1280, 720),
    worn: bool = False,
) -> None:
    """Draw ``moments`` and write them as the session folder ``out``, with ``record`` as its truth.
    ``worn`` is that of the `Stage`."""
    header = record.header
    (out / "frames").mkdir(parents=True, exist_ok=True)
    stage = Stage(pack, {cell for moment in moments for cell in moment.board}, seed, size_wh, worn=worn)
    files: list[dict[str, object]] = []
    first: dict[int, int] = {}
    t_s = 0.0
    for moment in moments:
        t_s += moment.after_s
        for _ in range(moment.frames):
            name = f"frames/{len(files):04d}.jpg"
            image = stage.picture(moment.board, moment.standing, moment.shot)
            cv2.imwrite(str(out / name), image, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
            first.setdefault(moment.done, len(files))
            files.append({"file": name, "t_s": round(t_s, 2)})
            t_s += FRAME_S
    names = ("Ana", "Bo", "Cem", "Dee", "Eli", "Fay")
    session = header_to_json(header) | {
        "title": title,
        "origin": "rendered",
        "players": [
            {"name": name, "color": color} for name, color in zip(names, header.players, strict=False)
        ],
        "frames": files,
    }
    (out / "session.json").write_text(json.dumps(session, indent=1) + "\n", encoding="utf-8")
    (out / "truth.game.jsonl").write_text(_with_frames(record, first), encoding="utf-8")


def _with_frames(record: Record, first: Mapping[int, int]) -> str:
    """The record with the first picture that shows each turn finished, where one does."""
    lines = []
    number = 0
    for line in record.lines:
        if isinstance(line.event, Turn):
            number += 1
            line = replace(line, frame=first.get(number))
        lines.append(line)
    return write_record(replace(record, lines=tuple(lines)))


def start_of(record: Record, pack: Pack) -> GameState:
    """The position before a record's first turn. TypeError for a game that is not laid tile by tile."""
    header = record.header
    if not isinstance(header, Header):
        raise TypeError(f"{record.file}: no game of tiles")
    return tile_game_named(header.game).start(header, pack)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("record", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--frames", type=int, default=1, help="pictures of each table at rest")
    parser.add_argument("--hands", type=float, default=0.3, help="share of turns that show a hand")
    parser.add_argument("--disturbed", action="store_true", help="with the mishaps of careless people")
    parser.add_argument("--photograph", action="store_true", help="one picture of the last table, worn")
    parser.add_argument("--size", default="1280x720")
    args = parser.parse_args()
    width, height = (int(value) for value in args.size.split("x"))
    record = read_record(args.record)
    pack = load_pack(record.header.pack)
    cv2.setNumThreads(1)
    rng = np.random.default_rng([args.seed, 3])
    start = start_of(record, pack)
    if args.photograph:
        moments = [at_the_end(start, record.turns, rng, hands=args.hands)]
    elif args.disturbed:
        moments = list(as_disturbed(start, record.turns, rng, frames=args.frames, mishaps=MISHAPS))
    else:
        moments = list(as_played(start, record.turns, rng, hands=args.hands, frames=args.frames))
    record_session(
        args.out,
        record,
        pack,
        moments,
        args.seed,
        title=args.record.stem,
        size_wh=(width, height),
        worn=args.photograph,
    )


if __name__ == "__main__":
    main()
