"""Proposals: the faces of a cell, and the uses of pieces in a turn, that the looks suggest."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.geometry import CORNERS, EDGES, STEPS, Cell, cell_of, neighbour
from engine.tiles.actions import Action, Put, TurnPart
from engine.tiles.board import Laid, Standing
from engine.tiles.features import finished_by
from engine.tiles.foreign import ANY, MARK
from engine.tiles.pieces import OUTSIDE
from engine.tiles.turn import Turn
from tilesight.inference.evidence.tracks import Track
from tilesight.inference.evidence.traits import feature_point
from tilesight.inference.params import FAULT_NATS, SEARCH
from tilesight.inference.stories.moves import Move, Position
from tilesight.inference.stories.story import Scales, Story

Use = tuple[Action | None, tuple[TurnPart, ...]]
"""Action and parts of a turn."""
RankedFace = tuple[float, str, int]
"""Nats of a face, by its looks and the edges around it; design and rotation."""


class Proposals:
    """Proposals for the turns at one table, by what its looks show.

    ``outside`` is one of the pieces that stand beside the tiles; None in a game without such pieces.
    """

    def __init__(self, scales: Scales) -> None:
        self._seen, self._moves = scales.evidence, scales.moves
        self._matching = scales.pieces.matching
        self._start = scales.moves.root.state
        self._table: tuple[list[str], list[int], NDArray[np.int64], dict[str, int]] | None = None
        self.outside = next((piece for piece in self._start.standing if piece.kind in OUTSIDE), None)

    # -- faces

    def faces(self, cell: Cell, board: Mapping[Cell, Laid]) -> list[RankedFace]:
        """Return the faces that a cell may show, best first: those of the game, and an unknown one."""
        logs = self._seen.faces(cell)
        if logs is None:
            return []
        names, rows, table, kinds = self._faces_of_game()
        x, y = cell
        nats = logs[rows].copy()
        for i, (dx, dy) in enumerate(STEPS.values()):
            other = board.get((x + dx, y + dy))
            if other is not None:
                land = other.kinds[(i + 2) % 4]
                wrong = (table[:, :, i] != kinds.get(land, -1)) & (table[:, :, i] != kinds[ANY])
                nats -= FAULT_NATS["edge_mismatch"] * (wrong & (land != ANY))
        near = np.nonzero(nats >= nats.max() - SEARCH.within_nats)
        found = [(float(nats[r, t]), names[r], 90 * int(t)) for r, t in zip(*near, strict=True)]
        return sorted((one for one in found if one[1] != MARK or not one[2]), reverse=True)

    def _faces_of_game(self) -> tuple[list[str], list[int], NDArray[np.int64], dict[str, int]]:
        """Return the designs, their rows in readings, the lands of their edges, the lands' numbers."""
        if self._table is None or (MARK in self._seen.rows) != (MARK in self._table[0]):
            kinds: dict[str, int] = {ANY: 0}
            names = [name for name in self._seen.rows if name in self._start.whole_bag or name == MARK]
            table = [
                [
                    [kinds.setdefault(kind, len(kinds)) for kind in self._moves.laid(name, 90 * turn).kinds]
                    for turn in range(4)
                ]
                for name in names
            ]
            rows = [self._seen.rows[name] for name in names]
            self._table = (names, rows, np.array(table, np.int64), kinds)
        return self._table

    # -- pieces

    def local(self, position: Position, cell: Cell, design: str, rot: int) -> list[Action | None]:
        """Return the actions on the tile just laid, None among them, by the tracks there; best first."""
        state, laid = position.state, self._moves.laid(design, rot)
        ranked: dict[Action | None, float] = {None: SEARCH.no_piece_nats}
        tracks = [track for track in self._seen.near(cell) if track.worth > 0 and not track.token]
        for use in state.feature_uses(cell, laid) if tracks else ():
            kind, pose = use.sort
            piece = Standing(kind, state.player, cell, use.feature, pose=pose)
            ranked[use.action] = max(self._matching.match(track, laid, piece) for track in tracks)
        return sorted((one for one in ranked if ranked[one] > SEARCH.far_nats), key=lambda one: -ranked[one])

    def arriving(self, story: Story, number: int, since: int | None = None) -> list[Track]:
        """Return the tracks on which something appears about the time of turn ``number``.

        ``since`` is the first look at the tile of a turn that is to be put in there.
        """
        first = story.looks[number] if since is None else since
        rest = story.looks[number + (since is None) :]
        last = next((look for look in rest if look > first), self._seen.number)
        found = self._seen.once(self._with_onset, first - 2, last + 1)
        return sorted(found, key=lambda track: track.number in story.users)[: SEARCH.tracks]

    def _with_onset(self, first: int, last: int) -> list[Track]:
        """Return the tracks on which something appears in the looks [first, last], the clearest first."""
        found = [
            track
            for track in self._seen.tracks.all
            if track.worth > 1.0 and any(first <= look <= last for look in track.onsets)
        ]
        return sorted(found, key=lambda track: -track.worth)

    def uses(
        self, story: Story, number: int, cell: Cell, design: str, rot: int, *, new: bool = False
    ) -> list[Use]:
        """Return what turn ``number`` may do with a tile, likeliest first; ``new`` if it is to be put in."""
        position = story.before(number, self._moves.root)
        state = position.state
        local = self.local(position, cell, design, rot)
        turn = Turn(state.player, design, cell, rot)
        if taking := state.parts_taking(turn):
            return [(one, parts) for one in local[:3] for parts in ((), *((use,) for use in taking))]
        if self.outside is None:
            return [(one, ()) for one in local]
        kind = self.outside.kind
        tracks = self.arriving(story, number, self._seen.arrival(cell).first if new else None)
        laid = self._moves.laid(design, rot)
        board = {**state.board, cell: laid}
        own = None if new else story.moves[number]
        own = own if own is not None and (own.tile, own.rot) == (design, rot) else None
        actions = [*local[:3], None, *([own.action] if own is not None else [])]
        backs: list[tuple[TurnPart, ...]] = [()]
        spots = self._beside(tracks, board)
        if cell in position.outside:
            taken = position.outside
            spaces = [c for e in EDGES if (c := neighbour(cell, e)) not in board and c not in taken]
            places = [spot for spot in spots if spot not in taken][:3] or spaces[:1]
            backs = [(use,) for place in places for use in state.parts_putting(turn, Put(kind, place))]
        else:
            actions += [use for spot in spots for use in state.actions_putting(turn, Put(kind, spot))]
        actions += [
            use for put in self._on_corners(board, tracks) for use in state.actions_putting(turn, put)
        ]
        actions = list(dict.fromkeys(actions))
        uses = [
            (action, back + added)
            for action in actions
            for back in backs
            for added in self._added(position, Turn(state.player, design, cell, rot, action), board, tracks)
        ]
        return [(action, own.parts) for action in actions if own is not None] + uses

    def _beside(self, tracks: Sequence[Track], board: Mapping[Cell, Laid]) -> list[Cell]:
        """Return the empty cells beside tiles on which a piece may have been put."""
        cells = dict.fromkeys(
            cell
            for track in tracks
            if not track.token and (cell := cell_of(track.xy)) not in board
            if self.stands_outside(track, cell)
        )
        return [cell for cell in cells if any(neighbour(cell, edge) in board for edge in EDGES)]

    def stands_outside(self, track: Track, cell: Cell) -> bool:
        """Whether a track may show a piece beside the tiles, on ``cell``."""
        assert self.outside is not None
        piece = self.outside._replace(cell=cell)
        return self._matching.match(track, None, piece) > SEARCH.outside_nats

    def _on_corners(self, board: Mapping[Cell, Laid], tracks: Sequence[Track]) -> Iterator[Put]:
        """Yield the animal tiles that may have been laid on corners, by tracks of them or on them."""
        pack = self._start.pack
        for track in tracks:
            cell = cell_of(track.xy)
            for corner in CORNERS if cell in board else ():
                u, v = pack.token_spot(corner)
                at = (cell[0] + u, cell[1] + v)
                if math.dist(track.xy, at) > (SEARCH.corner_sides if track.token else SEARCH.covered_sides):
                    continue
                tokens = [
                    one
                    for one in self._seen.near(cell)
                    if one.token and one.worth > 0 and math.dist(one.xy, at) < SEARCH.corner_sides
                ]
                animals = list(pack.tokens)
                if tokens:
                    clearest = max(tokens, key=lambda one: one.worth)
                    probs = self._matching.mean(clearest).animal_probs
                    animals = sorted(probs, key=lambda name: -probs[name])[:3] or animals
                    animals = [one for i, one in enumerate(animals) if i == 0 or probs[one] > 0.03]
                for animal in animals:
                    yield Put("token", cell, corner, animal)

    def _added(
        self, position: Position, turn: Turn, board: Mapping[Cell, Laid], tracks: Sequence[Track]
    ) -> list[tuple[TurnPart, ...]]:
        """Return the animal tiles that may have been added to features that the turn finishes; none first.

        Such a tile may lie on any tile of the feature.
        """
        state = position.state
        found: list[tuple[TurnPart, ...]] = [()]
        _, own = state.landscape.lay(turn.cell, board[turn.cell])
        for _, region in finished_by(turn.cell, own):
            places = [
                (math.dist(track.xy, feature_point(board.get(c), c, name, "token")), track, c, name)
                for track in tracks
                if track.token
                for c, name in region.places
            ]
            near = sorted((one for one in places if one[0] < SEARCH.feature_sides), key=lambda one: one[0])
            for track in dict.fromkeys(one[1] for one in near[:2]):
                _, _, cell, name = next(one for one in near if one[1] is track)
                probs = self._matching.mean(track).animal_probs
                if probs:
                    animal = max(probs, key=lambda one: probs[one])
                    put = Put("token", cell, animal=animal, feature=name)
                    found += [(use,) for use in state.parts_putting(turn, put)]
        return found

    def with_face(self, story: Story, number: int, design: str, rot: int) -> Move:
        """Return move ``number`` of a story with another face; its piece goes to a feature of that face."""
        move = story.moves[number]
        action = move.action
        if action is not None and action.put is None:
            position = story.before(number, self._moves.root)
            action = next((one for one in self.local(position, move.cell, design, rot) if one), None)
        return self._moves.move(move.cell, design, rot, action, move.parts)
