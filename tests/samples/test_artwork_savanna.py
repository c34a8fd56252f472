"""Geometry of the house deck: drawings join their neighbours, and nothing hides anything."""

import json
from pathlib import Path

import pytest

from samples.artwork.geometry import (
    BUSH_FROM,
    BUSH_TO,
    EDGE_CENTRE,
    TRAIL_HALF,
    distance,
    distance_to_line,
    edge_point,
    inside,
    margin,
    smooth,
    walk,
)
from samples.artwork.savanna.designs import ANIMALS, all_designs, pack
from samples.artwork.savanna.layout import Layout
from samples.artwork.savanna.tiles import LAYOUTS, START
from tests.samples.faces import touched_edges

ALL = [pytest.param(layout, id=layout.id) for layout in (*LAYOUTS, *START)]
PACK_JSON = Path(__file__).parents[2] / "engine" / "packs" / "savanna" / "pack.json"
#: A meeple's foot reaches about this far from its spot, in tile sides.
FOOT = 0.06


@pytest.mark.parametrize("layout", ALL)
def test_a_trail_meets_its_edges_at_their_centres_and_touches_no_other(layout: Layout) -> None:
    for trail in layout.trails:
        assert trail.path[0] == EDGE_CENTRE[trail.edges[0]]
        if len(trail.edges) == 2:
            assert trail.path[-1] == EDGE_CENTRE[trail.edges[1]]
            assert trail.ends is None
        else:
            assert trail.ends
        assert touched_edges(trail.path) == set(trail.edges)


@pytest.mark.parametrize("layout", ALL)
def test_a_trail_that_ends_in_a_bush_reaches_under_its_leaves(layout: Layout) -> None:
    for trail in layout.trails:
        if trail.ends and trail.ends != "savanna":
            assert margin(trail.path[-1], layout.bushes[int(trail.ends[1:])].region) > 0.03
        else:
            assert not any(inside(point, bush.region) for bush in layout.bushes for point in trail.path)


@pytest.mark.parametrize("layout", ALL)
def test_a_bush_fills_the_same_part_of_each_of_its_edges_and_touches_no_other(layout: Layout) -> None:
    for bush in layout.bushes:
        assert touched_edges(bush.region) == set(bush.edges)
        for edge in bush.edges:
            on_edge = [point for point in bush.region if edge in touched_edges([point])]
            assert set(on_edge) == {edge_point(edge, BUSH_FROM), edge_point(edge, BUSH_TO)}
    middle = (BUSH_FROM + BUSH_TO) / 2
    assert middle == pytest.approx(0.5)


@pytest.mark.parametrize("layout", ALL)
def test_two_bushes_of_a_tile_keep_apart(layout: Layout) -> None:
    for bush in layout.bushes:
        for other in layout.bushes:
            if bush is not other:
                assert min(distance_to_line(point, other.region) for point in bush.region) > 0.07


@pytest.mark.parametrize("layout", ALL)
def test_a_spot_lies_on_its_own_feature(layout: Layout) -> None:
    for trail in layout.trails:
        assert distance_to_line(trail.spot, trail.path) < TRAIL_HALF / 2
        assert not any(inside(trail.spot, bush.region) for bush in layout.bushes)
    for bush in layout.bushes:
        assert margin(bush.spot, bush.region) > FOOT
        assert all(margin(bird, bush.region) > FOOT for bird in bush.birds)


@pytest.mark.parametrize("layout", ALL)
def test_an_animal_stands_clear_of_spots_birds_other_animals_and_the_tree(layout: Layout) -> None:
    radius = layout.animal_radius
    places = list(layout.animal_places.values())
    spots = [*(trail.spot for trail in layout.trails), *(bush.spot for bush in layout.bushes)]
    if layout.baobab:
        spots.append(layout.baobab.spot)
    for number, place in enumerate(places):
        assert min(*place, 1 - place[0], 1 - place[1]) >= radius
        assert all(distance(place, spot) > radius + FOOT for spot in spots)
        assert all(distance(place, bird) > radius + 0.05 for bird in layout.birds)
        assert all(distance(place, other) > 2 * radius for other in places[number + 1 :])


@pytest.mark.parametrize("layout", ALL)
def test_an_animal_stands_on_its_own_feature(layout: Layout) -> None:
    for trail in layout.trails:
        assert distance_to_line(trail.animal, trail.path) < layout.animal_radius
        assert not any(inside(trail.animal, bush.region) for bush in layout.bushes)
    for bush in layout.bushes:
        if bush.animal:
            assert margin(bush.animal, bush.region) > 0.8 * layout.animal_radius


def test_the_written_pack_is_the_drawn_one() -> None:
    assert json.loads(PACK_JSON.read_text(encoding="utf-8")) == json.loads(json.dumps(pack()))


def test_designs_name_animals_in_the_order_of_the_features() -> None:
    by_id = {design.id: design for design in all_designs()}
    assert by_id["CS19-EGG"].animals == {"t0": "elephant", "t1": "giraffe", "b0": "giraffe"}
    assert by_id["CS21-0"].animals == {}
    assert set(ANIMALS.values()) == {
        animal for design in by_id.values() for animal in design.animals.values()
    }


def test_a_smooth_line_goes_through_its_points_and_stays_in_the_tile() -> None:
    points = [(0.0, 0.5), (0.02, 0.02), (0.9, 0.98), (1.0, 0.5)]
    line = smooth(points)
    assert set(points) <= set(line)
    assert all(0 <= axis <= 1 for point in line for axis in point)


def test_walking_a_line_keeps_the_spacing() -> None:
    steps = walk([(0.0, 0.0), (0.5, 0.0), (0.5, 0.5)], 0.2)
    assert [tuple(round(axis, 3) for axis in point) for point, _ in steps] == [
        (0.1, 0.0),
        (0.3, 0.0),
        (0.5, 0.0),
        (0.5, 0.2),
        (0.5, 0.4),
    ]


@pytest.mark.long
def test_a_face_is_the_same_picture_every_time_and_joins_its_neighbours() -> None:
    pytest.importorskip("resvg_py", reason="drawing needs resvg-py (extra 'art')")
    import numpy as np

    from samples.artwork.savanna.faces import face

    faces = {design.id: design for design in all_designs()}
    first = face(faces["CS3-E"])
    assert np.array_equal(first, face(faces["CS3-E"]))
    other = face(faces["CS5-L"])
    side = first.shape[0]
    half = round(TRAIL_HALF * side)
    inner = slice(side // 2 - half + 12, side // 2 + half - 12)
    # The trail's cut through the edge has one place, width and colour on every tile.
    assert np.abs(first[inner, :3].mean((0, 1)) - other[inner, -3:].mean((0, 1))).max() < 0.06
    assert np.abs(first[: side // 3, :3].mean((0, 1)) - other[: side // 3, -3:].mean((0, 1))).max() < 0.06
    assert np.abs(first[inner, :3].mean((0, 1)) - first[: side // 3, :3].mean((0, 1))).max() > 0.08
