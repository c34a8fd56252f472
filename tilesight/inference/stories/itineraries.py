"""Itineraries: the likeliest ways of all pieces beside the tiles together, the rest of a story as it is.

Such a piece moves on from turn to turn, so that one wrong place makes the next one wrong too. A beam over the
turns follows all ways; a state is, for each piece, its place and the turn that put it there. The likeliest
way with each step of each turn follows from the best ways to and from each state (forward-backward).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import partial

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
from tilesight.inference.stories.trellis import Edge, Trellis

Places = tuple[tuple[Cell, int], ...]
"""The pieces' places, each with the number of the turn that put it there."""
Step = tuple[Cell | None, Cell | None]
"""From where to where a turn puts a piece; (None, None) if it puts none."""
NO_STEP: Step = (None, None)


class Itineraries:
    """Adds to a pool stories with other ways of the pieces beside the tiles."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._seen, self._moves = pool.scales.evidence, pool.scales.moves
        self._stays: dict[tuple[tuple[Cell, int], int], float] = {}

    def add(self, story: Story, turns: Collection[int]) -> None:
        """Add the story with the likeliest ways of all such pieces from the first one of ``turns`` on.

        For each of them add also the likeliest stories in which it takes another step.
        """
        if self._pool.proposals.outside is None or not turns:
            return
        self._stays, first = {}, min(turns)
        ways = Trellis[Places, Step](self._before(story, first))
        for number in range(first, len(story.moves)):
            edges = self._edges(story, number, ways.states)
            ways.grow(edges, partial(self._ahead, story, number + 1), SEARCH.ways)
        ends = partial(self._ahead, story, len(story.moves))
        for way in ways.paths(ends, [number - first for number in turns], SEARCH.within_nats):
            self._pool.add(self._with_way(story, first, way), story)

    def _before(self, story: Story, number: int) -> Places:
        """Return the places of a story's pieces before turn ``number``."""
        since = dict.fromkeys(self._pool.root.outside, FROM_START)
        for turn, position in enumerate(story.positions[:number]):
            since |= {piece.cell: turn for piece in position.put if piece.kind == self._kind}
        return tuple(sorted((cell, since[cell]) for cell in story.before(number, self._pool.root).outside))

    def _ahead(self, story: Story, until: int, places: Places) -> float:
        """Return the nats of all pieces at their places until turn ``until``."""
        return sum(self._stay(story, at, until) for at in places)

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

    def _edges(self, story: Story, number: int, beam: Collection[Places]) -> list[Edge[Places, Step]]:
        """Return the steps of turn ``number`` from each state of a beam."""
        move = story.moves[number]
        before, after = story.before(number, self._pool.root).state, story.positions[number].state
        spaces = list(after.grid.spaces)
        places = self._places(story, number, spaces)
        may_act = move.action is None or (move.action.put is not None and move.action.put.kind == self._kind)
        pieces = max(len(self._pool.root.outside), 1)
        moved_nats = math.log(PRIOR.outside_odds / max(pieces * len(before.grid.spaces), 1))
        found: list[Edge[Places, Step]] = []
        for now in beam:
            cells = [cell for cell, _ in now]
            free = [to for to in places if to not in cells]
            steps: list[tuple[int | None, Cell | None, float]] = [(None, None, 0.0)]
            if move.cell in cells:
                k = cells.index(move.cell)
                steps = [(k, to, -math.log(max(len(spaces), 1))) for to in free]
                steps = steps or [(k, None, -PRIOR.forbidden_nats)]
            elif may_act:
                steps += [(k, to, moved_nats) for to in free for k in range(len(cells))]
            for which, to, nats in steps:
                if which is None:
                    found.append(Edge(now, NO_STEP, now, nats))
                    continue
                rest = [*now[:which], *now[which + 1 :], *([(to, number)] if to is not None else [])]
                nats += self._stay(story, now[which], number)
                found.append(Edge(now, (cells[which], to), tuple(sorted(rest)), nats))
        return found

    @property
    def _kind(self) -> PieceKind:
        """Kind of the pieces beside the tiles."""
        assert self._pool.proposals.outside is not None
        return self._pool.proposals.outside.kind

    def _places(self, story: Story, number: int, spaces: list[Cell]) -> list[Cell]:
        """Return where turn ``number`` may have put a piece: seen there, or sent on by one of the next tiles.

        One place where nothing is seen stands for all such.
        """
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
        soon = [n for n in range(number + 1, len(story.moves)) if story.looks[n] <= story.looks[number] + 2]
        following = [cell for n in soon[: SEARCH.soon] if (cell := story.moves[n].cell) in spaces]
        places += [cell for cell in dict.fromkeys(following) if cell not in places]
        shown = {cell_of(one.xy) for one in self._seen.tracks.all if not one.token and one.worth > 1.0}
        return places + [cell for cell in spaces if cell not in places and cell not in shown][:1]

    def _target(self, move: Move) -> Cell | None:
        """Return where a move puts a piece beside the tiles; None if it puts none."""
        uses = (*move.parts, move.action) if move.action is not None else move.parts
        puts = (use.put for use in uses if use.put is not None and use.put.kind == self._kind)
        return next((put.cell for put in puts), None)

    def _with_way(self, story: Story, first: int, way: Sequence[Step]) -> tuple[Move, ...]:
        """Return a story's moves with the pieces' ways from turn ``first`` on in place of its own."""
        moves, position = list(story.moves[:first]), story.before(first, self._pool.root)
        for move, (start, to) in zip(story.moves[first:], way, strict=True):
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
