"""Growth: extends the likely histories of a beam by the turns that the table supports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from engine.geometry import EDGES, Cell, neighbour
from tilesight.inference.candidates import piece_actions
from tilesight.inference.histories.beam import Beam
from tilesight.inference.histories.history import Node, node_after, same_turn
from tilesight.inference.histories.params import PARAMS
from tilesight.inference.histories.piece_evidence import PlacingTime
from tilesight.inference.histories.timing import unseen_between
from tilesight.inference.signs import Signs

FACES_AT_MOST = 8
"""Number of faces tried per cell and history: a bound on work."""
GROW_AT_MOST = 20
"""Number of histories continued at a time: a bound on work."""
FOLLOWED_AT_MOST = 16
"""Number of alternatives to known turns that are continued to the end: a bound on work."""
TURNS_AT_MOST = 96
"""Number of turns tried for one placement: a bound on work."""
TURN_NATS = 2.0
"""Typical cost in nats of one more turn; makes histories of different lengths comparable."""
UNWATCHED = 0.05
"""Least probability that a piece came and went between two looks for such turns to be tried."""


class Growth:
    """Extends the histories of one beam."""

    def __init__(self, beam: Beam) -> None:
        self._beam = beam
        self._seen = beam.seen
        self._pieces = 0

    def update(self) -> None:
        """Weigh all histories by the current appearances, extend the likely ones, and prune the others."""
        signs = self._seen.signs()
        self._follow_relaid()
        self._beam.weigh(self._beam.root.walk())
        cells = self._unexplained()
        started = self._alternative_turns(cells, signs)
        self._beam.weigh(started)
        for node in self._worth_continuing(started)[:FOLLOWED_AT_MOST]:
            self._follow(node)
        frontier = self._frontier(cells)
        while frontier:
            new = [child for node in frontier for child in self._grow(node, cells, signs)]
            self._beam.weigh(new)
            started += new
            frontier = self._next_frontier(new, cells)
        nodes = self._beam.root.walk()
        if started and any(node.guests for node in nodes):
            self._beam.weigh(nodes)  # each further order that leads to a host adds to its children's weight
        self._beam.prune()

    def _unexplained(self) -> list[Cell]:
        """Return the cells that show a tile and belong to no certain turn."""
        board = self._beam.root.board
        return [cell for cell, memory in self._seen.cells.items() if memory.lies and cell not in board]

    def _frontier(self, cells: Sequence[Cell]) -> list[Node]:
        """Return the ends of the likeliest histories that lack tiles on ``cells``.

        Also the likeliest such end below each of `_rivals`.
        """
        ends = [n for n in self._beam.root.walk() if not n.laid and n.host is None]
        ranked = self._most_promising(
            [n for n in ends if any(self._may_grow(n, cell) for cell in cells)], cells
        )
        chosen = ranked[:GROW_AT_MOST]
        open_ends = set(ranked)
        rivals = [
            max(one.walk(), key=lambda n: n.weight if n in open_ends else -math.inf) for one in self._rivals()
        ]
        return list(dict.fromkeys([*chosen, *(rival for rival in rivals if rival in open_ends)]))

    def _most_promising(self, nodes: Sequence[Node], cells: Sequence[Cell]) -> list[Node]:
        """Return those ``nodes`` that may come near the likeliest history, most promising first.

        Each is estimated as if its history explained the tiles on ``cells``.
        """
        worth = {node: self._optimistic_score(node, cells) for node in nodes}
        best = max([*worth.values(), self._optimistic_score(self._beam.leader(), cells)], default=0.0)
        near = [node for node in nodes if worth[node] >= best - PARAMS.grow_within_nats]
        return sorted(near, key=lambda node: worth[node], reverse=True)

    def _rivals(self) -> list[Node]:
        """Return, for each turn of the likeliest history, the likeliest node with another turn in its place.

        Without them, one doubt could be crowded out of the beam by many doubts about later turns.
        """
        rivals = []
        weights = subtree_weights(self._beam.root)
        for node in self._beam.leader().path():
            assert node.parent is not None
            others = [other for other in node.parent.children if other is not node and other.laid]
            if others:
                rivals.append(max(others, key=lambda one: weights[one]))
        return rivals

    # -- alternatives to known turns

    def _alternative_turns(self, cells: Sequence[Cell], signs: Signs) -> list[Node]:
        """Start alternatives to turns of the likeliest history, and return the new nodes.

        They are due when a tile was detected late, rotated or moved, or a piece was.
        """
        new = []
        for node in (self._beam.root, *self._beam.leader().path()):
            if node.laid and node.host is None:
                new += self._grow(node, cells, signs)
        return new + self._start_waiting(signs)

    def _worth_continuing(self, started: Sequence[Node]) -> list[Node]:
        """Return the nodes of ``started`` that may come near the likeliest history, most promising first.

        Each is estimated as if it were continued like the turn that it replaces; nodes that replace none are
        left out.
        """
        reached = subtree_weights(self._beam.root)
        replaced: dict[Node | None, Node | None] = {}
        worth = {}
        for node in started:
            if node.parent not in replaced:
                assert node.parent is not None
                siblings = [other for other in node.parent.children if other.laid]
                replaced[node.parent] = max(siblings, key=lambda one: reached[one], default=None)
            other = replaced[node.parent]
            if other is not None:
                worth[node] = node.weight - other.weight + reached[other]
        best = reached[self._beam.root]
        near = [node for node in worth if worth[node] >= best - PARAMS.grow_within_nats]
        return sorted(near, key=lambda node: worth[node], reverse=True)

    def _follow(self, node: Node) -> None:
        """Continue a node with the turns that follow the likeliest of its siblings."""
        assert node.parent is not None
        siblings = [other for other in node.parent.children if other is not node and other.laid]
        if siblings:
            weights = subtree_weights(node.parent)
            best = max(siblings, key=lambda one: weights[one])
            end = max(best.walk(), key=lambda one: one.weight)
            self._play(node, end.path()[len(node.path()) - 1 :])

    def _play(self, node: Node, known: Sequence[Node]) -> None:
        """Continue a node with the turns of another history, each by the player to move.

        Turns that are not legal there are skipped.
        """
        for one in known:
            assert one.turn is not None
            turn = replace(one.turn.seen, player=node.state.player)
            if turn.cell in node.board or node.state.faults(turn):
                continue
            key = (turn.cell, turn.tile, turn.rot)
            child = next(
                (c for c in node.laid.get(key, ()) if c.turn is not None and same_turn(c.turn, turn)), None
            )
            if child is None:
                outcome = node.legal.turns(key).candidate(turn).outcome
                child = node_after(node, turn, outcome, one.at._replace(deadline=None), self._beam.tiles)
                node.laid[key] = [*node.laid.get(key, []), child]
                child.weigh(self._beam.tiles, self._beam.pieces)
            node = child

    def _follow_relaid(self) -> None:
        """Start histories in which a tile was laid only later than it was first detected.

        Before that, the table looked like a tile, or the tile was moved. Empties the list of those cells
        (``relaid``).
        """
        relaid, self._seen.relaid = self._seen.relaid, set()
        for node in self._beam.root.walk() if relaid else ():
            for key, group in list(node.laid.items()):
                if key[0] not in relaid:
                    continue
                first, earliest = self._beam.tiles.looks(key[0])
                if group[0].at.first == first:
                    continue
                weights = subtree_weights(node)
                best = max(group, key=lambda one: weights[one])
                end = max(best.walk(), key=lambda one: one.weight)
                if earliest > group[0].at.first:
                    del node.laid[key]
                    node.waiting.pop(key, None)
                self._play(node, end.path()[len(node.path()) + 1 :])
        if relaid:
            self._beam.drop_stale_links()

    def _optimistic_score(self, node: Node, cells: Sequence[Cell]) -> float:
        """Return an upper estimate (nats) of a node's weight once the tiles on ``cells`` are explained."""
        missing = [cell for cell in cells if cell not in node.board]
        weight = (
            node.weight if not missing else node.closed_weight(self._beam.pieces, len(self._seen.times) - 1)
        )
        tiles, pieces = self._beam.tiles, self._beam.pieces
        return weight + math.fsum(tiles.gain(cell) + pieces.to_explain(cell) - TURN_NATS for cell in missing)

    def _next_frontier(self, started: Sequence[Node], cells: Sequence[Cell]) -> list[Node]:
        """Return those nodes of ``started`` to extend further, because tiles on ``cells`` are still missing.

        Several tiles were laid between two looks: all orders that the rules allow are followed. Nodes with
        the same position are joined under one host, and only the host is returned.
        """
        lacking = [node for node in started if any(cell not in node.board for cell in cells)]
        ranked = self._most_promising(lacking, cells)
        hosts: dict[object, Node] = {}
        for node in ranked:
            host = hosts.get(node.position_key)
            if host is not None:
                node.host = host
                host.guests.append(node)
            elif len(hosts) < 2 * GROW_AT_MOST:
                hosts[node.position_key] = node
        return list(hosts.values())

    def _grow(self, node: Node, cells: Sequence[Cell], signs: Signs) -> list[Node]:
        """Add children to a node on those of ``cells`` that its board lacks and that look new.

        Return them.
        """
        new = []
        for cell in cells:
            if not self._may_grow(node, cell):
                continue
            node.tried[cell] = self._seen.version(cell)
            fits = 0
            for design, rot in self._beam.tiles.likely_faces(cell):
                if (cell, rot) in node.legal.placements(design):
                    new += self._start(node, (cell, design, rot), signs)
                    fits += 1
                    if fits == FACES_AT_MOST:
                        break
        return new

    def _may_grow(self, node: Node, cell: Cell) -> bool:
        """Whether a turn after ``node`` may lay a tile on ``cell``.

        The cell must be free beside a tile, changed since it was last tried, and not filled too late
        (`_too_late`).
        """
        if cell in node.board or node.tried.get(cell) == self._seen.version(cell):
            return False
        return any(neighbour(cell, edge) in node.board for edge in EDGES) and not self._too_late(node, cell)

    def _too_late(self, node: Node, cell: Cell) -> bool:
        """Whether the tile on ``cell`` arrived too late to be laid before the tiles of the children."""
        if not node.laid or self._beam.tiles.overlooked(cell) <= PARAMS.grow_within_nats:
            return False
        earliest = self._beam.tiles.looks(cell)[1]
        here = [
            child
            for child in node.children
            if child.turn is not None and self._seen.has_tile(child.turn.cell)
        ]
        return bool(here) and all(earliest > child.at.first for child in here)

    def _start_waiting(self, signs: Signs) -> list[Node]:
        """Start turns of placements tried earlier whose pieces were detected since. Return the new nodes."""
        if self._pieces == self._seen.pieces_version:
            return []
        self._pieces = self._seen.pieces_version
        new = []
        reached = subtree_weights(self._beam.root)
        floor = reached[self._beam.root] - PARAMS.grow_within_nats
        for node in self._beam.root.walk():
            if reached[node] >= floor:
                for key in list(node.laid):
                    new += self._start(node, key, signs)
        return new

    def _start(self, node: Node, key: tuple[Cell, str, int], signs: Signs) -> list[Node]:
        """Add children to a node for the placement ``key``, as far as the signs support them. Return them."""
        if key not in node.waiting:
            node.waiting[key] = node.legal.waiting(key)
        first, earliest = self._beam.tiles.looks(key[0])
        unwatched = unseen_between(self._seen.gap_s(first, earliest)) > UNWATCHED
        ready = node.waiting[key].ready(signs, unseen=unwatched, unwatched=unwatched)
        if not ready:
            return []
        group = node.laid.get(key, [])
        there = {piece_actions(child.turn) for child in group if child.turn is not None}
        new = []
        for candidate in ready[: TURNS_AT_MOST - len(group)]:
            turn = candidate.turn
            if piece_actions(turn) in there or any(same_turn(turn, one) for one in node.refused):
                continue
            at = PlacingTime(first, earliest, None)
            new.append(node_after(node, turn, candidate.outcome, at, self._beam.tiles))
        if new:
            node.laid[key] = [*group, *new]
        return new


def subtree_weights(root: Node) -> dict[Node, float]:
    """Return, for ``root`` and each node below it, the weight of the likeliest history through it."""
    found: dict[Node, float] = {}
    for node in reversed(root.walk()):  # children before parents
        found[node] = max([node.weight, *(found[child] for child in node.children)])
    return found
