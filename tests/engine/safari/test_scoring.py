"""Scoring of Carcassonne Safari: each test names its section of the rulebook (zman-2018) or a ruling."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import pytest

from engine.games import tile_game_named
from engine.safari.actions import Bonus, Dig, Expand, MoveRanger
from engine.safari.state import SafariState
from engine.tiles.actions import Meeple
from engine.tiles.board import Laid, Standing
from tests.engine.lab import Table, end_points, lab_pack

LAY = Meeple("baobab")


@pytest.mark.rule("safari-zman-2018", "Scoring an animal trail")
@pytest.mark.parametrize(
    ("letters", "points"), [("G", 1), ("E", 3), ("EL", 6), ("ELM", 10), ("ELMZ", 15), ("GGG", 1), ("EGE", 3)]
)
def test_a_finished_trail_scores_by_its_species(letters: str, points: int) -> None:
    """'Scoring an animal trail': 1 3 6 10 15 for different animals; their total does not matter."""
    table = Table()
    for x, letter in enumerate(letters, start=1):
        tile = "END" if x == len(letters) else "TRAIL"
        table.play(f"{tile}-{letter}", (x, 0), action=Meeple("t0") if x == 1 else None)
    assert table.points("trail") == {"red": points}


@pytest.mark.rule("safari-zman-2018", "Scoring an animal trail")
def test_a_trail_needs_both_ends_closed() -> None:
    """'An animal trail is completed when both ends are closed by bush or savanna'."""
    table = Table()
    table.play("TRAIL-E", (1, 0), action=Meeple("t0"))
    assert table.last.events == ()
    assert table.state.supply["red"] == 5
    table.play("END-0", (2, 0))
    assert table.points() == {"red": 3}
    assert table.state.supply["red"] == 6


@pytest.mark.rule("safari-zman-2018", "Scoring an animal trail")
def test_a_trail_that_loops_onto_itself_is_complete() -> None:
    """'... or when it loops back onto itself by connecting to the other end'."""
    table = Table()
    table.fill()
    table.play("CURVE-Z", (1, -1), 0, Meeple("t0"), by="red")
    table.lay(("CURVE-L", (1, -2), 90), ("CURVE-L", (2, -2), 180))
    assert table.last.events == ()
    table.play("CURVE-0", (2, -1), 270)
    assert table.points() == {"red": 3}


@pytest.mark.rule("safari-zman-2018", "Placing additional animals")
def test_a_bonus_tile_adds_a_species() -> None:
    """'You place a lion from your supply. Now there are four ... ten points instead of six.'"""
    table = Table(hands={"red": "LE", "blue": "LL"})
    table.play("TRAIL-E", (1, 0), action=Meeple("t0"))
    step = table.play("END-Z", (2, 0), bonus=(Bonus("red", (1, 0), "t0", "lion"),))
    assert table.points() == {"red": 10}
    assert table.state.hands["red"] == ("elephant",)
    assert Standing("token", None, (1, 0), "t0", animal="lion") in step.laid
    assert all(piece.kind != "token" for piece in step.state.standing)


@pytest.mark.rule("safari-zman-2018", "Placing additional animals")
@pytest.mark.parametrize(("bonus", "points"), [((), 0), ((Bonus("red", (1, -1), "t0", "lion"),), 1)])
def test_a_feature_without_animals_is_worth_nothing_or_its_bonus_tile(
    bonus: tuple[Bonus, ...], points: int
) -> None:
    """docs/rulings.md, 'Bonus tiles': a feature without animals may get one (0 becomes 1 point)."""
    table = Table(hands={"red": "LE", "blue": "LL"})
    table.fill()
    table.play("END-0", (1, -1), 180, Meeple("t0"), by="red")
    table.play("END-0", (2, -1), 0, bonus=bonus)
    assert table.points() == {"red": points}
    assert table.state.supply["red"] == 6


@pytest.mark.rule("safari-zman-2018", "The Bush")
def test_a_bush_scores_species_and_birds() -> None:
    """'A giraffe and a monkey are already in your bush, and you add a zebra ... a total of nine.'"""
    table = Table(hands={"red": "ZZ", "blue": "LL"})
    table.fill()
    table.play("BUSH-G", (1, -1), 90, Meeple("b0"), by="red")
    table.play("BIRDS-M", (2, -1), 270, bonus=(Bonus("red", (2, -1), "b0", "zebra"),))
    assert table.points() == {"red": 6 + 3}
    assert table.state.supply["red"] == 6


@pytest.mark.rule("safari-zman-2018", "The Bush")
def test_an_enclosed_empty_cell_is_no_gap() -> None:
    """docs/rulings.md, 'Trail and bush': complete when every bush edge meets a tile."""
    table = Table()
    table.fill()
    table.play("BEND-L", (1, -1), 0, Meeple("b0"), by="red")
    table.lay(("HEDGE-0", (1, -2), 0), ("BEND-L", (1, -3), 90), ("HEDGE-0", (2, -3), 90))
    table.lay(("BEND-L", (3, -3), 180), ("HEDGE-0", (3, -2), 0), ("BEND-L", (3, -1), 270))
    assert table.last.events == ()
    table.play("HEDGE-0", (2, -1), 90)
    assert (2, -2) not in table.state.board
    assert table.points() == {"red": 1 + 4}


@pytest.mark.rule("safari-zman-2018", "Placing a meeple on an animal trail")
def test_a_meeple_on_a_feature_that_the_tile_completes_scores_at_once() -> None:
    """docs/rulings.md, 'Meeple (Safari)': also one that this tile completes; it scores at once."""
    table = Table()
    step = table.play("END-E", (1, 0), action=Meeple("t0"))
    assert table.points() == {"red": 3}
    piece = Standing("meeple", "red", (1, 0), "t0")
    assert piece in step.laid
    assert piece not in step.state.standing
    assert table.state.supply["red"] == 6


@pytest.mark.rule("safari-zman-2018", "Multiple meeples on the same feature")
def test_tied_players_all_score_and_a_bonus_counts_for_its_owner_alone() -> None:
    """'Multiple meeples': 'you add a fifth ... fifteen points. Blue ... scores ten points.'"""
    table = Table(hands={"red": "ZZ", "blue": "LG"})
    table.play("TRAIL-E", (1, 0), action=Meeple("t0"))
    table.lay(("PLAIN", (1, -1), 0), ("PLAIN", (2, -1), 0), ("PLAIN", (3, -1), 0))
    table.play("TRAIL-L", (3, 0), 0, Meeple("t0"), by="blue")
    table.play("END-M", (4, 0))
    assert table.last.events == ()
    table.play("TRAIL-0", (2, 0), bonus=(Bonus("red", (2, 0), "t0", "zebra"),))
    assert table.points() == {"red": 15, "blue": 10}
    assert table.state.supply == {"red": 6, "blue": 6}


def three_bushes(rules: str, east: str) -> Table:
    """Two red meeples and one blue in one bush with three species."""
    table = Table(rules=rules)
    table.play("HEDGE-0", (0, 1), 0, Meeple("b0"), by="red")  # the start's elephant
    table.lay(("PLAIN", (1, 1), 0))
    table.play(east, (1, 2), 270, Meeple("b0"), by="red")
    table.lay(("PLAIN", (1, 3), 0))
    table.play("BUSH-M", (0, 3), 0, Meeple("b0"), by="blue")
    table.play("CROSS-0", (0, 2), 0)
    return table


@pytest.mark.rule("safari-zman-2018", "Multiple meeples on the same feature")
def test_only_the_majority_scores() -> None:
    """'You place a tile and connect them into one bush ... eleven points (six points for three different
    animals and five points for birds). Only you score points because you have the most meeples'."""
    table = three_bushes("zman", "BIRDS-L")
    assert table.points() == {"red": 6 + 5}
    assert table.state.supply == {"red": 6, "blue": 6}


