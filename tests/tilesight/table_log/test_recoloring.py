"""Recoloring of a game: every place in which a log names a colour, at once and without mixing them up."""

from __future__ import annotations

from typing import Any

import pytest

from engine.notation import read_position, write_position
from engine.pack import Pack, load_pack
from engine.safari.actions import Bonus, Drawn
from tilesight.table_log.event_fold import EntryKind, Ledger, folded
from tilesight.table_log.event_store import Entry
from tilesight.table_log.recoloring import recolored_line, recolored_position

LINE = (
    "safari/zman pack=savanna players=red:3,blue:0 to=blue rangers=-2,0;2,0 hands=red:lion,zebra;blue:?,? "
    "CS7-G@0,-1w/meeple=red,t0"
)
TURN = {
    "player": "red", "tile": "CS7-G", "cell": [0, -1], "rot": 270,
    "action": {"type": "meeple", "feature": "t0"},
    "bonus": [{"player": "blue", "cell": [0, -1], "feature": "t0", "animal": "lion"}],
    "draws": {"red": ["zebra"]},
}  # fmt: skip
BARE = {"player": "blue", "tile": "CS13-G", "cell": [0, 1], "rot": 0, "action": None}


@pytest.mark.parametrize("colors", [{"red": "green"}, {"red": "blue", "blue": "red"}])
def test_a_position_reads_back_with_other_colours(colors: dict[str, str]) -> None:
    pack = load_pack("savanna")
    state = safari(LINE, pack)
    line = recolored_position(write_position("safari", state), colors)
    other = safari(line, pack)
    assert dict(other.scores) == {colors.get(c, c): n for c, n in state.scores.items()}
    assert other.player == colors.get(state.player, state.player)
    assert dict(other.hands) == {colors.get(c, c): hand for c, hand in state.hands.items()}
    now = sorted(str(colors.get(piece.color or "", piece.color)) for piece in state.standing)
    assert sorted(str(piece.color) for piece in other.standing) == now
    back = {now: was for was, now in colors.items()}
    assert safari(recolored_position(line, back), pack) == state
    assert "pack=savanna" in line


def safari(line: str, pack: Pack) -> Any:
    return read_position(line, pack)


def test_a_pack_and_a_tile_with_a_colours_name_are_left_alone() -> None:
    line = "safari/zman pack=red players=red:0 red-1@0,0 red2@0,1"
    assert recolored_position(line, {"red": "green"}) == (
        "safari/zman pack=red players=green:0 red-1@0,0 red2@0,1"
    )


def entries(*told: tuple[str, dict[str, Any]]) -> list[Entry]:
    return [Entry(number, kind, 0.0, data) for number, (kind, data) in enumerate(told, 1)]


