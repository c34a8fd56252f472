"""Points of Carcassonne, ruling by ruling."""

from __future__ import annotations

import pytest

from tests.engine.carcassonne.lab import Town


@pytest.mark.rule("rulings-carcassonne", "Presets (Carcassonne)")
def test_a_small_city_is_worth_what_the_edition_says() -> None:
    """docs/rulings.md, 'Presets (Carcassonne)': finished city of two tiles."""
    for rules, points in (("third", 4), ("second", 2), ("first", 2)):
        table = Town(rules=rules)
        table.put("red", "BC-E", (0, -1), 180, "c0")
        assert table.points("city") == {"red": points} and table.meeples_home("red")


@pytest.mark.rule("rulings-carcassonne", "City, road, monastery")
def test_a_finished_city_scores_two_a_tile_and_two_a_pennant() -> None:
    """docs/rulings.md, 'City, road, monastery'."""
    table = Town()
    table.put("red", "BC-F", (0, -1), 90, "c0")
    assert table.points() == {}
    table.put("blue", "BC-E", (0, -2), 180)
    assert table.points("city") == {"red": 2 * 3 + 2}


@pytest.mark.rule("rulings-carcassonne", "End (Carcassonne)")
def test_an_unfinished_city_scores_one_each_at_the_end_and_small_ones_too() -> None:
    """docs/rulings.md, 'End (Carcassonne)'."""
    table = Town(rules="first")
    table.put("red", "BC-F", (0, -1), 90, "c0")
    assert table.ended() == {"red": 2 + 1}


@pytest.mark.rule("rulings-carcassonne", "City, road, monastery")
def test_an_enclosed_empty_cell_leaves_a_city_open() -> None:
    """docs/rulings.md, 'City, road, monastery': 'an enclosed empty cell with city edges is open'."""
    table = Town()
    table.put("red", "BC-Q", (0, -1), 180, "c0")
    table.put("blue", "BC-E", (-1, -1), 90)
    assert table.points() == {}
    table.put("red", "BC-E", (1, -1), 270)
    assert table.points("city") == {"red": 2 * 4 + 2}


def test_a_road_scores_its_tiles_when_both_ends_are_closed() -> None:
    """docs/rulings.md, 'City, road, monastery'."""
    table = Town()
    table.put("red", "BC-W", (1, 0), 0, "r2")
    assert table.points() == {}
    table.put("blue", "BC-W", (-1, 0), 0)
    assert table.points("road") == {"red": 3}


@pytest.mark.rule("rulings-carcassonne", "City, road, monastery")
def test_a_road_that_ends_twice_on_one_tile_counts_it_once() -> None:
    """docs/rulings.md, 'City, road, monastery': 'BC-X twice on one road'."""
    table = Town()
    table.put("red", "BC-X", (1, 0), 0, "r1")
    for tile, cell, rot in (("BC-V", (2, 0), 0), ("BC-V", (2, 1), 90), ("BC-V", (1, 1), 180)):
        table.put("blue", tile, cell, rot)
    assert table.points("road") == {"red": 4}


def test_an_unfinished_road_scores_its_tiles_at_the_end() -> None:
    """docs/rulings.md, 'End (Carcassonne)'."""
    table = Town()
    table.put("red", "BC-U", (1, 0), 0, "r0")
    assert table.ended() == {"red": 2}


@pytest.mark.rule("rulings-carcassonne", "City, road, monastery")
def test_a_monastery_scores_nine_when_surrounded_and_its_tiles_at_the_end() -> None:
    """docs/rulings.md, 'City, road, monastery': 'finished when all eight cells around it are laid'."""
    table = Town()
    table.put("red", "BC-B", (0, 1), 0, "m0")
    assert table.ended() == {"red": 2}
    around = [("BC-E", (1, 1), 90), ("BC-E", (-1, 1), 270), ("BC-B", (0, 2), 0), ("BC-B", (1, 2), 0)]
    around += [("BC-B", (-1, 2), 0), ("BC-U", (1, 0), 0)]
    for tile, cell, rot in around:
        table.put("blue", tile, cell, rot)
        assert table.points() == {}
    table.put("blue", "BC-U", (-1, 0), 0, "f1")
    assert table.points("monastery") == {"red": 9} and table.meeples_home("red")


def joined_roads(*players: str) -> Town:
    """Two roads from crossings, a meeple of red and one of blue on them, a tile short of being one."""
    table = Town(*players)
    table.put("red", "BC-W", (1, 0), 0, "r2")
    table.put("blue", "BC-B", (0, 1))
    table.put("blue", "BC-B", (-1, 1))
    table.put("blue", "BC-B", (-2, 1))
    table.put("blue", "BC-W", (-2, 0), 180, "r2")
    return table


@pytest.mark.rule("rulings-carcassonne", "Majority (Carcassonne)")
def test_ties_all_score_in_full_and_all_go_home() -> None:
    """docs/rulings.md, 'Majority (Carcassonne)'."""
    table = joined_roads("red", "blue", "green")
    table.put("green", "BC-U", (-1, 0), 0)
    assert table.points("road") == {"red": 4, "blue": 4}
    assert table.meeples_home("red") and table.meeples_home("blue")


def test_events_of_a_feature_begin_with_the_player_on_turn() -> None:
    """Events of one feature go round the table from the player on turn."""
    table = joined_roads("red", "blue", "green")
    table.put("blue", "BC-U", (-1, 0), 0)
    assert [event.player for event in table.last.events] == ["blue", "red"]


