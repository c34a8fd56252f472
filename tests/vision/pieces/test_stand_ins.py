"""Stand-ins: a player's pieces are alike, so they tell each other's kind."""

from __future__ import annotations

import numpy as np
import pytest

from vision.pieces.stand_ins import other_shares

RED, BLUE = np.eye(7, dtype=np.float32)[:2]


def shares(nats: list[float], colors: list[np.ndarray], weight: float = 1.0) -> np.ndarray:
    """Shares of pieces that are there with probability ``weight``."""
    return other_shares(np.array(nats), np.array(colors), np.full(len(nats), weight))


def test_a_single_piece_is_seldom_of_no_known_kind() -> None:
    (alone,) = shares([2.0], [RED])
    assert alone == pytest.approx(1 / (1 + np.exp(3.33 - 2.0)), abs=0.03)
    assert shares([0.0], [RED])[0] < 0.05


def test_the_pieces_of_one_player_are_alike() -> None:
    told = shares([2.0] * 5 + [-0.5] + [-4.0] * 5 + [2.0], [RED] * 6 + [BLUE] * 6)
    assert (told[:5] > 0.95).all()
    assert told[5] > 0.8, "all others of its colour are discs"
    assert told[-1] < 0.1, "all others of its colour are meeples"
    assert told[:5].min() > shares([2.0], [RED])[0]


def test_what_is_hardly_a_piece_tells_nothing_about_others() -> None:
    sure, unsure = (shares([4.0, 4.0, 0.0], [RED] * 3, weight)[-1] for weight in (1.0, 0.0))
    assert sure > 0.6
    assert unsure == pytest.approx(shares([0.0], [RED])[0])


def test_a_colour_that_the_game_lacks_has_the_least_share() -> None:
    (told,) = shares([0.0], [np.zeros(7, np.float32)])
    assert told == pytest.approx(0.005)
