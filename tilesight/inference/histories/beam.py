"""Beam: the histories that are followed from a certain position; their weights and pruning.

Weights are functions of the appearances alone. A look that changes no appearance changes weights only through
the time that has passed; a later look corrects every turn that is still open.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from engine.tiles.game import GameState
from engine.tiles.turn import Turn
from tilesight.inference.histories.appearances import Appearances
from tilesight.inference.histories.history import Node, root_at, same_turn
from tilesight.inference.histories.params import PARAMS
from tilesight.inference.histories.piece_evidence import PieceEvidence
from tilesight.inference.histories.piece_match import PieceMatch
from tilesight.inference.histories.tile_evidence import TileEvidence
from vision.pieces.feature_assignment import kinds_of

NODES_AT_MOST = 600
"""Number of nodes kept after a look: a bound on work."""


class Beam:
    """The histories after a certain position, ``root``; their evidence is read from ``seen``.

    ``lost`` is the total probability of pruned histories.
    """

    def __init__(self, state: GameState, seen: Appearances) -> None:
        self.seen = seen
        match = PieceMatch(seen, state.pack, state.players, kinds_of(state.pack))
        self.tiles = TileEvidence(seen)
        self.pieces = PieceEvidence(seen, state.pack, match)
        self.root = root_at(state)
        self.lost = 0.0

    def put_root(self, node: Node) -> None:
        """Make ``node`` the root: its turn and all turns before are certain, other histories are dropped."""
        node.parent, node.turn = None, None
        self.root = node
        self.drop_stale_links()

    def drop_stale_links(self) -> None:
        """Clear the links to hosts and guests that are no longer in the DAG."""
        known = set(self.root.walk())
        for node in known:
            node.guests = [guest for guest in node.guests if guest in known]
            if node.host is not None and node.host not in known:
                node.host = None

    def leader(self) -> Node:
        """Return the node with the greatest weight, which ends the likeliest history."""
        return max(self.root.walk(), key=lambda node: node.weight)

    def weigh(self, nodes: Iterable[Node]) -> None:
        """Update the weights of ``nodes``, which must be ordered parents first."""
        for node in nodes:
            node.weigh(self.tiles, self.pieces)

    # -- pruning

    def prune(self) -> None:
        """Drop nodes far behind the likeliest; add their probability to ``lost``.

        About `NODES_AT_MOST` stay, and nodes with children.
        """
        nodes = self.root.walk()
        ranked = sorted((node.weight for node in nodes), reverse=True)
        floor = ranked[0] - PARAMS.keep_within_nats
        if len(ranked) > NODES_AT_MOST:
            floor = max(floor, ranked[NODES_AT_MOST])
        total = math.fsum(math.exp(weight - ranked[0]) for weight in ranked)
        dropped = 0.0
        for node in reversed(nodes):  # children before parents
            for key, group in list(node.laid.items()):
                kept = [
                    child
                    for child in group
                    if child.laid or child.weight >= floor or (child.host is not None and child.host.laid)
                ]
                if len(kept) < len(group):
                    gone = [child for child in group if child not in kept]
                    dropped += math.fsum(math.exp(child.weight - ranked[0]) for child in gone)
                    node.laid[key] = kept
                if not kept:
                    # All turns here were pruned: forget the placement, so that it can be tried again.
                    del node.laid[key]
                    node.waiting.pop(key, None)
        if dropped:
            self.drop_stale_links()
        self.lost += (1.0 - self.lost) * dropped / total

    def refuse(self, turns: Sequence[Turn]) -> None:
        """Replace the root's refused turns by ``turns``, and remove these from its children.

        :meth:`lift_refusals` allows each again once its tile is gone from the table.
        """
        self.root.refused = tuple(turns)
        for key, group in list(self.root.laid.items()):
            self.root.laid[key] = [
                child
                for child in group
                if child.turn is not None and not any(same_turn(child.turn, turn) for turn in turns)
            ]

    def lift_refusals(self) -> None:
        """Allow refused turns again whose cell shows no tile now."""
        gone = [turn for turn in self.root.refused if not self.seen.has_tile(turn.cell)]
        if gone:
            self.root.refused = tuple(turn for turn in self.root.refused if turn not in gone)
            for turn in gone:
                self.root.waiting.pop((turn.cell, turn.tile, turn.rot), None)
