"""The search over tuned numbers: what it finds, keeps and writes; and the scenes that judge."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.train.fit_params import Scores, fit, fittable, moved, overridden, rewritten, sensitivities
from models.train.param_scenes import Judged, boards, sheets, square_boards
from vision.params import Param, param


@dataclass(frozen=True)
class ToyParams:
    reach_sides: float = param(0.2, unit="tile sides", raising="looks farther")
    least_share: float = param(0.9, unit="probability", raising="believes less")
    most_looks: int = param(8, unit="looks", raising="takes longer")
    idle: float = param(1.0, unit="1", raising="does nothing")
    name: str = param("toy", unit="name", raising="is none")


@dataclass
class ToyScene:
    """A scene that is read best at a reach of 0.4, from 4 looks on."""

    params: ToyParams
    shift: float = 0.0
    reads: list[float] = field(default_factory=list)

    def judged(self, folder: str) -> Judged:
        self.reads.append(self.params.reach_sides)
        off = np.log(self.params.reach_sides / 0.4) + self.shift
        return Judged(float(off**2), frozenset({round(float(off)), self.params.most_looks < 4}))


def test_the_search_finds_the_value_that_costs_least_and_leaves_the_others() -> None:
    toys = ToyParams()
    scenes = [ToyScene(toys, shift) for shift in (-0.1, 0.0, 0.1)]
    values = fit(Scores(toys, "toys", scenes))
    assert values.keys() == {"reach_sides"}
    assert values["reach_sides"] == pytest.approx(0.4, rel=0.13)
    assert toys == ToyParams()
    assert fit(Scores(toys, "toys", scenes), ["idle"]) == {}


def test_other_values_last_as_long_as_the_trial_even_where_it_fails() -> None:
    toys = ToyParams()
    with pytest.raises(KeyError), overridden(toys, most_looks=2, reach_sides=0.5):
        assert (toys.reach_sides, toys.most_looks) == (0.5, 2)
        raise KeyError
    assert (toys.reach_sides, toys.most_looks) == (0.2, 8)


def test_a_trial_of_a_name_that_is_no_number() -> None:
    toys = ToyParams()
    with pytest.raises(TypeError, match="ToyParams has no far"), overridden(toys, far=1.0, most_looks=2):
        pass
    assert toys.most_looks == 8


def test_a_search_goes_on_where_it_was(tmp_path: Path) -> None:
    toys, memo = ToyParams(), tmp_path / "memo.json"
    first = fit(Scores(toys, "toys", [ToyScene(toys)], memo))
    again = ToyScene(toys)
    assert fit(Scores(toys, "toys", [again], memo)) == first
    assert again.reads == []


def test_how_much_each_number_matters() -> None:
    toys = ToyParams()
    found = {(one.name, one.value): one for one in sensitivities(toys, "toys", [ToyScene(toys)])}
    assert found["reach_sides", 0.4].nats < -0.4 < 1.0 < found["reach_sides", 0.1].nats
    assert (found["idle", 2.0].nats, found["idle", 2.0].changed) == (0.0, 0)
    assert found["most_looks", 16].changed == 0


@pytest.mark.parametrize(
    ("unit", "value", "factor", "wanted"),
    [("nats", 3.0, 2.0, 6.0), ("probability", 0.9, 2.0, 0.9474), ("looks", 1, 0.5, 1), ("looks", 4, 1.1, 5)],
)
def test_a_number_keeps_its_kind(unit: str, value: float, factor: float, wanted: float) -> None:
    changed = moved(Param("toys", "x", value, unit, "", ""), factor)
    assert changed == wanted and type(changed) is type(value)


def test_names_and_pairs_are_not_searched() -> None:
    assert [one.name for one in fittable(ToyParams())] == ["reach_sides", "least_share", "most_looks", "idle"]


def test_values_are_written_into_the_source() -> None:
    source = (
        "class ToyParams:\n"
        '    reach: float = param(0.2, unit="tile sides", raising="é looks farther")\n'
        '    other: float = param(\n        3.0,\n        unit="nats",\n        raising="costs",\n'
        '        fitted="x",\n    )\n'
    )
    text = rewritten(source, {"reach": 0.4, "other": 2.5}, "12 own scenes")
    space: dict[str, Any] = {"param": lambda value, **said: (value, said["fitted"])}
    exec(text, space)
    toy = space["ToyParams"]
    assert toy.reach == (0.4, "12 own scenes")
    assert toy.other == (2.5, "12 own scenes")


@pytest.mark.long
def test_scenes_are_the_same_every_time_and_are_read_well() -> None:
    (scene,), (again,) = square_boards(1, 12), square_boards(1, 12)
    first = scene.judged("vision/squares")
    assert first.nats < 1.5
    assert again.judged("vision/squares") == first


@pytest.mark.long
def test_a_board_is_judged_from_a_stage_on() -> None:
    (board,) = boards(1, 14)
    tiles = board.judged("vision/tiles")
    assert tiles.nats < 1.0 and len(tiles.told) >= 8
    assert board.judged("vision/tokens").nats < 2.0


@pytest.mark.long
def test_a_sheet_of_loose_tiles_is_judged() -> None:
    (sheet,) = sheets(1, 13)
    assert sheet.judged("vision/loose").nats < 1.5
