"""Scoring of Hunters and Gatherers; each test names its section of hunters-gatherers-2020."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.games import tile_game_named
from engine.hunters_gatherers.actions import Hut
from engine.hunters_gatherers.rules import HUTS, MEEPLES
from engine.tiles.actions import Meeple
from engine.tiles.board import Laid, Standing
from tests.engine.hunters_gatherers.lab import Valley, hunters_pack
from tests.engine.lab import parts


def lie(table: Valley, player: str, tile: str, cell: tuple[int, int]) -> None:
    """A tile of plain grassland with that player's hunter."""
    table.play_as(player, tile, cell, action=Meeple("m0"))


# Rivers


@pytest.mark.rule("hunters-gatherers-2020", "Scoring a river")
def test_a_river_scores_its_tiles_and_the_fish_of_its_lakes() -> None:
    """'Scoring a river': 'you score 5 points: 3 points for the 3 tiles forming the river. 2 for the 2 fish in
    the lakes.'"""
    table = Valley()
    table.play("RIVER", (1, 0), action=Meeple("r1"))
    assert table.last.events == ()
    table.play("LAKE-0", (2, 0))  # the start tile's lake holds the two fish
    assert table.points() == {"red": 5}
    assert table.state.supply["red"] == MEEPLES
    assert table.state.standing == ()


@pytest.mark.rule("hunters-gatherers-2020", "Scoring a river")
@pytest.mark.rule("hunters-gatherers-2020", "Menhir tile with more scoring opportunities")
def test_fish_in_the_river_itself_count() -> None:
    """'Summary': '1 point for each fish in the river and any lakes that close it'."""
    table = Valley()
    table.play("FISH", (1, 0), action=Meeple("r1"))
    table.play("LAKE-4", (2, 0))
    assert table.points() == {"red": 3 + 2 + 1 + 4}


@pytest.mark.rule("hunters-gatherers-2020", "Rivers and Lakes")
@pytest.mark.parametrize("end", ["SPRING", "WOODEND"])
def test_a_river_is_closed_by_a_lake_a_forest_or_its_source(end: str) -> None:
    """'A river is completed when both ends are closed by lakes or forests'."""
    table = Valley()
    table.play(end, (1, 0), action=Meeple("r1"))
    assert table.points() == {"red": 2 + 2}


@pytest.mark.rule("hunters-gatherers-2020", "Scoring a river")
def test_a_river_that_loops_onto_itself_is_complete() -> None:
    """'... or when it loops back onto itself by connecting to the other end'; each tile counts once."""
    table = Valley()
    table.play("GRASS-0", (0, 1))
    table.play_as("red", "BEND", (0, 2), 90, Meeple("r1"))
    table.play("BEND", (1, 2), 180)
    table.play("BEND", (1, 3), 270)
    assert table.last.events == ()
    table.play("BEND", (0, 3), 0)
    assert table.points() == {"red": 4}


@pytest.mark.rule("hunters-gatherers-2020", "Scoring a river")
def test_a_lake_at_both_ends_of_one_river_counts_its_fish_once() -> None:
    """docs/rulings.md, 'Lake at both ends': a field of the rules."""
    for times, fish in ((1, 3), (2, 6)):
        table = Valley()
        table.state = replace(table.state, rules=replace(table.state.rules, lake_at_both_ends=times))
        table.play("GRASS-0", (0, 1))
        table.play_as("red", "POND-3", (0, 2), action=Meeple("r3"))
        table.play("BEND", (1, 2), 180)  # west and south
        table.play("BEND", (1, 3), 270)  # north and west
        table.play("RIVER", (0, 3))
        table.play("BEND", (-1, 3), 0)  # north and east
        table.play("BEND", (-1, 2), 90)  # east and south
        assert table.points() == {"red": 6 + fish}


@pytest.mark.rule("hunters-gatherers-2020", "Multiple meeples on the same feature")
def test_most_fishers_score_and_ties_all_score_in_full() -> None:
    """'Multiple meeples on the same feature': 'The river scores for 9 points (4 tiles and 5 fish), and you
    and Blue both score the full 9 points.'"""
    table = Valley()
    table.play("RIVER", (1, 0), action=Meeple("r1"))
    table.play("GRASS-0", (0, 1))
    table.play("GRASS-0", (1, 1))
    table.play("GRASS-0", (2, 1))
    table.play("GRASS-0", (3, 1))
    table.play("LAKE-3", (3, 0), action=Meeple("r1"))
    assert table.last.events == ()
    table.play("RIVER", (2, 0))
    assert table.points() == {"red": 9, "blue": 9}
    assert table.state.supply == {"red": MEEPLES, "blue": MEEPLES}