@pytest.mark.rule("rulings-carcassonne", "Presets (Carcassonne)")
@pytest.mark.parametrize(("rules", "points"), [("third", 6), ("second", 3), ("first", 4)])
def test_a_city_counts_by_field_by_player_or_by_itself(rules: str, points: int) -> None:
    """docs/rulings.md, 'Presets (Carcassonne)': two fields of one player at one city."""
    table = Town(rules=rules)
    table.put("red", "BC-S", (0, -1), 180, "f0")
    table.put("red", "BC-U", (0, -2), 90, "f0")
    table.put("blue", "BC-E", (-1, -1), 90)
    assert table.ended("field") == {}
    table.put("blue", "BC-E", (1, -1), 270)
    assert table.ended("field") == {"red": points}


@pytest.mark.rule("rulings-carcassonne", "Fields")
def test_a_field_goes_on_half_by_half_and_roads_part_it() -> None:
    """docs/rulings.md, 'Fields': on BC-D only the strip between city and road adjoins the city."""
    table = Town()
    table.put("blue", "BC-E", (0, -1), 180)
    table.put("red", "BC-U", (1, 0), 0, "f0")
    table.put("blue", "BC-U", (-1, 0), 0, "f1")
    assert table.ended("field") == {"red": 3}


@pytest.mark.rule("rulings-carcassonne", "Fields")
def test_a_city_counts_once_a_field_and_not_while_it_is_open() -> None:
    """docs/rulings.md, 'Fields': 'a city counts once a field, however often they touch'."""
    table = Town()
    table.put("red", "BC-F", (0, -1), 90, "f1")
    assert table.ended("field") == {}
    table.put("blue", "BC-E", (0, -2), 180)
    assert table.ended("field") == {"red": 3}


@pytest.mark.rule("rulings-carcassonne", "End (Carcassonne)")
def test_farmers_stay_when_their_field_is_closed() -> None:
    """docs/rulings.md, 'End (Carcassonne)': 'Farmers never return before.'"""
    table = Town()
    table.put("red", "BC-V", (1, 0), 0, "f1")
    for tile, cell, rot in (("BC-V", (1, 1), 90), ("BC-U", (0, 1), 0), ("BC-V", (-1, 1), 180)):
        table.put("blue", tile, cell, rot)
    assert not any(region.meeples for region in table.state.closed)
    table.put("blue", "BC-V", (-1, 0), 270)
    assert [region.counts for region in table.state.closed] == [{"red": 1}]
    assert not table.meeples_home("red")


@pytest.mark.rule("rulings-carcassonne", "Fields")
def test_four_farms_meet_at_a_crossing() -> None:
    """docs/rulings.md, 'Fields': 'Four farms meet at BC-X and three at BC-W and BC-L'."""
    table = Town()
    table.put("red", "BC-X", (1, 0), 0)
    table.put("red", "BC-L", (-1, 0), 0)
    kinds = [r.kind for r in table.state.landscape.regions if any(cell == (1, 0) for cell, _ in r.places)]
    assert kinds.count("field") == 4
    kinds = [r.kind for r in table.state.landscape.regions if any(cell == (-1, 0) for cell, _ in r.places)]
    assert kinds.count("field") == 3


@pytest.mark.rule("rulings-carcassonne", "The River")
def test_the_river_parts_fields_and_the_field_goes_round_its_source() -> None:
    """docs/rulings.md, 'The River'."""
    table = Town(river="c1")
    table.put("red", "BR-D", (0, 1), 0, "f0")
    fields = [r for r in table.state.landscape.regions if r.kind == "field"]
    assert len(fields) == 1 and fields[0].counts == {"red": 1}
    parted = Town(river="c1")
    parted.put("red", "BR-C", (0, 1), 90)
    assert len([r for r in parted.state.landscape.regions if r.kind == "field"]) == 1


def test_nothing_scores_for_the_river() -> None:
    """docs/rulings.md, 'The River'."""
    table = Town(river="c3")
    table.put("red", "BR-D", (0, 1), 0)
    assert {spot.kind for spot in table.state.spots()} == {"road", "field"}
    assert table.state.final().scores == {"red": 0, "blue": 0}


def test_fields_alone_are_a_surprise_until_the_end() -> None:
    town = Town()
    town.put("red", "BC-B", (0, 1))
    assert {spot.kind for spot in town.state.spots() if spot.at_end} == {"field"}
    assert {spot.kind for spot in town.state.spots() if not spot.at_end} == {"city", "road"}


def test_a_field_says_the_finished_cities_that_pay_for_it() -> None:
    """docs/rulings.md, 'Fields': an open city pays nothing."""
    town = Town()
    town.put("red", "BC-E", (0, -1), 180, "f0")
    [farm] = [spot for spot in town.state.spots() if spot.meeples]
    assert sorted(cell for cell, _ in farm.of.paid_by) == [(0, -1), (0, 0)]
    for cell, name in farm.of.paid_by:
        assert town.state.board[cell].design.tile.feature(name).kind == "city"  # type: ignore[union-attr]
    assert farm.if_ended == {"red": 3}
    town.put("blue", "BC-E", (0, 1), 90)
    assert all(spot.of.paid_by in ((), farm.of.paid_by) for spot in town.state.spots())