def test_a_log_is_recoloured_with_doubts_points_and_lost_turns() -> None:
    header = {"game": "safari", "players": ["red", "blue"], "hands": {"red": ["lion"], "blue": []}}
    before = entries(
        (EntryKind.OPENED, {"header": header, "names": {"red": "Ana", "blue": "Bo"}}),
        (
            EntryKind.SEEN,
            {"keep": 0, "lines": [TURN, BARE], "frames": [3, 5], "pictures": [[10, "a"], [20, "b"]]},
        ),
        (EntryKind.DOUBTED, {"turns": [{"turn": 2, "confidence": 0.5, "others": [{"line": BARE}]}]}),
        (EntryKind.SCORED, {"turn": 2, "points": {"red": 2}}),
        (
            EntryKind.SAID,
            {
                "keep": 2, "lines": [], "what": "remove", "turn": 3,
                "who": {"role": "player", "name": "red", "address": "192.168.1.7"},
                "unkept": [{"turn": 3, "line": TURN, "faults": []}],
            },
        ),
    )  # fmt: skip
    recolored = (EntryKind.RECOLORED, {"colors": {"red": "green"}, "names": {"green": "Ana", "blue": "Bo"}})
    was, now = folded(Ledger(), before), folded(Ledger(), [*before, *entries(recolored)])
    assert now.header["players"] == ["green", "blue"] and now.header["hands"] == {
        "green": ["lion"],
        "blue": [],
    }
    assert now.opened == was.opened and now.names["green"] == "Ana"
    assert [turn.to_json() for turn in now.turns] == [recolored_line(TURN, {"red": "green"}), BARE]
    assert [one.player for one in now.turns[0].parts_of(Bonus)] == ["blue"]
    assert now.turns[0].parts_of(Drawn) == (Drawn("green", ("zebra",)),)
    assert (now.frames, now.marks, now.entry_of) == (was.frames, was.marks, was.entry_of)
    assert [(event.player, event.points) for event in now.by_hand] == [("green", 2)]
    assert now.doubts.keys() == {2} and now.history is not None
    assert (
        now.history["who"] == {"role": "player", "name": "red"}
        and now.history["unkept"][0]["line"]["player"] == "green"
    )
    undone = folded(Ledger(), [*before, *entries(recolored, (EntryKind.UNDONE, {}))])
    assert (undone.header, undone.turns, undone.by_hand) == (was.header, was.turns, was.by_hand)
    redone = folded(Ledger(), [*before, *entries(recolored, (EntryKind.UNDONE, {}), (EntryKind.REDONE, {}))])
    assert (redone.header, redone.turns, redone.history) == (now.header, now.turns, now.history)


CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    "colours": (EntryKind.RECOLORED, {"colors": {"red": "green"}, "names": {"green": "Mia", "blue": "Noah"}}),
    "colours and order": (
        EntryKind.SAID,
        {
            "what": "players", "turn": 1, "keep": 0, "lines": [{**BARE, "player": "red"}],
            "colors": {"red": "blue", "blue": "red"}, "players": ["red", "blue"],
            "names": {"blue": "Ana", "red": "Bo"},
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_change_of_seats_is_one_step_with_its_names(change: tuple[str, dict[str, Any]]) -> None:
    header = {"game": "safari", "players": ["red", "blue"]}
    before = entries(
        (EntryKind.OPENED, {"header": header, "names": {"red": "Ana", "blue": "Bo"}}),
        (EntryKind.SEEN, {"keep": 0, "lines": [{**BARE, "player": "red"}]}),
    )

    def after(*kinds: EntryKind) -> tuple[object, ...]:
        more = [change, *((kind, {}) for kind in kinds)]
        ledger = folded(Ledger(), [*before, *entries(*more)])
        return ledger.header["players"], [ledger.names[c] for c in ledger.header["players"]], ledger.turns

    was = folded(Ledger(), before)
    assert after(EntryKind.UNDONE) == (["red", "blue"], ["Ana", "Bo"], was.turns)
    assert after(EntryKind.UNDONE, EntryKind.REDONE) == after() != after(EntryKind.UNDONE)


def test_a_change_of_colours_after_the_end_is_taken_back_before_the_end() -> None:
    header = {"game": "safari", "players": ["red"]}
    told = entries((EntryKind.OPENED, {"header": header, "names": {"red": "Ana"}}))
    end, undo = (Entry(2, kind, 0.0, {}) for kind in (EntryKind.ENDED, EntryKind.UNDONE))
    changed = [*told, end, *entries(CHANGES["colours"])]
    first = folded(Ledger(), [*changed, undo])
    assert first.ended and first.header["players"] == ["red"]
    assert not folded(Ledger(), [*changed, undo, undo]).ended


def test_a_colour_of_no_player_stays_so_through_an_undo() -> None:
    seen = (EntryKind.SEEN, {"keep": 0, "lines": [TURN], "frames": [3]})
    stray = (EntryKind.STRAY, {"color": "black"})
    assert folded(Ledger(), entries(seen, stray)).strays == {"black"}
    undone = folded(Ledger(), entries(seen, stray, (EntryKind.UNDONE, {})))
    assert undone.strays == {"black"} and undone.turns == ()