@pytest.mark.rule("hunters-gatherers-2020", "Score completed features")
def test_a_meeple_may_score_at_once() -> None:
    """'3. Score features': a feature completed by the tile on which the meeple was put."""
    table = Valley()
    step = table.play("LAKE-1", (1, 0), action=Meeple("r1"))
    assert table.points() == {"red": 2 + 2 + 1}
    assert step.laid == (Standing("meeple", "red", (1, 0), "r1"),)
    assert step.state.standing == ()


@pytest.mark.rule("hunters-gatherers-2020", "Place a meeple as a fisher on a river")
def test_a_fisher_beyond_the_lake_stays() -> None:
    """'Blue's meeple on the other river stays on that river, because that river has not scored yet.'"""
    table = Valley()
    table.play("RIVER", (1, 0), action=Meeple("r1"))
    table.play("POND-0", (2, 0), action=Meeple("r3"))
    assert table.points() == {"red": 3 + 2}
    assert table.state.standing == (Standing("meeple", "blue", (2, 0), "r3"),)


# Forests


@pytest.mark.rule("hunters-gatherers-2020", "Forests")
@pytest.mark.rule("hunters-gatherers-2020", "Normal Forest Scoring")
def test_a_forest_scores_two_for_each_tile() -> None:
    """'Normal Forest Scoring': '2 points for each tile comprising the completed forest'."""
    table = Valley()
    table.play("STRIP", (0, -1), action=Meeple("f1"))
    table.play("WOOD", (0, -2))
    assert table.points() == {"red": 6}
    assert not table.state.extra


@pytest.mark.rule("hunters-gatherers-2020", "Menhir tiles with immediate actions")
def test_each_group_of_mushrooms_is_worth_three() -> None:
    """'Menhir tiles with immediate actions': 'worth 3 points when scoring a forest'."""
    table = Valley()
    table.play("MUSHROOM", (0, -1), action=Meeple("f1"))
    assert table.points() == {"red": 4 + 3}


@pytest.mark.rule("hunters-gatherers-2020", "Menhirs")
def test_a_menhir_forest_gives_an_extra_turn() -> None:
    """'Menhirs': 8 points for a forest of four tiles, then an extra turn with a menhir tile."""
    table = Valley("red", "blue", "green")
    table.play_as("red", "STRIP", (0, -1), action=Meeple("f1"))
    table.play_as("blue", "STRIP", (0, -2))
    table.play_as("red", "STONE", (0, -3))
    assert table.points() == {"red": 8}
    assert table.state.extra
    assert table.state.player == "red"
    assert set(table.state.bag) == {"MENHIR-0", "MENHIR-STONE", "MENHIR-STRIP", "MENHIR-THREE"}
    table.play("MENHIR-0", (-1, 0), action=Meeple("m0"))
    assert table.state.player == "blue"
    assert not table.state.extra


@pytest.mark.rule("hunters-gatherers-2020", "Menhirs")
def test_the_extra_turn_gives_no_further_one() -> None:
    """'If you complete another forest containing 1 or more menhirs during an extra turn, you do not take an
    additional extra turn'; there 'you score 6 points for the 3 tiles'."""
    table = Valley("red", "blue", "green")
    table.play("GRASS-0", (-1, 0))
    table.play("WOOD", (-1, -1), 180)
    table.play("STRIP", (-1, -2))
    table.play("STONE", (0, -1))  # blue closes the start tile's forest
    assert table.state.player == "red"
    assert table.state.extra
    table.play("MENHIR-STONE", (-1, -3), action=Meeple("f1"))
    assert table.points() == {"red": 6}
    assert table.state.player == "blue"
    assert not table.state.extra


@pytest.mark.rule("hunters-gatherers-2020", "Menhirs")
def test_a_menhir_forest_without_meeples_gives_an_extra_turn() -> None:
    """'If you place a tile that completes a forest containing 1 or more menhirs, you take an extra turn'."""
    table = Valley()
    table.play("STONE", (0, -1))
    assert table.last.events == ()
    assert table.state.extra
    assert table.state.player == "red"


