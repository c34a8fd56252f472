"""Tuned parameters: declared, listed, and changed for a measurement."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass

import pytest

import vision
from vision.params import NOT_FITTED, Param, all_params, param, params_of


@dataclass(frozen=True)
class ToyParams:
    reach_sides: float = param(0.2, unit="tile sides", raising="looks farther")
    most_looks: int = param(8, unit="looks", raising="takes longer", fitted="on toys")


def test_a_number_is_its_value_and_knows_what_it_is() -> None:
    toys = ToyParams()
    assert (toys.reach_sides, toys.most_looks) == (0.2, 8)
    assert params_of(toys)[1] == Param("tests/vision", "most_looks", 8, "looks", "takes longer", "on toys")
    assert params_of(toys)[0].fitted == NOT_FITTED
    assert [one.name for one in params_of((toys,))] == ["toy.reach_sides", "toy.most_looks"]


def test_a_parameter_cannot_be_assigned() -> None:
    with pytest.raises(FrozenInstanceError):
        ToyParams().most_looks = 9  # type: ignore[misc]


def test_every_folder_is_found_by_its_module() -> None:
    found = all_params(vision)
    assert list(found) == sorted(found)
    assert "vision.tiles.params" in found and "vision.params" not in found
