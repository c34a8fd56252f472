"""Search over whole stories: warm-started from the likeliest ones of the last look."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from engine.geometry import EDGES, Cell, neighbour
from engine.tiles.board import Laid
from engine.tiles.game import GameState
from engine.tiles.pieces import OUTSIDE
from engine.tiles.turn import Turn
from tilesight.inference.evidence.piece_evidence import UNSEEN
from tilesight.inference.evidence.table_evidence import Evidence
from tilesight.inference.params import QUESTIONS, SEARCH
from tilesight.inference.stories.changes import Changes
from tilesight.inference.stories.final_scores import final_sure
from tilesight.inference.stories.itineraries import Itineraries
from tilesight.inference.stories.moves import Move, Moves
from tilesight.inference.stories.pool import Doubts, Pool
from tilesight.inference.stories.proposals import Proposals
from tilesight.inference.stories.story import Scales, Story
from vision.geometry.lattice_frame import LatticeFrame
from vision.joint.belief_propagation import solve_board
from vision.observation import Observation

LOOKED_BACK = 200
"""Number of the likeliest stories whose positions are kept."""


class SearchedTurn(NamedTuple):
    """A turn of the likeliest story.

    ``sure`` is its probability, ``told`` the probability that the table and the points are as after it;
    ``others`` are its likeliest alternatives, ``faults`` the codes of what the rules have against it.
    ``look`` is the number of the first look that shows it finished; None before that.
    """

    turn: Turn
    sure: float
    told: float
    others: tuple[tuple[Turn, float], ...]
    faults: tuple[str, ...]
    look: int | None


class Search:
    """The likeliest stories of one table, whose game starts at ``start``.

    ``best`` is the likeliest one, ``turns`` are its turns; ``root`` is the position at the start.
    """

    def __init__(self, start: GameState) -> None:
        self._moves = Moves(start)
        self.root = self._moves.root
        self.evidence = Evidence(start)
        self._scales = Scales(self._moves, self.evidence)
        self._pool = Pool(self._scales, Proposals(self._scales))
        self._changes = Changes(self._pool)
        self._itineraries = Itineraries(self._pool)
        self.best = self._scales.weigh(())
        self._pool.stories = {(): self.best}
        self.turns: tuple[SearchedTurn, ...] = ()
        self._changed_s = self._searched_s = 0.0
        self._last_open = False

    @property
    def board(self) -> Mapping[Cell, Laid]:
        """The board at the end of the likeliest story."""
        return self.best.end(self._moves.root).state.board

    def missing(self) -> list[Cell]:
        """Return the cells that show a tile which the likeliest story lacks."""
        return self._changes.missing(self.best)

    @property
    def pinned(self) -> int:
        """Number of the first turns that are certain."""
        return len(self._pool.pinned)

    @property
    def weighed(self) -> int:
        """Number of stories weighed so far."""
        return self._scales.weighed

    def see(self, observation: Observation, lattice: LatticeFrame) -> None:
        """Take in a picture that shows the board at ``lattice``.

        Stories are searched again when something has changed, then at growing intervals: while no piece
        comes, it gets likelier that none will.
        """
        t_s = observation.t_s
        changed = self.evidence.note(observation, lattice, self.board)
        changed |= self._pool.lift(self._is_bare)
        changed |= self._free_last()
        if changed:
            self._changed_s = self._searched_s = t_s
            self.update()
            return
        rested_s = t_s - self._changed_s
        if 1.5 * (self._searched_s - self._changed_s) <= rested_s < SEARCH.restless_s:
            self._searched_s = t_s
            self._renew()
            self._conclude()

    def _is_bare(self, cell: Cell) -> bool:
        """Whether the last picture that tells shows no tile on a cell."""
        here = self.evidence.cells.get(cell)
        return here is not None and here.is_bare

    def update(self) -> None:
        """Search again, from the likeliest stories so far."""
        self._search()
        self._conclude()

    def _search(self) -> None:
        """Weigh the likeliest stories by all pictures, and those that differ from them by a few changes."""
        self._renew()
        self._changes.add_missing()
        self._add_joint(self._pool.ranked()[0])
        self._expand_likeliest()

    def _renew(self) -> None:
        """Weigh the likeliest stories so far by all pictures."""
        self.evidence.renew()
        pool = self._pool
        kept = [one for one in pool.ranked()[: SEARCH.kept] if pool.allows(one.moves)]
        pool.restart(kept or [self._scales.weigh(pool.pinned)])

    def _conclude(self) -> None:
        """Find the likeliest story of the pool, and the doubts about its turns."""
        pool = self._pool
        ranked = pool.ranked()
        self.best = ranked[0]
        states = pool.states(self.best)
        pool.remember(self.best, ranked, states)
        self.turns = self._turns(pool.doubts(self.best, states))
        if self._moves.is_full():
            self._moves.prune(story.moves for story in ranked[:LOOKED_BACK])
        pool.keep(SEARCH.kept)

    def _expand_likeliest(self) -> None:
        """Change the likeliest stories, while this finds likelier ones."""
        pool, others = self._pool, 0
        expanded: set[tuple[Move, ...]] = set()
        for _ in range(SEARCH.expansions):
            ranked = pool.ranked()
            best = ranked[0]
            least = best.score - SEARCH.expand_within_nats
            near = [one for one in ranked[: SEARCH.ranked] if one.score > least]
            story = next((one for one in near if one.moves not in expanded), None)
            others += story is not best
            if story is None or others > SEARCH.others:
                return
            expanded.add(story.moves)
            self._itineraries.add(story, self._changes.expand(story))

    def _add_joint(self, story: Story) -> None:
        """Try the faces of the board solved jointly, without its history, by clusters of differences."""
        seen, moves = self.evidence, list(story.moves)
        at = {move.cell: number for number, move in enumerate(moves)}
        pinned = len(self._pool.pinned)
        readings = {cell: one for cell in self.board_of(story) if (one := seen.reading(cell)) is not None}
        state = self._moves.root.state
        solved = solve_board(readings, seen.designs, state.pack)
        left = {
            cell
            for cell, one in solved.items()
            if at.get(cell, -1) >= pinned and one.face.design in state.whole_bag
            if (one.face.design, one.face.rot) != (moves[at[cell]].tile, moves[at[cell]].rot)
        }
        while left:
            cluster = _cluster(min(left), left)
            left -= cluster
            changed = list(moves)
            for cell in cluster:
                face = solved[cell].face
                changed[at[cell]] = self._pool.proposals.with_face(story, at[cell], face.design, face.rot)
            self._pool.add(tuple(changed), story)

    def board_of(self, story: Story) -> Mapping[Cell, Laid]:
        """Return the board at the end of a story."""
        return story.end(self._moves.root).state.board

    def pin(self, turns: Sequence[Turn], refused: Iterable[Turn] = (), *, last_open: bool = False) -> None:
        """Take turns as the first ones of the game, for good; ``refused`` are ruled out as the next one.

        With ``last_open`` the last one is free again if its tile is gone before another turn follows.
        A tile that the camera saw where people say it is not lays no other turn, until it is gone from there.
        """
        pool = self._pool
        told = {turn.cell for turn in turns}
        pool.void |= {
            before.turn.cell
            for before, now in zip(self.turns, turns, strict=False)
            if before.turn.cell not in told and self.evidence.arrival(now.cell).most <= 0.0
        }
        pool.pinned = tuple(self._moves.of(turn) for turn in turns)
        pool.refused = frozenset(self._moves.of(turn) for turn in refused)
        pool.forget()
        self._last_open = last_open and bool(turns)
        self.update()

    def _free_last(self) -> bool:
        """Free the last pinned turn if it may be moved and its tile is gone; return whether it is."""
        pool = self._pool
        if not self._last_open:
            return False
        self._last_open = len(self.turns) == len(pool.pinned)
        if not self._last_open or not self._is_bare(pool.pinned[-1].cell):
            return False
        pool.pinned, self._last_open = pool.pinned[:-1], False
        pool.forget()
        return True

    def finish(self) -> float | None:
        """Look into all turns once more, after the last picture.

        Return the probability that the final scores are those of the likeliest story; None if nothing was
        seen, or if the rules forbid it.
        """
        self._pool.forget()
        self._search()
        weighed = self._pool.ranked()
        self._conclude()
        sure = final_sure(self._pool.outcomes, self.best, weighed)
        if sure is None or not self.evidence.number:
            return None
        looks = self.best.looks[len(self._pool.pinned) :]
        holes = (SEARCH.rest_in_hole * (turns - 1) ** 2 for turns in Counter(looks).values())
        return sure / math.prod(1.0 + odds for odds in (*holes, *([self._rest] * len(looks))))

    @property
    def _rest(self) -> float:
        """Odds that a turn of this game was another one, which was not tried."""
        return SEARCH.rest + (SEARCH.rest_outside if self._pool.proposals.outside is not None else 0.0)

    def _turns(self, doubted: Sequence[Doubts]) -> tuple[SearchedTurn, ...]:
        """Return the turns of the likeliest story, each with its probability and its likeliest alternatives.

        By max-marginals: the other values of a turn count by the likeliest story with each of them. A piece
        that no look shows may be at several places, which count together.
        """
        story, root = self.best, self._moves.root
        found = []
        for number, doubts in enumerate(doubted):
            player = story.player(number, root)
            places, is_gone = story.places(number)
            together = story.looks.count(story.looks[number]) - 1
            total = places + self._rest + SEARCH.rest_in_hole * together * together
            total += sum(one.odds for one in doubts.values())
            telling = (1 if is_gone else places) + self._rest
            telling += sum(one.telling for one in doubts.values())
            ranked = sorted(doubts.items(), key=lambda one: -one[1].odds)[: QUESTIONS.others]
            others = tuple((move.by(player), min(one.odds / total, 1.0)) for move, one in ranked)
            pinned = number < len(self._pool.pinned)
            sure, told = (1.0, 1.0) if pinned else (1.0 / total, 1.0 / telling)
            faults = story.positions[number].faults
            look = self._finished_look(number)
            found.append(SearchedTurn(story.turn(number, root), sure, told, others, faults, look))
        return tuple(found)

    def _finished_look(self, number: int) -> int | None:
        """Return the first look that shows a turn finished: its pieces put down, scored ones gone home.

        None before that.
        """
        story, looks = self.best, self.evidence.number
        look = story.looks[number]
        position = story.positions[number]
        for piece in position.put:
            showing = story.showings[number, piece]
            if showing.track != UNSEEN:
                look = max(look, showing.first)
            elif piece.kind in OUTSIDE and (number, piece) not in story.ends:
                return None  # it is still in a player's hand
        for put, taken_by in story.ends.items():
            showing = story.showings[put]
            if taken_by == number and showing.track != UNSEEN:
                if showing.end >= looks and self.evidence.tracks.all[showing.track].is_on:
                    return None
                look = max(look, showing.end)
        return look if look < looks else None


def _cluster(cell: Cell, among: set[Cell]) -> set[Cell]:
    """Return the cells of ``among`` that are connected with ``cell`` by sides."""
    found: set[Cell] = set()
    rim = {cell}
    while rim:
        found |= rim
        rim = {neighbour(one, edge) for one in rim for edge in EDGES} & among - found
    return found
