"""Attack: undo, corrections and answers from four phones at once, and a disk that fails now and then.

At every moment the exported record and the score on the page say the same.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from engine.pack import load_pack
from engine.record import check, read_record
from engine.tricky_safari.game import TRICKY_SAFARI
from engine.tricky_safari.state import Move
from tests.tile_records import start_of
from tests.tilesight.square_seen import OPENING, PACK, header, observed
from tests.tilesight.synthetic import Noise, film
from tilesight.live.squares.table import SquaresTable
from tilesight.live.tiles.table import TileTable
from tilesight.simulation.tile_games import Style, random_game
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import Entry, NotKeptError, TableStore
from vision.observation import Frame, Observation
from web.table.correction import ChangePlayer, MoveTurn, RemoveTurn, ReplaceTurn, SetScores
from web.table.refusal import Refusal

BLANK = Frame(np.zeros((72, 128, 3), np.uint8))
STORM_S = 2.0
"""Seconds that each storm takes."""
PHONES = 4
REFUSED = (Refusal, NotKeptError)
"""What a phone may be answered instead of a change."""
Table = TileTable | SquaresTable
Watch = tuple[Table, list[Observation]]


class FailingStore(TableStore):
    """A log whose disk refuses every ``every``-th entry; 0: none."""

    every = 0
    _asked = 0

    def append(
        self,
        kind: str,
        data: Mapping[str, Any],
        pictures: Mapping[str, bytes] | None = None,
        *,
        at_s: float | None = None,
    ) -> Entry:
        """Append an entry, or raise NotKeptError."""
        self._asked += 1
        if self.every and self._asked % self.every == 0:
            raise NotKeptError("full")
        return super().append(kind, data, pictures, at_s=at_s)


def tiles(store: FailingStore, name: str) -> Watch:
    """Return a table of tiles with all pictures of a game of 12 turns, read with some noise."""
    pack = load_pack(name)
    style = Style(allow=("meeple",), greedy=0.6)
    record = random_game(pack, 2, 7, turns=12, style=style, hands_seen=False)
    start = start_of(record, pack)
    line = {"tilesight": 1, "game": pack.game, "pack": pack.id, "players": list(start.players)}
    store.append(EntryKind.OPENED, {"header": line, "names": {}})
    pictures = [seen for _, seen in film(start, record.turns, Noise(), 3)]
    return TileTable(start, {}, store, title="t", game=str(pack.game), header_line=line), pictures


def squares(store: FailingStore) -> Watch:
    """Return a table of squares with all pictures of 8 moves."""
    state, rng, pictures = TRICKY_SAFARI.start(header()), Random(1), list[Observation]()

    def show(figures: Any) -> None:
        for i in range(3):
            pictures.append(observed(figures, len(pictures), 0.1 if i == 0 else 0.0))

    show(state.figures)
    for _ in range(8):
        move = rng.choice([turn for turn in state.turns() if isinstance(turn, Move) and not turn.passes])
        after = state.apply(move).state
        show(dataclasses.replace(state, cameras=after.cameras).figures)
        show(after.figures)
        state = after
    names = {"yellow": "Gil", "red": "Hana"}
    return SquaresTable(TRICKY_SAFARI, PACK, OPENING, names, store), pictures


OPENED: dict[str, Callable[[FailingStore], Watch]] = {
    "safari": lambda store: tiles(store, "savanna"),
    "carcassonne": lambda store: tiles(store, "bastide"),
    "tricky-safari": squares,
}


def poke(table: Table, rng: Random) -> None:
    """Do one thing that a phone can do."""
    view, n = table.state(), len(table.state().played)
    one = rng.randint(1, n) if n else 1
    match rng.choice(("undo", "undo", "redo", "points", "remove", "put", "player", "move", "answer", "end")):
        case "undo":
            table.undo()
        case "redo":
            table.redo()
        case "points" if isinstance(table, TileTable):
            table.correct(SetScores({rng.choice(view.seats).color: rng.randint(-3, 20)}))
        case "remove":
            table.correct(RemoveTurn(one))
        case "put" if isinstance(table, TileTable):
            if turns := table.choices(one).turns:
                table.correct(ReplaceTurn(one, rng.choice(turns).to_json()))
        case "put" if isinstance(table, SquaresTable):
            if lines := table.moves(one).lines:
                table.correct(ReplaceTurn(one, rng.choice(lines)))
        case "player":
            table.correct(ChangePlayer(one, rng.choice(view.seats).color))
        case "move":
            table.correct(MoveTurn(one, rng.randint(1, max(n, 1))))
        case "answer":
            if asked := table.questions():
                question = rng.choice(asked)
                table.answer(question.id, rng.choice(question.options).id)
        case "end" if rng.random() < 0.2:
            table.end()


@contextmanager
def storm(table: Table, pictures: list[Observation]) -> Iterator[Counter[str]]:
    """Let phones and a camera work on a table; yield how many calls were carried out, refused or broken."""
    over, counts = threading.Event(), Counter[str]()

    def phone(seed: int) -> None:
        rng = Random(seed)
        while not over.wait(rng.random() * 0.02):
            attempt("done", lambda: poke(table, rng))

    def camera() -> None:
        for index in range(100_000):
            if over.wait(0.02):
                return
            seen = pictures[min(index, len(pictures) - 1)]
            picture = dataclasses.replace(seen, frame_index=index, t_s=index * 0.5)
            attempt("seen", partial(table.game.see, picture, BLANK, 0.0))

    def attempt(what: str, work: Callable[[], object]) -> None:
        try:
            work()
            counts[what] += 1
        except REFUSED:
            counts["refused"] += 1
        except Exception as error:
            counts[f"broken: {error!r}"] += 1

    threads = [threading.Thread(target=phone, args=(seed,)) for seed in range(PHONES)]
    threads.append(threading.Thread(target=camera))
    with ExitStack() as running:
        running.callback(over.set)
        for thread in threads:
            thread.start()
            running.callback(thread.join)
        running.callback(over.set)
        yield counts


def score_of(table: Table, view: Any) -> dict[str, int]:
    """The score that a view shows; zeros where the set-up is being read anew."""
    if view.state is None:
        return {seat.color: 0 for seat in view.seats}
    if isinstance(table, TileTable):
        return {color: n + view.by_hand.get(color, 0) for color, n in view.state.scores.items()}
    return dict(view.state.points)


def differences(table: Table, view: Any, text: str) -> list[str]:
    """Say in which way a view and a record of the same moment differ."""
    if not text:
        return [] if not view.played else ["no record"]
    record = read_record(text)
    result = check(record)
    if result.faults:
        return [f"illegal: {result.faults[0].message}"]
    scores = result.scores or result.outcome.value["photos"]
    turns = [line for line in text.splitlines()[1:] if '"by_hand"' not in line and '"end"' not in line]
    found = [] if len(turns) == len(view.played) else [f"{len(turns)} turns, shown {len(view.played)}"]
    if dict(scores) != score_of(table, view):
        found.append(f"{dict(scores)}, shown {score_of(table, view)}")
    if view.phase == "over" and isinstance(table, TileTable) and view.final is not None:
        found += [] if dict(view.final.scores) == dict(result.final) else ["final scores"]
    return found


@pytest.mark.long
@pytest.mark.parametrize("every", [0, 7], ids=["disk", "failing-disk"])
@pytest.mark.parametrize("game", OPENED)
def test_record_and_score_agree_in_a_storm(tmp_path: Path, game: str, every: int) -> None:
    """Undo, corrections and answers from four phones: the record's score is the page's, at every moment."""
    store = FailingStore(tmp_path / "one.table")
    with store:
        table, pictures = OPENED[game](store)
        store.every = every
        found, same = Counter[str](), 0
        with storm(table, pictures) as counts:
            until_s = time.monotonic() + STORM_S
            while time.monotonic() < until_s:
                with table.game.lock:
                    told, view = table.export(), table.state()
                found.update(differences(table, view, told.content.decode()))
                found.update([] if told.entry == view.entry else ["another entry"])
                told, view = table.export(), table.state()  # as two requests: compared if the numbers agree
                if told.entry == view.entry:
                    same += 1
                    found.update(differences(table, view, told.content.decode()))
                time.sleep(0.005)
        assert dict(found) == {}
        assert [what for what in counts if what.startswith("broken")] == []
        assert same > 3 and counts["done"] > 3
