"""The library: what logs come to, the cache that says so, the trash, the zip file."""

from __future__ import annotations

import zipfile
from pathlib import Path
from random import Random

import pytest

from engine.games import tile_game_named
from engine.pack import load_pack
from engine.tiles.game import Header
from tests.web.fake_table import photograph, played_turn
from tilesight.home import home_folder, tables_folder
from tilesight.lobby.library import Library
from tilesight.lobby.memory import LobbyMemory
from tilesight.sessions.samples import sample_folder
from tilesight.table_log.event_fold import EntryKind
from tilesight.table_log.event_store import SUFFIX, TableStore
from tilesight.table_log.sqlite_log import outbox_of, watched_file_of
from web.past_games import player_stats
from web.table.refusal import Refusal

NAMES = {"red": "Ana", "blue": "Bo"}
HEADER = {"tilesight": 1, "game": "safari", "pack": "savanna", "players": list(NAMES)}


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setenv("TILESIGHT_HOME", str(tmp_path))
    tables_folder().mkdir(parents=True)
    return Library()


def _play(name: str, turns: int = 4, *, ended: bool = True) -> dict[str, int]:
    """A game of some turns in a log; its final scores."""
    pack, rng = load_pack("savanna"), Random(3)
    state = tile_game_named("safari").start(Header("safari", pack.id, tuple(NAMES)), pack)
    with TableStore(tables_folder() / f"{name}{SUFFIX}") as store:
        store.append(EntryKind.OPENED, {"header": HEADER, "names": NAMES})
        for number in range(turns):
            turn = played_turn(state, rng)
            state = state.apply(turn).state
            seen = {"keep": number, "lines": [turn.to_json()], "frames": [number]}
            store.append(EntryKind.SEEN, seen, {"frame": photograph()})
        if ended:
            store.append(EntryKind.ENDED, {})
    return dict(state.final().scores)


def test_a_game_is_told_with_its_scores_and_replayed(library: Library) -> None:
    scores = _play("over")
    _play("sleeping", 2, ended=False)
    _play("empty", 0, ended=False)
    (tables_folder() / f"damaged{SUFFIX}").write_bytes(b"no log")
    games = {game.id: game for game in library.games()}
    assert set(games) == {"over", "sleeping"}
    over = games["over"]
    assert {player.color: player.score for player in over.players} == scores
    best = max(scores.values())
    assert [player.won for player in over.players] == [player.score == best for player in over.players]
    assert (over.turns, over.over, over.pictured) == (4, True, True) and not games["sleeping"].over
    assert b"replay-data" in library.replay("over") and library.photo("over")[:2] == b"\xff\xd8"
    # Only games that are over count.
    assert {(one.name, one.games, one.points) for one in player_stats(games.values())} == {
        (NAMES[color], 1, points) for color, points in scores.items()
    }


@pytest.mark.parametrize("content", [b"", b"no database", None])
def test_the_index_is_made_again_from_the_logs(library: Library, content: bytes | None) -> None:
    _play("over")
    games = library.games()
    index = home_folder() / "library.sqlite"
    assert index.is_file()
    if content is None:
        index.unlink()
    else:
        index.write_bytes(content)
    assert Library().games() == games


def test_a_deleted_game_can_be_brought_back(library: Library) -> None:
    _play("over")
    log = tables_folder() / f"over{SUFFIX}"
    beside = (watched_file_of(log), outbox_of(log))
    for file in beside:
        file.write_bytes(b"beside the log")
    library.remove("over")
    assert not library.games() and not any(file.exists() for file in beside)
    library.restore("over")
    assert [game.id for game in library.games()] == ["over"]
    assert [file.read_bytes() for file in beside] == [b"beside the log"] * 2
    with TableStore(tables_folder() / f"over{SUFFIX}"), pytest.raises(Refusal, match="watched"):
        library.remove("over")


@pytest.mark.parametrize("name", ["nothing", "../over", "trash/over", ""])
def test_no_other_file_is_reached(library: Library, name: str) -> None:
    for ask in (library.replay, library.photo, library.remove, library.restore):
        with pytest.raises(Refusal, match="no such game"):
            ask(name)


def test_all_games_are_exported(library: Library, tmp_path: Path) -> None:
    scores = _play("over")
    path = library.export(tmp_path)
    with zipfile.ZipFile(path) as packed:
        assert packed.namelist() == [f"over{SUFFIX}"]
        (tables_folder() / f"over{SUFFIX}").unlink()
        packed.extractall(tables_folder())
    path.unlink()
    assert {player.color: player.score for player in library.games()[0].players} == scores


def test_people_are_shown_as_they_are_called_and_samples_are_marked(library: Library) -> None:
    _play("one")
    memory = LobbyMemory()
    known = Library(memory)
    known.call(["Ana"], "Anna")
    known.call(["Bo"], "")
    memory.remember("one", str(sample_folder("first-light")), {})
    [game] = Library(LobbyMemory()).games()  # after a restart
    assert [(one.name, one.written, one.named) for one in game.players] == [
        ("Anna", "Ana", True),
        ("blue", "Bo", False),
    ]
    assert game.sample and player_stats([game]) == []
    with TableStore(tables_folder() / f"one{SUFFIX}", read_only=True) as store:
        assert store.entries()[0].data["names"] == NAMES, "logs keep what was written"
