"""Changes: the stories that differ from one by a single change, where something has changed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from engine.geometry import EDGES, Cell, neighbour
from engine.tiles.actions import Action
from engine.tiles.foreign import is_foreign
from tilesight.inference.evidence.piece_evidence import UNSEEN
from tilesight.inference.params import SEARCH
from tilesight.inference.stories.moves import Move
from tilesight.inference.stories.pool import Pool, Window
from tilesight.inference.stories.story import Story

Tiles = tuple[Move, ...]


class Changes:
    """Adds to a pool the stories that differ from one of its stories by one change."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._proposals = pool.proposals
        self._seen, self._moves = pool.scales.evidence, pool.scales.moves
        self._root = pool.root

    # -- tiles that a story lacks

    def missing(self, story: Story) -> list[Cell]:
        """Return the cells that show a tile which a story lacks, by its arrival."""
        board, void = story.end(self._root).state.board, self._pool.void
        cells = [
            cell
            for cell in self._seen.cells
            if cell not in board and cell not in void and self._seen.may_lie(cell)
        ]
        return sorted(
            cells, key=lambda cell: (self._seen.arrival(cell).first, -self._seen.arrival(cell).most, cell)
        )

    def insert(self, story: Story, cell: Cell) -> list[Story]:
        """Lay a tile on ``cell`` as well, where its looks allow; return the stories."""
        (lo, hi), windows = self._pool.window(cell), self._windows(story)
        found, after, before = [], len(windows), len(windows)
        while after > 0 and windows[after - 1][1] >= lo:
            after -= 1
        while before > 0 and windows[before - 1][0] > hi:
            before -= 1
        pinned = len(self._pool.pinned)
        before = max(before, pinned)
        board = story.end(self._root).state.board
        faces = self._proposals.faces(cell, board)[: SEARCH.new_faces]
        for place in range(before, max(after, before - SEARCH.places, pinned) - 1, -1):
            for _, design, rot in faces:
                uses = self._proposals.uses(story, place, cell, design, rot, new=True)
                for action, parts in uses[: 2 if self._proposals.outside is None else SEARCH.new_uses]:
                    move = self._moves.move(cell, design, rot, action, parts)
                    added = self._pool.add((*story.moves[:place], move, *story.moves[place:]), story)
                    found += [added] if added is not None else []
        return found

    def _windows(self, story: Story) -> list[Window]:
        """Return between which looks each tile of a story may have been laid."""
        return [self._pool.window(move.cell) for move in story.moves]

    def add_missing(self) -> None:
        """Let the likeliest stories grow by all tiles that they lack, keeping the best three each time."""
        front = self._pool.ranked()[:3]
        while front:
            grown: dict[Tiles, Story] = {}
            for story in front:
                cells, board = self.missing(story), story.end(self._root).state.board
                beside = [cell for cell in cells if any(neighbour(cell, edge) in board for edge in EDGES)]
                for cell in (beside or cells)[:1]:
                    near = [one for one in self.insert(story, cell) if one.score > story.score - 3.0]
                    near.sort(key=lambda one: -one.score)
                    grown.update((one.moves, one) for one in near[:3])
            front = sorted(grown.values(), key=lambda one: -one.score)[:3]

    # -- one change

    def expand(self, story: Story) -> list[int]:
        """Add the stories that differ from one by one change, where something has changed.

        Return the numbers of the turns that were looked into.
        """
        pool, moves = self._pool, story.moves
        states = pool.states(story)
        pinned = len(pool.pinned)
        active = [
            number >= pinned and not pool.is_known(move, state)
            for number, (move, state) in enumerate(zip(moves, states, strict=True))
        ]
        pool.tried = []
        left = self._left(story)
        for number in range(len(moves)):
            if active[number]:
                self._change_turn(story, number, left)
        self._change_order(story, active)
        for cell in self.missing(story)[:2]:
            self.insert(story, cell)
        pool.remember(story, pool.tried, states)
        return [number for number, is_active in enumerate(active) if is_active]

    def _left(self, story: Story) -> Counter[str]:
        """Return the number of tiles of each design that a story leaves in the bag; negative if too many."""
        left: Counter[str] = Counter()
        for stack in self._root.state.stacks:
            left.update(stack)
        left.subtract(move.tile for move in story.moves if not is_foreign(move.tile))
        return left

    def _change_turn(self, story: Story, number: int, left: Counter[str]) -> None:
        """Try other faces of a turn's tile, other pieces, and that there was no such turn."""
        move, board = story.moves[number], story.end(self._root).state.board
        faces = self._proposals.faces(move.cell, board)[: SEARCH.faces]
        own = next((nats for nats, d, r in faces if (d, r) == (move.tile, move.rot)), -math.inf)
        before = story.before(number, self._root)
        for nats, design, rot in faces:
            if nats <= own - SEARCH.within_nats:
                continue
            if (design, rot) == (move.tile, move.rot):
                uses = self._proposals.uses(story, number, move.cell, design, rot)[: SEARCH.uses]
                uses += [(one, move.parts) for one in (*self._at_once(story, number), None)]
            elif move.action is not None and move.action.put is not None:
                uses = [(move.action, move.parts)]
            else:
                local = self._proposals.local(before, move.cell, design, rot)
                uses = [(one, move.parts) for one in local[: 2 if self._proposals.outside is None else 1]]
            for action, parts in dict.fromkeys(uses):
                other = self._moves.move(move.cell, design, rot, action, parts)
                if other is not move:
                    self._replace(story, number, other, left)
        self._hand_on(story, number)
        if self._seen.arrival(move.cell).most < SEARCH.doubtful_nats:
            self._pool.add((*story.moves[:number], *story.moves[number + 1 :]), story)

    def _replace(self, story: Story, number: int, move: Move, left: Counter[str]) -> None:
        """Try another move as turn ``number``.

        If its face is used up, another tile gives up that face. If its piece is another turn's, that turn
        gives it up.
        """
        was = story.moves[number]
        self._add(story, {number: move})
        if move.action is not None and move.action is not was.action and move.action.put is not None:
            self._free_piece(story, number, move)
        if move.tile == was.tile or left[move.tile] > 0 or is_foreign(move.tile):
            return
        board = {**story.end(self._root).state.board, move.cell: self._moves.laid(move.tile, move.rot)}
        for other, one in enumerate(story.moves):
            if one.tile == move.tile and other != number and other >= len(self._pool.pinned):
                for _, design, rot in self._proposals.faces(one.cell, board)[: SEARCH.exchanged_faces + 1]:
                    if design != one.tile and left[design] + (design == was.tile) > 0:
                        with_face = self._proposals.with_face(story, other, design, rot)
                        self._add(story, {number: move, other: with_face})

    def _add(self, story: Story, changed: Mapping[int, Move]) -> None:
        """Add the story with other moves as some turns."""
        moves = list(story.moves)
        for number, move in changed.items():
            moves[number] = move
        self._pool.add(tuple(moves), story)

    def _free_piece(self, story: Story, number: int, move: Move) -> None:
        """Try turn ``number`` as ``move`` and a turn nearby without the piece that this move puts down."""
        was = story.moves[number]
        put = set(self._moves.after(story.before(number, self._root), move).put)
        for other in range(max(number - SEARCH.reach + 1, len(self._pool.pinned)), len(story.moves)):
            one = story.moves[other]
            if other >= number + SEARCH.reach:
                break
            if other == number or one.action is None or not put & set(story.positions[other].put):
                continue
            actions: list[Action | None] = [None]
            if was.action is not None and was.action.put is not None:
                actions.append(was.action)
            here = story.before(other, self._root)
            actions += self._proposals.local(here, one.cell, one.tile, one.rot)[:2]
            for action in dict.fromkeys(actions):
                freed = self._moves.move(one.cell, one.tile, one.rot, action, one.parts)
                self._add(story, {number: move, other: freed})

    def _hand_on(self, story: Story, number: int) -> None:
        """Try a piece that appeared after turn ``number`` as that of a later turn on the same feature."""
        move = story.moves[number]
        if move.action is None or move.action.put is not None:
            return
        for piece in story.positions[number].put:
            showing = story.showings[number, piece]
            if piece.cell != move.cell or piece.feature is None or showing.track == UNSEEN:
                continue
            on = self._seen.tracks.all[showing.track].seen.shown[0]
            for later in range(number + 1, len(story.moves)):
                one = story.moves[later]
                if story.looks[later] > on:
                    break
                if one.action is None and on - 1 <= story.looks[later] and story.looks[number] < on:
                    self._hand_to(story, number, later, (piece.cell, piece.feature), piece.kind)

    def _hand_to(self, story: Story, number: int, later: int, place: tuple[Cell, str], kind: str) -> None:
        """Let turn ``later`` put down the piece of turn ``number``, if its tile goes on with that feature."""
        was, one = story.moves[number], story.moves[later]
        before = story.before(later, self._root).state
        for use in before.feature_uses(one.cell, self._moves.laid(one.tile, one.rot)):
            if use.sort[0] == kind and use.region is not None and place in use.region.places:
                without = self._moves.move(was.cell, was.tile, was.rot, None, was.parts)
                taken = self._moves.move(one.cell, one.tile, one.rot, use.action, one.parts)
                self._add(story, {number: without, later: taken})

    def _at_once(self, story: Story, number: int) -> list[Action]:
        """Return the pieces of a turn that may have come and gone unseen: its feature is finished at once."""
        move = story.moves[number]
        before = story.before(number, self._root).state
        together = [n for n in range(number, len(story.moves)) if story.looks[n] == story.looks[number]]
        open_then = {
            place
            for region in story.positions[together[-1]].state.landscape.regions
            for place in region.places
            if place[0] == move.cell
        }
        return [
            use.action
            for use in before.feature_uses(move.cell, self._moves.laid(move.tile, move.rot))
            if use.sort == ("meeple", "standing") and use.region is not None and not use.region.meeples
            if use.region.finished or (move.cell, use.feature) not in open_then
        ]

    # -- order

    def _change_order(self, story: Story, active: Sequence[bool]) -> None:
        """Try turns earlier and later, and turns that exchange their tiles or what else they did."""
        moves, windows, pinned = story.moves, self._windows(story), len(self._pool.pinned)
        for n in range(pinned, len(moves)):
            for m in self._places_of(n, windows):
                if m < pinned or not any(active[min(n, m) : max(n, m) + 1]):
                    continue
                moved = list(moves)
                moved.insert(m, moved.pop(n))
                self._pool.add(tuple(moved), story)
                if m == n + 1 and any(one.action and one.action.put for one in (moves[n], moves[m])):
                    one, other = moves[n], moves[m]
                    first = self._moves.move(other.cell, other.tile, other.rot, one.action, one.parts)
                    second = self._moves.move(one.cell, one.tile, one.rot, other.action, other.parts)
                    self._pool.add((*moves[:n], first, second, *moves[m + 1 :]), story)
                if m == n + 2:
                    swapped = (*moves[:n], moves[m], moves[n + 1], moves[n], *moves[m + 1 :])
                    self._pool.add(swapped, story)

    def _places_of(self, n: int, windows: Sequence[Window]) -> list[int]:
        """Return the places in the order to which the looks let turn ``n`` move.

        A move back by one is another turn's move on by one.
        """
        found, (lo, hi) = [], windows[n]
        for m in range(n + 1, min(n + SEARCH.places + 1, len(windows))):
            if windows[m][0] > hi:
                break
            found.append(m)
        for m in range(n - 1, max(n - SEARCH.places - 1, -1), -1):
            if windows[m][1] < lo:
                break
            found += [m] * (m < n - 1)
        return found
