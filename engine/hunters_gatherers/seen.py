"""Position of Hunters and Gatherers from a table seen during a game."""

from __future__ import annotations

from engine.game import Game
from engine.hunters_gatherers import scoring
from engine.hunters_gatherers.rules import HUNTING_TRAP, MENHIR
from engine.hunters_gatherers.state import HuntersState
from engine.hunters_gatherers.water import GRASSLAND, water_laid, waters
from engine.pack import Pack
from engine.text_span import place_text
from engine.tiles.features import occupied_regions
from engine.tiles.notation import position_of
from engine.tiles.seen_position import Layer, SeenTable, UnseenState, players_in_turn_order, seen_words
from engine.tiles.turn import FeatureRef


def position_seen(
    game: Game, rules: str, pack: Pack, players: tuple[str, ...], table: SeenTable, unseen: UnseenState
) -> HuntersState:
    """The position of a game in progress, from its table; NotationError if no game can reach it. Animals that
    are now in reach of a hunting trap count as covered."""
    start = {cell for cell, _ in pack.start_designs}
    laid = [tile for cell, tile in table.board.items() if cell not in start]
    turns = sum(tile.design.tile.deck != MENHIR for tile in laid) - unseen.extra
    players = players_in_turn_order(players, turns, unseen.to)
    meeples = {p.cell: p.feature for p in table.standing if p.kind == "meeple" and p.feature is not None}
    huts = {
        p.cell: waters(table.board[p.cell].design.tile).system_of.get(p.feature, p.feature)
        for p in table.standing
        if p.kind == "hut" and p.feature is not None and p.cell in table.board
    }
    layers = [Layer(lambda tile: tile, meeples), Layer(water_laid, huts)]
    words = seen_words(pack, players, players[turns % len(players)], unseen, table, layers)
    if unseen.extra:
        words.append("extra=yes")
    covered = sorted(_covered(table))
    if covered:
        words.append("covered=" + ";".join(map(place_text, covered)))
    state: HuntersState = position_of(game, rules, pack, words)
    return state


def _covered(table: SeenTable) -> set[FeatureRef]:
    """The tile features of grasslands in reach of a hunting trap."""
    grasslands = [region for region in occupied_regions(table.board, ()) if region.kind == GRASSLAND]
    return {
        place
        for region in grasslands
        for trap in scoring.trapped(region, table.board, HUNTING_TRAP)
        for place in scoring.reach(trap, region)
    }
