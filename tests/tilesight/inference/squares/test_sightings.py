"""Sightings of figures in the pictures of a board of squares: steady places, sights overruled, hands."""

from __future__ import annotations

from engine.geometry import Edge
from engine.squares_game import Figure
from tilesight.inference.squares.params import PARAMS
from tilesight.inference.squares.sightings import Hand, Sights
from vision.observation import PieceReading
from vision.squares.reading import SeenFigure


def _read(square: str, facing: Edge | None = "n", confidence: float = 0.9) -> list[SeenFigure]:
    reading = PieceReading("token", None, "standing", (0.0, 0.0), (0.0, 0.0), confidence)
    return [SeenFigure(Figure("animal", "lion", square, facing), reading)]


def test_a_place_is_steady_in_one_picture_at_rest_or_two_in_motion() -> None:
    sights = Sights()
    sights.note(_read("a1"), (0, 0.0), calm=False)
    assert sights.unsteady("animal")
    assert sights.steady("animal", {}) == ({}, set())
    sights.note(_read("a1"), (1, 0.4), calm=False)
    assert sights.steady("animal", {}) == ({"lion": ("a1", "n")}, set())
    assert sights["animal", "lion"].since == (0, 0.0)
    sights.note(_read("b1"), (2, 0.8), calm=True)
    assert sights.steady("animal", {}) == ({"lion": ("b1", "n")}, set())


def test_a_figure_absent_from_the_last_picture_is_not_seen_now() -> None:
    sights = Sights()
    sights.note(_read("a1"), (0, 0.0), calm=True)
    sights.note([], (1, 0.4), calm=True)
    assert sights.steady("animal", {}) == ({}, set())
    assert sights.get("animal", "lion") is not None
    assert sights.get("animal", "zebra") is None


def test_an_overruled_sight_counts_again_once_it_changes() -> None:
    sights, known = Sights(), {"lion": ("c3", None)}
    sights.note(_read("a1"), (0, 0.0), calm=True)
    sights.overrule("animal", "lion", ("a1", "n"))
    assert sights.steady("animal", known) == (known, set())
    sights.note(_read("b1"), (1, 0.4), calm=True)
    assert sights.steady("animal", known) == ({"lion": ("b1", "n")}, {"lion"})
    sights.note(_read("a1"), (2, 0.8), calm=True)
    assert sights.steady("animal", known) == ({"lion": ("a1", "n")}, set())


def test_a_hand_is_what_hides_the_board_for_some_seconds() -> None:
    hand = Hand()
    assert not hand.over(0.05, 0.0)
    assert hand.over(0.10, 1.0)
    assert hand.over(0.10, 0.9 + PARAMS.hand_at_most_s)
    assert not hand.over(0.06, 9.0)  # gone again
    assert hand.over(0.10, 10.0)
    assert not hand.over(0.10, 10.0 + PARAMS.hand_at_most_s)  # no hand: it stays
    assert not hand.over(0.11, 20.0)
