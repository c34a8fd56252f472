"""The same game seen otherwise: turned by a quarter, or with other colours; and step by step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from engine.geometry import Cell, turned_corner, turned_edge
from engine.hunters_gatherers.actions import SentHome
from engine.pack import Design, Pack, Tile
from engine.record import Line, Record, check
from engine.safari.actions import Bonus, Dig, Drawn, Expand, MoveRanger, RangerBack
from engine.tiles.actions import Action, TurnPart
from engine.tiles.game import GameState, Step
from engine.tiles.record import Unplaceable
from engine.tiles.turn import Turn
from tests.tile_records import header_of, start_of


def steps(record: Record, pack: Pack) -> Iterator[tuple[GameState, Step]]:
    """Each turn's position before it and its result."""
    state = start_of(record, pack)
    for line in record.lines:
        if isinstance(line.event, Turn):
            step = state.apply(line.event)
            yield state, step
            state = step.state
        elif isinstance(line.event, Unplaceable):
            state = state.unplaceable(line.event.tile)


def turned_cell(cell: Cell, rot: int) -> Cell:
    """Rotate a cell with the whole board, ``rot`` degrees clockwise about the centre of cell ``(0, 0)``."""
    x, y = cell
    for _ in range(rot // 90 % 4):
        x, y = -y, x
    return (x, y)


def turned_action(action: Action | None) -> Action | None:
    match action:
        case MoveRanger(start, to):
            return MoveRanger(turned_cell(start, 90), turned_cell(to, 90))
        case Dig() | Expand():
            return replace(action, cell=turned_cell(action.cell, 90), corner=turned_corner(action.corner, 90))
        case _:
            return action


def _turned_part(part: TurnPart) -> TurnPart:
    match part:
        case RangerBack(to):
            return RangerBack(turned_cell(to, 90))
        case Bonus():
            return replace(part, cell=turned_cell(part.cell, 90))
        case SentHome((cell, feature)):
            return SentHome((turned_cell(cell, 90), feature))
        case _:
            return part


def turned_turn(turn: Turn) -> Turn:
    return replace(
        turn,
        cell=turned_cell(turn.cell, 90),
        rot=(turn.rot + 90) % 360,
        action=turned_action(turn.action),
        parts=tuple(map(_turned_part, turn.parts)),
    )


def pack_with_turned_start(pack: Pack) -> Pack:
    """The pack whose start tile lies a quarter turn further."""
    start, designs = [], dict(pack.designs)
    for cell, design in pack.start_designs:
        old = design.tile
        tile = Tile(
            old.id,
            {turned_edge(edge, 90): kind for edge, kind in old.edges.items()},
            tuple(
                replace(feature, edges=tuple(turned_edge(edge, 90) for edge in feature.edges))
                for feature in old.features
            ),
            {turned_edge(edge, 90): side for edge, side in old.sides.items()},
            turned_cell(cell, 90),
        )
        start.append(tile)
        name = design.id
        if design.id in pack.bag:  # tiles that look like it are drawn
            designs[design.id] = Design(design.id, old, design.count - 1, design.animals)
            name = f"{design.id} turned"
        designs[name] = Design(name, tile, 1, design.animals)
    return replace(pack, start=tuple(start), start_faces=(), designs=designs)


def turned(record: Record, **header: Any) -> Record:
    """The record on a board turned by a quarter; ``header`` replaces what the header says of cells."""
    lines = tuple(
        replace(line, event=turned_turn(line.event)) if isinstance(line.event, Turn) else line
        for line in record.lines
    )
    return Record(replace(record.header, **header), lines)


def renamed(record: Record, names: dict[str, str]) -> Record:
    """The record with other colours."""

    def line(old: Line) -> Line:
        if not isinstance(old.event, Turn):
            return old
        turn = old.event
        return replace(
            old,
            event=replace(
                turn,
                player=names[turn.player],
                parts=tuple(
                    replace(part, player=names[part.player]) if isinstance(part, Bonus | Drawn) else part
                    for part in turn.parts
                ),
            ),
        )

    given = header_of(record).hands
    hands = None if given is None else {names[player]: hand for player, hand in given.items()}
    header = replace(header_of(record), players=tuple(names[p] for p in record.header.players), hands=hands)
    return Record(header, tuple(line(old) for old in record.lines))


def assert_undo_keeps_positions(record: Record, pack: Pack) -> None:
    """Positions kept while a game went on are equal to those of a fresh start."""
    kept = list(steps(record, pack))
    for (before, step), (fresh_before, fresh_step) in zip(kept, steps(record, pack), strict=True):
        assert before == fresh_before
        assert step == fresh_step
        assert before != step.state


def assert_turning_keeps_scores(record: Record, pack: Pack, **header: Any) -> None:
    """On a board turned by a quarter every event and the final scores are the same."""
    other, straight = check(turned(record, **header), pack_with_turned_start(pack)), check(record)
    assert other.faults == ()
    assert other.final == straight.final
    assert [(e.turn, e.player, e.points, e.kind) for e in other.events if not e.at_end] == [
        (e.turn, e.player, e.points, e.kind) for e in straight.events if not e.at_end
    ]


def assert_renaming_keeps_scores(record: Record, colors: Sequence[str]) -> None:
    """With other colours the final scores are the same."""
    names = dict(zip(colors, (*colors[2:], *colors[:2]), strict=True))
    result, other = check(record), check(renamed(record, names))
    assert other.faults == ()
    assert {names[player]: points for player, points in result.final.items()} == other.final
