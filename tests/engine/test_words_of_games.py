"""Pieces and features of single games are named in the engine alone: code above it asks for properties."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from engine.games import tile_game_named, tile_game_names
from engine.pack import load_pack, pack_ids
from engine.tiles.pieces import OWNED, TRAITS

ROOT = Path(__file__).resolve().parents[2]
ABOVE = ("vision", "calibration", "tilesight", "web")
DRAWINGS = ("samples/artwork/", "tilesight/printing/figures.py", "web/report/tile_report.py")
"""Where single decks and pieces are drawn."""


PROGRAMMERS_WORDS = {"field"}
"""Kinds of feature whose name means something else in any program: a field of a form or dataclass."""


def words_of_games() -> set[str]:
    """The kinds of feature of every tile game, and of piece except meeples and tokens."""
    packs = [pack for pack in map(load_pack, pack_ids()) if pack.game in tile_game_names()]
    features = {f.kind for pack in packs for tile in (*pack.tiles, *pack.start) for f in tile.features}
    features -= PROGRAMMERS_WORDS
    games = map(tile_game_named, tile_game_names())
    pieces = {piece.kind for game in games for piece in game.pieces} - {"meeple"}
    assert {"lake", "baobab"} <= features
    assert {"hut", "ranger"} == pieces <= set(TRAITS) and "meeple" in OWNED
    return features | pieces


def named_in(source: str) -> Iterator[tuple[int, str]]:
    """Every identifier and every string that is one word, with its line."""
    for node in ast.walk(ast.parse(source)):
        for field in ("id", "attr", "arg", "name"):
            if isinstance(name := getattr(node, field, None), str):
                yield getattr(node, "lineno", 0), name
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def test_code_above_the_engine_names_no_piece_or_feature_of_single_games() -> None:
    words = words_of_games()
    words |= {f"{word}s" for word in words}
    found = []
    for path in (path for package in ABOVE for path in sorted((ROOT / package).rglob("*.py"))):
        name = path.relative_to(ROOT).as_posix()
        if not name.startswith(DRAWINGS):
            found += [
                f"{name}:{line}: {text}"
                for line, text in named_in(path.read_text("utf-8"))
                if re.fullmatch(r"\w+", text) and words & set(text.lower().split("_"))
            ]
    assert not found
