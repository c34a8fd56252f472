"""Packs: reading valid ones, and the errors of invalid ones."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from engine.jsonvalue import FieldError
from engine.pack import KINDS, PackError, load_pack, pack_ids, read_pack
from engine.same_pack import structural_difference
from tests.engine.lab import lab_pack

SMALL: dict[str, Any] = {
    "tilesight": 1,
    "id": "small",
    "game": None,
    "title": "Small",
    "tile_mm": 45,
    "tiles": [
        {
            "id": "A",
            "edges": {"n": "road", "e": "field", "s": "field", "w": "field"},
            "features": [{"id": "r", "kind": "road", "edges": ["n"], "spot": [0.5, 0.2]}],
            "designs": [{"id": "A1", "count": 2}],
        }
    ],
}


def test_the_house_deck_loads_by_its_id() -> None:
    pack = load_pack("savanna")
    assert sum(pack.bag.values()) == 72
    assert [cell for cell, _ in pack.start_designs] == [(-1, 0), (0, 0), (1, 0)]
    assert "savanna" in pack_ids()


def test_a_pack_without_rules_is_read_whole() -> None:
    pack = read_pack(SMALL, Path("x"))
    assert pack.game is None
    assert pack.designs["A1"].tile.sides["n"] == ("r",)
    assert pack.art_path("A1") is None


def test_a_river_edge_lists_its_features_clockwise() -> None:
    value = copy.deepcopy(SMALL)
    value["tiles"][0]["edges"]["n"] = {"kind": "river", "clockwise": ["r", "r", "r"]}
    assert read_pack(value, Path("x")).tiles[0].sides["n"] == ("r", "r", "r")


def test_a_start_tile_may_look_like_tiles_that_are_drawn() -> None:
    value = {**SMALL, "start": [{"design": "A1", "cell": [0, 0]}]}
    pack = read_pack(value, None)
    assert [(cell, design.id) for cell, design in pack.start_designs] == [((0, 0), "A1")]
    assert (pack.designs["A1"].count, dict(pack.bag), pack.start) == (2, {"A1": 1}, ())
    assert structural_difference(pack, read_pack(SMALL, None)) == "the start tile"


def test_a_tile_with_an_extra_property_differs_from_the_one_without() -> None:
    value = copy.deepcopy(SMALL)
    value["tiles"][0]["river"] = "source"
    pack = read_pack(value, None)
    assert dict(pack.tiles[0].extra) == {"river": "source"}
    assert structural_difference(pack, read_pack(SMALL, None)) == "tile A1"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda v: v.pop("id"), "id"),
        (lambda v: v.update(start=[{"design": "B", "cell": [0, 0]}]), "start[0].design"),
        (lambda v: v.update(start=[{"design": "A1"}]), "start[0].cell"),
        (lambda v: v.update(tilesight=2), "tilesight"),
        (lambda v: v.update(tile_mm=0), "tile_mm"),
        (lambda v: v["tiles"][0].pop("edges"), "edges"),
        (lambda v: v["tiles"][0]["edges"].update(n=3), "edges.n"),
        (lambda v: v["tiles"][0]["features"][0].update(spot=[0.5]), "spot"),
        (lambda v: v["tiles"][0]["features"][0].update(edges=["x"]), "edges"),
        (lambda v: v["tiles"][0]["designs"].append({"id": "A1", "count": 1}), "A1 is there twice"),
        (lambda v: v["tiles"][0]["designs"][0].update(animals={"q": []}), "animals.q"),
        (lambda v: v.update(backs=["back"]), "backs"),
        (lambda v: v.update(backs={"spare": "back"}), "backs.spare"),
        (lambda v: v.update(backs={"regular": 3}), "backs.regular"),
        (lambda v: v.update(backs={"tokens": "../back"}), "backs.tokens"),
        (lambda v: v.update(start=[copy.deepcopy(v["tiles"][0])]), "cell"),
    ],
)
def test_a_broken_pack_is_refused_with_the_field(change: Any, named: str) -> None:
    value = copy.deepcopy(SMALL)
    change(value)
    with pytest.raises(FieldError) as error:
        read_pack(value, Path("x"))
    assert named in str(error.value)


@pytest.mark.parametrize("kind", KINDS)
def test_backs_are_named_for_decks_the_start_tile_and_animal_tiles(kind: str, tmp_path: Path) -> None:
    value = copy.deepcopy(SMALL) | {"backs": {"regular": "back", "start": "back", "tokens": "lost"}}
    (tmp_path / "backs").mkdir()
    (tmp_path / "backs" / f"back{kind}").write_bytes(b"")
    pack = read_pack(value, tmp_path)
    assert pack.back_path("regular") == pack.back_path("start") == tmp_path / "backs" / f"back{kind}"
    assert read_pack(SMALL, tmp_path).back_path("regular") is None
    with pytest.raises(PackError, match=r"pack\.json: backs\.tokens: there is no picture backs/lost\.png, "):
        pack.back_path("tokens")


def test_an_invalid_pack_path_or_file_gives_a_one_line_error(tmp_path: Path) -> None:
    for text in ("nothing-like-this", str(tmp_path / "missing"), "", "../..", "a\0b"):
        with pytest.raises(PackError) as error:
            load_pack(text)
        assert "\n" not in str(error.value)
    (tmp_path / "pack.json").write_text("[1, 2", "utf-8")
    with pytest.raises(PackError, match="not JSON"):
        load_pack(tmp_path)
    (tmp_path / "pack.json").write_text(json.dumps(SMALL), "utf-8")
    assert load_pack(str(tmp_path)).id == "small"


def test_designs_are_themselves_and_nothing_else() -> None:
    pack, again = lab_pack(), lab_pack()
    assert pack.designs["PLAIN"] == pack.designs["PLAIN"] != again.designs["PLAIN"]


def test_a_board_of_quarters_has_its_parts_as_faces() -> None:
    pack = read_pack(
        {"id": "p", "quarters": [{"id": "Q1", "squares": ["F.", ".L"]}], "animals": ["lion"]}, Path("p")
    )
    assert pack.quarters == {"Q1": ("F.", ".L")}
    assert set(pack.designs) == {"Q1"}
    assert pack.animals == ("lion",)


@pytest.mark.parametrize(
    "quarters",
    [[{"id": "Q1", "squares": ["F.", "."]}], [{"id": "Q1", "squares": []}], [{"squares": ["."]}]],
)
def test_a_quarter_that_is_no_square_of_squares_is_refused(quarters: object) -> None:
    with pytest.raises(FieldError, match="quarters"):
        read_pack({"id": "p", "quarters": quarters}, Path("p"))


def changed(at: list[Any], value: object) -> dict[str, Any]:
    """The small pack with one thing said otherwise."""
    copied = copy.deepcopy(SMALL)
    inner: Any = copied
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = value
    return copied


@pytest.mark.parametrize(
    ("at", "value", "differs"),
    [
        (["title"], "Another title", None),
        (["tiles", 0, "features", 0, "spot"], [0.3, 0.3], None),
        (["tiles", 0, "features", 0, "hut_spot"], [0.3, 0.3], None),
        (["game"], "safari", "the game"),
        (["tiles", 0, "edges", "n"], "river", "tile A1"),
        (["tiles", 0, "features", 0, "edges"], ["n", "s"], "tile A1"),
        (["tiles", 0, "features", 0, "fish"], 2, "tile A1"),
        (["tiles", 0, "designs", 0, "count"], 3, "tile A1"),
        (["tiles", 0, "designs", 0, "animals"], {"r": ["lion"]}, "tile A1"),
        (["tiles", 0, "designs"], [{"id": "A2"}], "tile A1"),
        (["tokens"], {"animals": {"lion": 2}}, "the animal tiles"),
        (["animals"], ["lion"], "the animals"),
        (["quarters"], [{"id": "Q", "squares": ["."]}], "tile Q"),
    ],
)
def test_two_packs_of_one_id_are_told_apart_by_what_is_printed(
    at: list[Any], value: object, differs: str | None
) -> None:
    one, other = read_pack(SMALL, None), read_pack(changed(at, value), None)
    assert structural_difference(one, other) == differs
    assert (structural_difference(other, one) is None) == (differs is None)


def test_the_same_text_is_read_once() -> None:
    assert load_pack("savanna") is load_pack("savanna")


def test_a_changed_pack_is_read_again(tmp_path: Path) -> None:
    for title in ("one", "two"):
        (tmp_path / "pack.json").write_text(json.dumps({**SMALL, "title": title}), "utf-8")
        assert load_pack(tmp_path).title == title


def test_another_printing_has_the_tiles_of_its_pack_and_no_pictures(tmp_path: Path) -> None:
    printed, deck = load_pack("safari"), load_pack("savanna")
    assert structural_difference(printed, deck) is None and printed.title != deck.title
    assert not any(printed.art_path(name) for name in (*printed.designs, *printed.other_stems))
    assert read_pack(dict(printed.source), None).designs.keys() == deck.designs.keys()  # stands by itself
    assert not printed.backs and "like" not in printed.source
    (tmp_path / "pack.json").write_text(json.dumps({"id": "mine", "like": "no-such"}))
    with pytest.raises(PackError, match=r'like: is no shipped pack: "no-such"'):
        load_pack(tmp_path)