@pytest.mark.rule("hunters-gatherers-2020", "Menhirs")
def test_without_menhir_tiles_there_is_no_extra_turn() -> None:
    """'If there are no menhir tiles remaining in the menhir tile stack, you cannot take an extra turn.'"""
    table = Valley()
    table.state = replace(table.state, stacks=(table.state.stacks[0], {}))
    table.play("STONE", (0, -1))
    assert not table.state.extra
    assert table.state.player == "blue"


@pytest.mark.rule("hunters-gatherers-2020", "Score a completed forest")
@pytest.mark.rule("hunters-gatherers-2020", "Multiple meeples on the same feature")
def test_the_majority_takes_the_forest_and_all_meeples_go_home() -> None:
    """'Multiple meeples on the same feature': 'Because you have the most meeples on this forest, you score
    10 points ..., and Blue does not score any points. All 3 meeples are returned ..., and you take an extra
    turn'."""
    table = Valley()
    table.play_as("red", "STRIP", (0, -1), action=Meeple("f1"))
    for cell in ((-1, 0), (1, -1), (2, -1), (2, -2)):
        table.play("GRASS-0", cell)
    table.play_as("blue", "WOOD", (1, -2), 90, Meeple("f1"))
    table.play("GRASS-0", (-1, -1))
    table.play_as("red", "STONE", (-1, -2), 270, Meeple("f1"))
    table.play("GRASS-0", (-1, -3))
    assert table.last.events == ()
    joined = [rot for cell, rot in table.state.placements("THREE") if cell == (0, -2)]
    assert joined == [270]
    table.play_as("red", "THREE", (0, -2), 270)
    assert table.points() == {"red": 10}
    assert table.state.supply == {"red": MEEPLES, "blue": MEEPLES}
    assert table.state.extra


@pytest.mark.rule("hunters-gatherers-2020", "End of the game, final scoring, and determining the winner")
def test_unfinished_forests_and_rivers_give_nothing() -> None:
    """'End of the game': 'No points are scored for incomplete forests and rivers.'"""
    table = Valley()
    table.play("STRIP", (0, -1), action=Meeple("f1"))
    table.play("RIVER", (1, 0), action=Meeple("r1"))
    assert table.state.final().scores == {"red": 0, "blue": 0}
    assert table.state.final().events == ()


# Grasslands


@pytest.mark.rule("hunters-gatherers-2020", "Scoring hunters and grasslands")
@pytest.mark.parametrize(
    ("animals", "hunters", "points"),
    [
        ("A", ["red"], {"red": 2}),
        ("DMT", ["red", "blue"], {"red": 3, "blue": 3}),
        ("DTT", ["blue"], {"blue": 0}),
        ("MMAADDT", ["red", "red", "blue"], {"red": 11}),
    ],
)
def test_the_four_grasslands_of_the_rulebook(
    animals: str, hunters: list[str], points: dict[str, int]
) -> None:
    """'Scoring hunters and grasslands', Grassland 1 to 4."""
    board = {
        (0, 0): Laid(hunters_pack().designs[f"GRASS-{animals}"], 0),
        **{(x, 0): Laid(hunters_pack().designs["GRASS-0"], 0) for x in range(1, 1 + len(hunters))},
    }
    standing = [
        Standing("meeple", color, (x, 0), "m0", pose="lying") for x, color in enumerate(hunters, start=1)
    ]
    got = tile_game_named("hunters-gatherers").final_seen(hunters_pack(), board, standing)
    assert got.scores == dict.fromkeys(hunters, 0) | points


@pytest.mark.rule("hunters-gatherers-2020", "Place a meeple as a hunter")
def test_hunters_stay_and_score_at_the_end() -> None:
    """'Hunters remain on their tiles until the end of the game'; they lie down."""
    table = Valley()
    lie(table, "red", "GRASS-MMAADDT", (0, 1))
    assert table.state.standing == (Standing("meeple", "red", (0, 1), "m0", pose="lying"),)
    assert table.ended() == {"red": 11, "blue": 0}
    assert table.state.final().winners == ("red",)


@pytest.mark.rule("hunters-gatherers-2020", "Grasslands")
def test_a_closed_grassland_scores_at_the_end_too() -> None:
    """'Hunters remain on their tiles until the end of the game', also in a grassland that nothing can join;
    a shaman reaches them there."""
    table = Valley()
    table.play("YARD-M", (0, -1), action=Meeple("m0"))
    table.play("YARD-M", (1, -1), 180)
    assert [(item.meeples, item.open_edges) for item in table.state.spots() if item.meeples] == [
        ({"red": 1}, 0)
    ]
    assert table.ended() == {"red": 6, "blue": 0}
    table.play_as("red", "SHAMAN", (0, 1), sent_home=((0, -1), "m0"))
    assert table.ended() == {"red": 0, "blue": 0}
    assert table.state.standing == ()