@pytest.mark.rule("safari-zman-2018", "Game end and final scoring")
@pytest.mark.rule("safari-wiki-2018, safari-wiki-2020", "Game end and final scoring")
@pytest.mark.parametrize(("rules", "points"), [("zman", {"red": 5, "blue": 5}), ("hig", {"red": 5})])
def test_an_unfinished_feature_scores_for_all_or_for_its_majority(rules: str, points: dict[str, int]) -> None:
    """'All players with meeples on the feature score points, regardless of who has the most' (zman);
    only the majority (hig): docs/rulings.md, 'Presets (Safari)'; wiki-2020, note 5."""
    final = three_bushes(rules, "HEDGE-L").state.final()
    assert end_points(final.events, "bush") == points


@pytest.mark.rule("safari-zman-2018", "Game end and final scoring")
def test_final_scoring_gives_a_point_per_animal_and_bird_of_any_species() -> None:
    """'GAME END': 'one point for every animal and bird present. Different types of animals do not matter.'"""
    table = Table(hands={"red": "LL", "blue": "EE"})
    table.play("TRAIL-EZ", (1, 0), action=Meeple("t0"))
    table.play("BEND-E", (0, 1), 0, Meeple("b0"))
    final = table.state.final()
    assert end_points(final.events, "trail") == {"red": 3}
    assert end_points(final.events, "bush") == {"blue": 2 + 1}
    assert end_points(final.events, "hand") == {"red": 2, "blue": 2}  # 'one point for each animal tile'
    assert final.scores == {"red": 5, "blue": 5}
    assert final.winners == ("red", "blue")  # 'If multiple players are tied, they share the victory.'


