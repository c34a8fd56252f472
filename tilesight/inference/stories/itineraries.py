"""Itineraries: the likeliest ways of all pieces beside the tiles together, the rest of a story as it is.

Such a piece moves on from turn to turn, so that one wrong place makes the next one wrong too. A beam over the
turns follows all ways; a state is, for each piece, its place and the turn that put it there.
"""

from __future__ import annotations

import math

from engine.geometry import Cell, cell_of
from engine.tiles.actions import Put
from engine.tiles.game import GameState
from engine.tiles.pieces import PieceKind
from engine.tiles.turn import Turn
from tilesight.inference.evidence.piece_evidence import Stay
from tilesight.inference.params import PRIOR, SEARCH
from tilesight.inference.stories.moves import Move
from tilesight.inference.stories.pool import Pool
from tilesight.inference.stories.story import FROM_START, Story

STORIES = 4
PAIR_REACH = 4
"""Number of turns within which two turns are tried to share a piece's ways."""

Places = tuple[tuple[Cell, int], ...]
"""The pieces' places, each with the number of the turn that put it there."""
Way = tuple[tuple[Cell | None, Cell | None], ...]
"""For each turn, from where to where it puts a piece; (None, None) if it puts none."""


class Itineraries:
    """Adds to a pool stories with other ways of the pieces beside the tiles."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._seen, self._moves = pool.scales.evidence, pool.scales.moves
        self._stays: dict[tuple[tuple[Cell, int], int], float] = {}

    def add(self, story: Story) -> None:
        """Add the stories with the likeliest ways of all such pieces."""
        piece = self._pool.proposals.outside
        if piece is None or not story.moves:
            return
        self._stays = {}
        start = tuple(sorted((cell, FROM_START) for cell in self._pool.root.outside))
        beam: dict[Places, tuple[float, Way]] = {start: (0.0, ())}
        for number in range(len(story.moves)):
            grown = self._grown(story, number, beam)
            ranked = sorted(
                grown.items(),
                key=lambda one: -one[1][0] - sum(self._stay(story, at, number + 1) for at in one[0]),
            )
            beam = dict(ranked[: SEARCH.ways])
        ends = [
            (nats + sum(self._stay(story, at, len(story.moves)) for at in places), way)
            for places, (nats, way) in beam.items()
        ]
        ends.sort(key=lambda one: -one[0])
        for nats, way in ends[:STORIES]:
            if nats >= ends[0][0] - SEARCH.within_nats:
                self._pool.add(self._with_way(story, way), story)

    def _stay(self, story: Story, at: tuple[Cell, int], until: int) -> float:
        """Return the nats of a piece until turn ``until``; ``at`` is its place and since which turn."""
        known = self._stays.get((at, until))
        if known is None:
            known = self._stays[at, until] = self._stay_nats(story, at, until)
        return known

    def _stay_nats(self, story: Story, at: tuple[Cell, int], until: int) -> float:
        """Compute `_stay`."""
        cell, since = at
        assert self._pool.proposals.outside is not None
        looks, number = story.looks, self._seen.number
        first = looks[since] if since >= 0 else 0
        last = looks[until] if until < len(looks) else number
        following = looks[since + 1] if since + 1 < len(looks) else number
        piece = self._pool.proposals.outside._replace(cell=cell)
        stay = Stay(piece, None, first, following, max(first, last), since + 1 == len(looks))
        return self._pool.scales.pieces.showings(stay)[0].nats

    def _grown(
        self, story: Story, number: int, beam: dict[Places, tuple[float, Way]]
    ) -> dict[Places, tuple[float, Way]]:
        """Return the beam after turn ``number``."""
        move = story.moves[number]
        before, after = story.before(number, self._pool.root).state, story.positions[number].state
        spaces = list(after.grid.spaces)
        places = self._places(story, number, spaces)
        may_act = number >= len(self._pool.pinned) and (
            move.action is None or (move.action.put is not None and move.action.put.kind == self._kind)
        )
        pieces = max(len(next(iter(beam), ())), 1)
        moved_nats = math.log(PRIOR.outside_odds / max(pieces * len(before.grid.spaces), 1))
        grown: dict[Places, tuple[float, Way]] = {}
        for pieces_now, (nats, way) in beam.items():
            cells = [cell for cell, _ in pieces_now]
            ways: list[tuple[int | None, Cell | None, float]] = [(None, None, 0.0)]
            if move.cell in cells:
                k = cells.index(move.cell)
                back_nats = -math.log(max(len(spaces), 1))
                ways = [(k, to, back_nats) for to in places if to not in cells]
                ways = ways or [(k, None, -PRIOR.forbidden_nats)]
            elif may_act:
                ways += [(k, to, moved_nats) for to in places if to not in cells for k in range(len(cells))]
            for which, to, prior in ways:
                now, total = list(pieces_now), nats + prior
                if which is not None:
                    total += self._stay(story, now[which], number)
                    now[which : which + 1] = [(to, number)] if to is not None else []
                key = tuple(sorted(now))
                if key not in grown or grown[key][0] < total:
                    grown[key] = (total, (*way, (None if which is None else cells[which], to)))
        return grown

    @property
    def _kind(self) -> PieceKind:
        """Kind of the pieces beside the tiles."""
        assert self._pool.proposals.outside is not None
        return self._pool.proposals.outside.kind

    def _places(self, story: Story, number: int, spaces: list[Cell]) -> list[Cell]:
        """Return where turn ``number`` may have put a piece; one place without any stands for all such."""
        board = story.positions[number].state.board
        tracks = [one for one in self._pool.proposals.arriving(story, number) if not one.token]
        places = [
            cell
            for cell in dict.fromkeys(cell_of(track.xy) for track in tracks)
            if cell not in board
            and any(
                self._pool.proposals.stands_outside(track, cell)
                for track in tracks
                if cell_of(track.xy) == cell
            )
        ]
        told = self._target(story.moves[number])
        if told is not None and told not in board and told not in places:
            places.append(told)
        shown = {cell_of(one.xy) for one in self._seen.tracks.all if not one.token and one.worth > 1.0}
        return places + [cell for cell in spaces if cell not in places and cell not in shown][:1]

    def _target(self, move: Move) -> Cell | None:
        """Return where a move puts a piece beside the tiles; None if it puts none."""
        uses = (*move.parts, move.action) if move.action is not None else move.parts
        puts = (use.put for use in uses if use.put is not None and use.put.kind == self._kind)
        return next((put.cell for put in puts), None)

    def _with_way(self, story: Story, way: Way) -> tuple[Move, ...]:
        """Return a story's moves with the pieces' ways in place of its own."""
        moves: list[Move] = []
        position = self._pool.root
        for number, (move, (start, to)) in enumerate(zip(story.moves, way, strict=True)):
            if number < len(self._pool.pinned):
                moves.append(move)
            else:
                moves.append(self._moved(move, position.state, start, to))
            position = self._moves.after(position, moves[-1])
        return tuple(moves)

    def _moved(self, move: Move, state: GameState, start: Cell | None, to: Cell | None) -> Move:
        """Return a move that puts a piece from ``start`` to ``to``, in place of its own such uses.

        ``state`` is the position before it.
        """
        action = move.action
        if action is not None and action.put is not None and action.put.kind == self._kind:
            action = None
        parts = tuple(part for part in move.parts if not part.displaced)
        if start is not None and to is not None:
            turn = Turn(state.player, move.tile, move.cell, move.rot)
            put = Put(self._kind, to)
            if start == move.cell:
                parts = (*state.parts_putting(turn, put), *parts)
            else:
                actions = state.actions_putting(turn, put)
                action = next((one for one in actions if start in one.cells), action)
        return self._moves.move(move.cell, move.tile, move.rot, action, parts)

    def add_pairs(self, story: Story) -> None:
        """Add stories in which two turns of about one look exchange their targets, or share one way.

        The piece may stop where something appeared, out of sight, or on the cell of the later turn's tile.
        """
        if self._pool.proposals.outside is None:
            return
        for n in range(len(self._pool.pinned), len(story.moves)):
            for m in range(n + 1, min(n + PAIR_REACH, len(story.moves))):
                if story.looks[m] <= story.looks[n] + 2:
                    self._add_pair(story, n, m)

    def _add_pair(self, story: Story, n: int, m: int) -> None:
        """Add the stories of one pair."""
        one, other = story.moves[n], story.moves[m]
        a, b = self._target(one), self._target(other)
        pairs: list[tuple[Move, Move]] = []
        if a is not None and b is not None:
            pairs.append((self._aimed(one, b), self._aimed(other, a)))
        elif a is not None:
            position = story.positions[n]
            spaces = list(position.state.grid.spaces)
            stops = self._places(story, n, spaces) if other.action is None else []
            stops += [other.cell] if other.cell in spaces else []
            stops = [cell for cell in stops if cell != a and cell not in position.outside]
            for stop in stops:
                first = self._aimed(one, stop)
                before = self._moves.after(story.before(n, self._pool.root), first)
                for move in story.moves[n + 1 : m]:
                    before = self._moves.after(before, move)
                pairs.append((first, self._moved(other, before.state, stop, a)))
        for pair in pairs:
            moves = list(story.moves)
            moves[n], moves[m] = pair
            self._pool.add(tuple(moves), story)

    def _aimed(self, move: Move, to: Cell) -> Move:
        """Return a move that puts its piece beside the tiles on another cell."""
        action = move.action
        if action is not None and action.put is not None and action.put.kind == self._kind:
            action = action.with_target_cell(to)
        parts = tuple(part.with_target_cell(to) if part.displaced else part for part in move.parts)
        return self._moves.move(move.cell, move.tile, move.rot, action, parts)
