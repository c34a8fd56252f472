"""`tilesight bench params`: its list, and complete texts of every parameter."""

from __future__ import annotations

import json

import pytest

from tests.tilesight.test_command_line import run
from tilesight.bench.params import every_param
from vision.params import Param

RIDDLES = ("So many", "So far", "So much", "What is", "Who ", "How ")


@pytest.mark.parametrize("one", every_param(), ids=lambda one: f"{one.folder}.{one.name}")
def test_every_number_has_a_unit_and_says_what_raising_it_does(one: Param) -> None:
    assert one.unit and one.raising and one.fitted
    assert not one.raising.startswith(RIDDLES)
    assert not one.raising.endswith(".")


def test_a_name_stands_once_in_a_folder_and_says_the_folder_it_is_in() -> None:
    places = [(one.folder, one.name) for one in every_param()]
    assert len(places) == len(set(places))
    assert ("vision/tiles", "mismatch_nats") in places


def test_the_list_as_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(monkeypatch, capsys, "bench", "params", "--json")
    assert (code, err) == (0, "")
    listed = json.loads(out)["params"]
    assert [(one["folder"], one["name"]) for one in listed] == [
        (one.folder, one.name) for one in every_param()
    ]
    assert set(listed[0]) == {"folder", "name", "value", "unit", "raising", "fitted"}


def test_the_table_of_one_folder(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    code, out, _ = run(monkeypatch, capsys, "bench", "params", "vision/tiles")
    assert code == 0
    assert "mismatch_nats" in out and "nats" in out
    folders = {line.split()[1] for line in out.splitlines()[1:] if "vision/" in line}
    assert folders == {"vision/tiles"}


def test_a_folder_without_numbers_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(monkeypatch, capsys, "bench", "params", "vision/tile")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1 and "vision/tile" in err