@pytest.mark.rule("safari-zman-2018", "Baobab trees and watering holes")
def test_meeples_on_baobabs_and_watering_holes_score_nothing_at_the_end() -> None:
    """'Meeples on baobab trees and watering holes do not score points.'"""
    table = Table(hands={"red": "LL", "blue": "EE"})
    table.play("TREE", (0, -1), 0, LAY)
    table.play("PLAIN", (0, -2), 0, Dig((0, 0), "nw", "elephant"))
    final = table.state.final()
    assert {event.kind for event in final.events} == {"hand"}
    assert final.scores == {"red": 4, "blue": 3 + 1}


def surround(table: Table) -> None:
    """All but one of the cells around [1, -1], of which the first two are there; the last is [1, 0]."""
    table.lay(("PLAIN", (0, -2), 0), ("PLAIN", (1, -2), 0), ("PLAIN", (2, -2), 0))
    table.lay(("PLAIN", (2, -1), 0), ("PLAIN", (2, 0), 0))


@pytest.mark.rule("safari-zman-2018", "The Baobab Tree")
def test_a_baobab_gives_two_tiles_when_laid_on_and_two_when_surrounded() -> None:
    """'The Baobab Tree': 'you draw two animal tiles'; 'When all eight spaces ... two additional'."""
    table = Table(hands={"red": "LL", "blue": "EE"})
    table.fill()
    step = table.play("TREE", (1, -1), 0, LAY, draws={"blue": ("zebra", "?")})
    held = table.state.hands["blue"]
    assert held == ("elephant", "elephant", "zebra", "?")
    assert Standing("meeple", "blue", (1, -1), "baobab", pose="lying") in step.state.standing
    surround(table)
    assert table.state.supply["blue"] == 5
    table.play("END-0", (1, 0), draws={"blue": ("monkey", "giraffe")})
    assert table.state.supply["blue"] == 6
    assert table.state.hands["blue"] == ("elephant", "elephant", "zebra", "?", "monkey", "giraffe")
    assert table.points() == {"blue": 0}  # 'You do not score any points from the baobab tree.'


@pytest.mark.rule("safari-zman-2018", "The Baobab Tree")
def test_a_baobab_already_surrounded_may_be_laid_on_and_both_happen() -> None:
    """docs/rulings.md, 'Baobab'."""
    table = Table()
    table.fill()
    surround(table)
    table.play("END-0", (1, 0))
    player = table.state.player
    table.play("TREE", (1, -1), 0, LAY)
    assert table.state.hands[player] == ("?",) * 6
    assert table.state.supply[player] == 6


@pytest.mark.rule("safari-zman-2018", "The Baobab Tree")
@pytest.mark.rule("safari-wiki-2018, safari-wiki-2020", "Getting tokens")
def test_a_tile_drawn_by_laying_on_a_baobab_may_be_used_at_once() -> None:
    """docs/rulings.md, 'Baobab': two tiles are drawn now, whether usable at once is a field of Rules."""
    table = Table(hands={"red": "LL", "blue": "EE"})
    table.play("TRAIL-E", (1, 0), action=Meeple("t0"))
    table.fill()
    turn = table.turn(
        "GLADE-00",
        (2, 0),
        180,
        LAY,
        bonus=(Bonus("red", (2, 0), "t0", "zebra"),),
        draws={"red": ("zebra", "monkey")},
    )
    step = table.state.apply(turn)
    assert [(event.player, event.points) for event in step.events] == [("red", 6)]
    assert step.state.hands["red"] == ("lion", "lion", "monkey")
    state = cast(SafariState, table.state)
    strict = replace(state, rules=replace(state.rules, baobab_tiles_usable_at_once=False))
    assert [fault.code for fault in strict.faults(turn)] == ["animal_not_in_hand"]


@pytest.mark.rule("safari-zman-2018", "The Ranger")
def test_displacing_a_ranger_scores_three() -> None:
    """'You score three points for displacing the ranger. After scoring, place the ranger'."""
    table = Table()
    step = table.play("PLAIN", (-2, 0), displaced_to=(-3, 0))
    assert table.points() == {"red": 3}
    assert {piece.cell for piece in step.state.standing if piece.kind == "ranger"} == {(-1, 1), (-3, 0)}
    assert {piece.cell for piece in step.laid if piece.kind == "ranger"} == {(-1, 1)}


@pytest.mark.rule("safari-zman-2018", "The Ranger")
def test_displacing_a_ranger_goes_with_a_meeple() -> None:
    """'2b. Placing a meeple': 'You may place a meeple on the tile you placed'."""
    table = Table()
    table.play("TREE", (-2, 0), 0, LAY, displaced_to=(0, -1))
    assert table.points() == {"red": 3}
    assert table.state.supply["red"] == 5