# Huts


@pytest.mark.rule("hunters-gatherers-2020", "Scoring huts on river systems")
def test_huts_score_the_fish_of_their_river_system() -> None:
    """'Scoring huts on river systems': the most huts take all fish, ties all score in full ('each score 10
    points for the 10 fish'); systems need not be complete."""
    table = Valley("red", "blue", "yellow")
    table.play("POND-3", (1, 0), action=Hut("l8"))
    table.play("FISH", (2, 0))
    assert table.ended() == {"red": 2 + 3 + 1, "blue": 0, "yellow": 0}
    for x in (0, 1, 2, 3, 4):
        table.play("GRASS-0", (x, 1))
    table.play_as("yellow", "LAKE-4", (4, 0), action=Hut("l8"))
    table.play_as("red", "RIVER", (3, 0))
    assert table.ended() == {"red": 10, "blue": 0, "yellow": 10}
    assert table.state.hut_supply == {"red": HUTS - 1, "blue": HUTS, "yellow": HUTS - 1}
    assert len(table.state.standing) == 2


@pytest.mark.rule("hunters-gatherers-2020", "Scoring huts on river systems")
def test_two_huts_beat_one() -> None:
    """'You have 2 huts on the left river system, and Blue has 1 ..., so you score the 8 points for the 8
    fish'."""
    table = Valley()
    table.play_as("red", "POND-1", (1, 0), action=Hut("l8"))
    for x in range(7):
        table.play("GRASS-0", (x, 1))
    table.play_as("blue", "POND-2", (3, 0), action=Hut("l8"))
    table.play_as("red", "LAKE-3", (5, 0), action=Hut("l8"))
    table.play("RIVER", (2, 0))
    table.play("RIVER", (4, 0))
    assert table.ended() == {"red": 8, "blue": 0}


# Menhir tiles


@pytest.mark.rule("hunters-gatherers-2020", "Menhir tiles with immediate actions")
def test_the_logboat_scores_two_for_each_lake_at_once() -> None:
    """'You place the logboat and score 8 points for the 3 lakes in the river system. Then you place a fisher,
    and score 5 points from the completed river': three lakes and its own; a blue hut changes nothing."""
    table = Valley()
    table.play_as("blue", "POND-1", (1, 0), action=Hut("l8"))
    table.play_as("red", "POND-1", (2, 0))
    table.play_as("red", "RIVER", (3, 0))
    step = table.play_as("red", "LOGBOAT", (4, 0), action=Meeple("r1"))
    assert [(event.kind, event.points) for event in step.events] == [("logboat", 8), ("river", 5)]


@pytest.mark.rule("hunters-gatherers-2020", "24 Covering Markers")
@pytest.mark.rule("hunters-gatherers-2020", "Menhir tiles with immediate actions")
def test_the_hunting_trap_scores_and_covers_the_animals_around_it() -> None:
    """'You place the hunting trap and score': tiger and deer cancel, 4 points for the mammoth and the other
    deer; 'these animals are ignored during final scoring', all of them
    (docs/rulings.md, 'Wildfire and hunting trap')."""
    table = Valley()
    lie(table, "blue", "GRASS-TDDM", (0, 1))
    table.play_as("red", "GRASS-M", (0, 2))
    table.play_as("red", "GRASS-D", (0, 3))
    assert table.ended()["blue"] == 3 + 1 + 3 + 1
    table.play_as("red", "TRAP", (1, 0 + 2))
    assert table.points("hunting_trap") == {"red": 3 + 1 + 1 + 3}
    assert table.ended()["blue"] == 0
    table.play_as("red", "GRASS-MA", (0, 4))
    assert table.ended()["blue"] == 5


@pytest.mark.rule("hunters-gatherers-2020", "Menhir tiles with immediate actions")
def test_the_hunting_trap_reaches_only_its_own_grassland() -> None:
    """'The mammoth on the far right does not score, because it is on a separate grassland.'"""
    table = Valley()
    table.play("RIVER", (1, 0))
    table.play("GRASS-M", (1, -1))
    table.play("GRASS-TDDM", (1, 1))
    table.play("RIVER", (2, 0))
    table.play_as("red", "TRAP", (2, 1))
    assert table.points() == {"red": 4}