@pytest.mark.rule("safari-zman-2018", "The Ranger")
def test_moving_a_ranger_scores_nothing_and_may_use_a_space_just_opened() -> None:
    """'You do not score points for moving the ranger'; docs/rulings.md, 'Rangers'."""
    table = Table()
    step = table.play("PLAIN", (0, -1), 0, MoveRanger((-2, 0), (0, -2)))
    assert step.events == ()
    assert {piece.cell for piece in step.state.standing} == {(0, -2), (-1, 1)}


def watering_hole(**hands: str) -> Table:
    """A table with plain tiles around the point (0, 0); red is on turn."""
    table = Table(hands=hands)
    table.lay(("PLAIN", (0, -1), 0), ("PLAIN", (-1, -1), 0))
    return table


@pytest.mark.rule("safari-zman-2018", "Dig a watering hole")
@pytest.mark.rule("safari-zman-2018", "Expanding a watering hole")
def test_a_watering_hole_from_its_first_tile_to_its_fourth() -> None:
    """'Watering Holes': dig 3; 'Second 4, Third 5, Fourth 6 points'; 'The owner ... scores three points'."""
    table = watering_hole(red="ZM", blue="GE")
    table.fill(Dig((0, 0), "nw", "zebra"))
    assert table.points() == {"red": 3}
    table.fill(Expand((-1, 0), "ne", "giraffe"))
    assert table.points() == {"blue": 4}
    table.fill(Expand((-1, -1), "se", "monkey"))
    assert table.points() == {"red": 5}
    step = table.fill(Expand((0, -1), "sw", "elephant"))
    assert table.points("expand") == {"blue": 6}
    assert table.points("watering_hole") == {"red": 3}
    assert Standing("meeple", "red", (0, 0), corner="nw") in step.laid
    assert table.state.supply["red"] == 6
    assert {piece.animal for piece in step.state.standing if piece.kind == "token"} == {
        "zebra", "giraffe", "monkey", "elephant",
    }  # fmt: skip


@pytest.mark.rule("safari-zman-2018", "Dig a watering hole")
@pytest.mark.rule("safari-zman-2018", "Scoring a watering hole")
def test_a_diagonal_dig_may_repeat_the_animal_and_both_owners_score() -> None:
    """'Exception: ... diagonally across'; 'If two meeples occupy ..., both players score three'."""
    table = watering_hole(red="GZ", blue="GE")
    table.fill(Dig((0, 0), "nw", "giraffe"))
    table.fill(Dig((-1, -1), "se", "giraffe"))
    assert table.points() == {"blue": 3}
    table.fill(Expand((-1, 0), "ne", "zebra"))
    assert table.points() == {"red": 5}  # the third token there, however the others came
    table.fill(Expand((0, -1), "sw", "elephant"))
    assert table.points("expand") == {"blue": 6}
    assert table.points("watering_hole") == {"red": 3, "blue": 3}


@pytest.mark.rule("safari-zman-2018", "Scoring a watering hole")
def test_two_meeples_of_one_player_at_a_watering_hole_score_once() -> None:
    """'If both meeples belong to the same player, that player still only scores three points.'"""
    table = watering_hole(red="GL", blue="ZE")
    table.fill(Dig((0, 0), "nw", "giraffe"))
    table.fill(Dig((-1, -1), "se", "lion"), by="red")
    table.fill(Expand((-1, 0), "ne", "zebra"))
    table.fill(Expand((0, -1), "sw", "elephant"), by="blue")
    assert table.points("watering_hole") == {"red": 3}
    assert table.state.supply["red"] == 6


def test_a_bare_board_is_worth_the_pieces_seen() -> None:
    """docs/formats.md, 'Output of photo': the final-scoring points of the pieces seen, by colour."""
    pack = lab_pack()
    board = {
        (0, 0): Laid(pack.designs["TRAIL-EZ"], 0),
        (1, 0): Laid(pack.designs["TRAIL-L"], 0),
        (0, 1): Laid(pack.designs["TREE"], 0),
    }
    standing = [
        Standing("meeple", "red", (0, 0), "t0"),
        Standing("meeple", "red", (1, 0), "t0"),
        Standing("meeple", "blue", (1, 0), "t0"),
        Standing("meeple", "green", (0, 1), "baobab", pose="lying"),
        Standing("meeple", "black", (9, 9)),
        Standing("ranger", "white", (2, 0)),
    ]
    safari = tile_game_named("safari")
    assert safari.points_if_ended(pack, board, standing) == {"red": 3, "blue": 3, "green": 0}
    assert safari.points_if_ended(pack, board, standing, "hig") == {"red": 3, "blue": 0, "green": 0}