@pytest.mark.rule("hunters-gatherers-2020", "Menhir tiles that affect final scoring")
def test_wildfire_has_no_effect_on_the_hunting_trap() -> None:
    """docs/rulings.md, 'Wildfire and hunting trap': a field of the rules."""
    for spares, points in ((True, 4), (False, 5)):
        table = Valley()
        table.state = replace(table.state, rules=replace(table.state.rules, wildfire_spares_trap=spares))
        table.play("FIRE", (0, 1))
        table.play("GRASS-TDDM", (0, 2))
        table.play_as("red", "TRAP", (0, 3))
        assert table.points() == {"red": points}


@pytest.mark.rule("hunters-gatherers-2020", "Menhir tiles that affect final scoring")
def test_wildfire_chases_all_tigers_away() -> None:
    """'When resolving final scoring, cover all tigers on that grassland, but do not cover any deer.'"""
    table = Valley()
    lie(table, "red", "GRASS-MMAADDT", (0, 1))
    assert table.ended()["red"] == 11
    table.play("FIRE", (0, 2))
    assert table.ended()["red"] == 12


@pytest.mark.rule("hunters-gatherers-2020", "Menhir tiles that affect final scoring")
def test_the_pit_trap_doubles_the_animals_around_it() -> None:
    """'First, the tiger eats the deer, then you score 20 points (12 for the 2 mammoths and 8 for the 2
    aurochs).'"""
    table = Valley()
    lie(table, "red", "GRASS-MA", (0, 1))
    table.play_as("blue", "PIT", (0, 2))
    table.play("GRASS-MA", (0, 3))
    table.play("GRASS-TD", (1, 2))
    assert table.ended()["red"] == 20


@pytest.mark.rule("hunters-gatherers-2020", "Menhir tiles that affect final scoring")
def test_deer_out_of_the_pit_traps_reach_are_eaten_first() -> None:
    """docs/rulings.md, 'Pit trap': then its bonus counts the animals in reach a second time."""
    table = Valley()
    lie(table, "red", "PIT", (0, 1))
    table.play("GRASS-DD", (0, 2))
    assert table.ended()["red"] == 4
    table.play("GRASS-T", (0, 3))
    assert table.ended()["red"] == 2  # no deer elsewhere
    table.play("GRASS-D", (0, 4))
    assert table.ended()["red"] == 4
    table.play("GRASS-D", (0, 5))
    assert table.ended()["red"] == 5


@pytest.mark.rule("hunters-gatherers-2020", "Menhir tiles that affect final scoring")
def test_the_raft_counts_lakes_for_the_huts() -> None:
    """'In addition to scoring 1 point for each fish in this river system, the scoring player also scores 1
    point for each lake in the system.'"""
    table = Valley()
    table.play("POND-3", (1, 0), action=Hut("l8"))
    assert table.ended()["red"] == 5
    table.play("RAFT", (2, 0))
    assert table.ended()["red"] == 6 + 3


@pytest.mark.rule("hunters-gatherers-2020", "Menhir tiles with immediate actions")
def test_the_shaman_frees_what_the_meeple_stood_on() -> None:
    """'you may immediately return 1 of your meeples to your supply without scoring points. It does not matter
    which tile this meeple is returned from.'"""
    table = Valley()
    lie(table, "red", "GRASS-M", (0, 1))
    place = ((0, 1), "m0")
    assert Meeple("m0") not in table.state.actions("SHAMAN", (0, 2), 0)
    table.state = replace(table.state, seat=0)
    assert Meeple("m0") in table.state.actions("SHAMAN", (0, 2), 0, parts(sent_home=place))
    step = table.play_as("red", "SHAMAN", (0, 2), action=Meeple("m0"), sent_home=place)
    assert step.events == ()
    assert step.state.standing == (Standing("meeple", "red", (0, 2), "m0", pose="lying"),)
    assert table.state.supply["red"] == MEEPLES - 1


@pytest.mark.rule("hunters-gatherers-2020", "5 Scoring Markers")
@pytest.mark.rule("hunters-gatherers-2020", "The Object of the Game")
def test_ties_share_the_victory() -> None:
    """'Determining the winner': 'In the event of a tie, the tied players share the victory.'"""
    assert Valley("red", "blue", "violet").state.final().winners == ("red", "blue", "violet")
