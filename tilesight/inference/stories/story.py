"""Stories: whole histories of a game, legal or not, and their log-probability given all looks.

A story's probability is the prior of its moves times the likelihood of what the looks show of its tiles, of
their faces, and of its pieces (docs/inference.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from engine.tiles.board import Laid, Standing
from engine.tiles.pieces import OUTSIDE
from engine.tiles.turn import Turn
from tilesight.inference.evidence.piece_evidence import UNSEEN, PieceEvidence, Showing, Stay
from tilesight.inference.evidence.series import Vector
from tilesight.inference.evidence.table_evidence import Evidence
from tilesight.inference.params import PIECES
from tilesight.inference.stories.moves import Move, Moves, Position

FROM_START = -1
"""Number of the turn that put the pieces there at the start."""

Times = tuple[int, int, int, bool]
"""The time of a piece: `Stay.first`, `following`, `end`, and `last`."""
Put = tuple[int, Standing]
"""A piece, and the number of the turn that puts it down (from 0)."""


class Story:
    """One history, weighed by the evidence so far.

    ``positions`` are those after each move, ``looks`` the first looks at each tile. ``showings`` is how the
    looks show each piece, ``ends`` the turn that takes it off, ``users`` the piece that uses each track.
    ``options`` are the showings that each piece may have, and the looks for which they are.
    ``score`` is the log-probability in nats, up to a constant of all stories. ``sums`` (priors and faces) and
    ``rows`` (arrivals, by the last one's look) are what it has after each turn.
    """

    __slots__ = (
        *("ends", "looks", "moves", "options", "positions", "rows", "score", "showings", "sums", "users"),
    )

    def __init__(self, moves: tuple[Move, ...]) -> None:
        self.moves = moves
        self.positions: list[Position] = []
        self.looks: list[int] = []
        self.options: dict[Put, tuple[Times, list[Showing]]] = {}
        self.showings: dict[Put, Showing] = {}
        self.ends: dict[Put, int] = {}
        self.users: dict[int, Put] = {}
        self.score = 0.0
        self.sums: list[float] = []
        self.rows: list[Vector] = []

    def player(self, number: int, root: Position) -> str:
        """Return the player of turn ``number`` (from 0)."""
        return self.before(number, root).state.player

    def before(self, number: int, root: Position) -> Position:
        """Return the position before turn ``number``; ``root`` is the one at the start."""
        return self.positions[number - 1] if number else root

    def end(self, root: Position) -> Position:
        """Return the position after the last turn."""
        return self.positions[-1] if self.positions else root

    def turn(self, number: int, root: Position) -> Turn:
        """Return turn ``number`` (from 0)."""
        return self.moves[number].by(self.player(number, root))

    def places(self, number: int) -> tuple[int, bool]:
        """Return at how many places a piece beside the tiles may equally be that turn ``number`` puts down.

        1 if the looks show it, or the turn puts down none. And whether it is gone in the end.
        """
        position = self.positions[number]
        for piece in position.put:
            if piece.kind in OUTSIDE and self.showings[number, piece].track == UNSEEN:
                return max(len(position.state.grid.spaces), 1), (number, piece) in self.ends
        return 1, True

    def gain(self, number: int) -> float:
        """Return the nats of the pieces that turn ``number`` puts down."""
        return sum(self.showings[number, piece].nats for piece in self.positions[number].put)


class Scales:
    """Weighs the stories of one table."""

    def __init__(self, moves: Moves, evidence: Evidence) -> None:
        self.moves = moves
        self.evidence = evidence
        self.pieces = PieceEvidence(evidence)
        self.weighed = 0

    def weigh(self, moves: tuple[Move, ...], base: Story | None = None) -> Story:
        """Return the story of these moves, weighed.

        What it shares with the beginning of ``base``, weighed by the same evidence, is not computed again.
        """
        self.weighed += 1
        story = Story(moves)
        total, row, same = self._follow(story, base)
        self._place_in_time(story)
        self._match_pieces(story, base.options if base is not None else {}, same)
        arrived = float(row.max()) if moves else 0.0
        arrived -= self._hasten(story)
        story.score = total + arrived + _gain(story)
        return story

    def _hasten(self, story: Story) -> float:
        """Let tiles come sooner where their turns' pieces then gain more; return what it costs the tiles.

        A hand that hides a tile may show the piece that it put, and the place from which it took another.
        """
        told, cost = _gain(story), 0.0
        taken: dict[int, list[Put]] = {}
        for put, taken_by in story.ends.items():
            taken.setdefault(taken_by, []).append(put)
        for number, first in enumerate(story.looks):
            least = story.looks[number - 1] if number else 0
            if least == first:
                continue
            came, went = [(number, piece) for piece in story.positions[number].put], taken.get(number, [])
            runs = {*self._runs(story, came, first, 1), *self._runs(story, went, first, -1)}
            look = self._best_look(story, number, [*came, *went], {max(run, least) for run in runs})
            if look == first:
                continue
            nats = self.evidence.arrival(story.moves[number].cell).nats
            sooner = float(nats[first] - nats[look])
            self._move(story, number, look)
            if (gain := _gain(story)) > told + sooner:
                told, cost = gain, cost + sooner
            else:  # two pieces want the same track
                self._move(story, number, first)
        return cost

    def _move(self, story: Story, number: int, look: int) -> None:
        """Let a turn's tile come with a look, and find again how the looks show the pieces."""
        story.looks[number] = look
        self._match_pieces(story, story.options, len(story.moves))

    def _best_look(self, story: Story, number: int, puts: Sequence[Put], sooner: set[int]) -> int:
        """Return the look, of the usual one and ``sooner``, with which a turn's tile and pieces gain most."""
        usual = story.looks[number]
        if not sooner:
            return usual
        nats = self.evidence.arrival(story.moves[number].cell).nats
        gains: dict[int, float] = {}
        for look in (usual, *sorted(sooner)):
            story.looks[number] = look
            best = (self._showings(story, *put, self._times(story, *put))[0] for put in puts)
            gains[look] = float(nats[look]) + sum(one.nats for one in best)
        story.looks[number] = usual
        return max(gains, key=lambda look: gains[look])

    def _runs(self, story: Story, puts: Sequence[Put], look: int, sign: int) -> Iterator[int]:
        """Yield the looks since which pieces are shown (``sign`` 1) or missed (-1) up to ``look``."""
        seen = self.evidence
        for put in puts:
            showing = story.showings[put]
            tracks = seen.near(put[1].cell) if showing.track == UNSEEN else [seen.tracks.all[showing.track]]
            for track in tracks:
                since = track.seen.costs(seen.number, PIECES.repeated).run_before(look, sign)
                if since is not None:
                    yield since

    def most(self, moves: tuple[Move, ...], base: Story) -> float:
        """Return about the most that a story may score, by the turns in which it differs from ``base``.

        Infinite unless both lay tiles on the same cells in the same order. Not counted is what else may gain:
        later turns that become legal, and earlier pieces that leave at another time. `SEARCH.slack_nats`
        allows for it.
        """
        differ = [n for n, (move, was) in enumerate(zip(moves, base.moves, strict=False)) if move is not was]
        if len(moves) != len(base.moves) or any(moves[n].cell != base.moves[n].cell for n in differ):
            return math.inf
        if not differ:
            return base.score
        story = Story(moves)
        story.positions = base.positions[: differ[0]]
        story.looks, score = base.looks, base.score
        position = story.before(differ[0], self.moves.root)
        for number in range(differ[0], differ[-1] + 1):
            move, was = moves[number], base.moves[number]
            position = self.moves.after(position, move)
            story.positions.append(position)
            score += position.prior - base.positions[number].prior - base.gain(number)
            score += self.evidence.face(move.cell, move.tile, move.rot)
            score -= self.evidence.face(was.cell, was.tile, was.rot)
            for piece in position.put:
                times = self._times(story, number, piece)
                stay = Stay(piece, position.state.board.get(piece.cell), *times)
                end = times[0] if piece in position.gone else times[1]
                since = base.looks[number - 1] if number else 0
                most = self.pieces.most(stay._replace(end=end, last=False), since)
                if most < PIECES.doubtful_nats:
                    most = max(most, self._showings(story, number, piece, times)[0].nats)
                score += most
        return score

    def _follow(self, story: Story, base: Story | None) -> tuple[float, Vector, int]:
        """Play the story; return the nats of its priors and faces, and of arrivals by the last one's look.

        The number returned is that of the first moves that it shares with ``base``.
        """
        seen, moves, same = self.evidence, story.moves, 0
        if base is not None:
            most = min(len(moves), len(base.moves))
            while same < most and moves[same] is base.moves[same]:
                same += 1
            story.positions, story.sums = base.positions[:same], base.sums[:same]
            story.rows = base.rows[:same]
        position = story.positions[-1] if same else self.moves.root
        total = story.sums[-1] if same else 0.0
        row = story.rows[-1] if same else np.zeros(seen.number + 1)
        for move in moves[same:]:
            position = self.moves.after(position, move)
            total += (
                position.prior + seen.face(move.cell, move.tile, move.rot) - self.pieces.claimed(move.cell)
            )
            row = np.maximum.accumulate(row) + seen.arrival(move.cell).nats  # arrivals in the story's order
            story.positions.append(position)
            story.sums.append(total)
            story.rows.append(row)
        return total, row, same

    def _place_in_time(self, story: Story) -> None:
        """Find the first look at each tile, in the story's order, and the turn that takes each piece off."""
        end = self.evidence.number + 1
        home: dict[Standing, int] = {}
        looks = [0] * len(story.moves)
        for number in range(len(story.moves) - 1, FROM_START - 1, -1):
            if number >= 0:
                looks[number] = int(story.rows[number][:end].argmax())
                end = looks[number] + 1
                for piece in story.positions[number].gone:
                    home[piece] = number
            for piece in self._put(story, number):
                if piece in home:
                    story.ends[number, piece] = home.pop(piece)
        story.looks = looks

    def _put(self, story: Story, number: int) -> tuple[Standing, ...]:
        """Return the pieces that turn ``number`` puts down, or those there at the start."""
        return self.moves.root.put if number == FROM_START else story.positions[number].put

    def _match_pieces(
        self, story: Story, known: Mapping[Put, tuple[Times, list[Showing]]], same: int
    ) -> None:
        """Find how the looks show each piece; each track shows one piece at a time.

        ``known`` are the options of a story with the same first ``same`` moves.
        """
        options = story.options
        for number in range(FROM_START, len(story.moves)):
            for piece in self._put(story, number):
                times = self._times(story, number, piece)
                before = known.get((number, piece)) if number < same else None
                if before is None or before[0] != times:
                    before = (times, self._showings(story, number, piece, times))
                options[number, piece] = before
        best = {put: found[0] for put, (_, found) in options.items()}
        tracks = [one.track for one in best.values() if one.track != UNSEEN]
        if len(set(tracks)) < len(tracks):
            best = _shared({put: found for put, (_, found) in options.items()})
        story.showings = best
        story.users = {one.track: put for put, one in best.items() if one.track != UNSEEN}

    def _times(self, story: Story, number: int, piece: Standing) -> Times:
        """Return the looks of a piece that turn ``number`` puts down."""
        looks, turns = story.looks, len(story.moves)
        first = 0 if number == FROM_START else looks[number]
        taken_by = story.ends.get((number, piece))
        end = self.evidence.number if taken_by is None else max(looks[taken_by], first)
        following = looks[number + 1] if number + 1 < turns else self.evidence.number
        return first, following, end, number + 1 == turns

    def _showings(self, story: Story, number: int, piece: Standing, times: Times) -> list[Showing]:
        """Return the ways in which the looks may show a piece that turn ``number`` puts down."""
        moves, at_start = story.moves, number == FROM_START
        position = self.moves.root if at_start else story.positions[number]
        laid = position.state.board.get(piece.cell)
        stay = Stay(piece, laid, *times)
        found = self.pieces.showings(stay)
        if (
            found[0].nats < PIECES.doubtful_nats
            and not at_start
            and piece.feature
            and piece.cell == moves[number].cell
        ):
            others = (
                stay._replace(piece=piece._replace(cell=cell, feature=name), laid=laid, last=False)
                for cell, name, laid in self._rest_of_feature(story, number, piece)
            )
            found = self.pieces.elsewhere(found, stay, others)
        return found

    def _rest_of_feature(
        self, story: Story, number: int, piece: Standing
    ) -> Sequence[tuple[tuple[int, int], str, Laid]]:
        """Return the other tile features that a piece's feature had when turn ``number`` put it down."""
        before = story.before(number, self.moves.root).state
        board = story.positions[number].state.board
        laid = board.get(piece.cell)
        if laid is None:
            return ()
        for use in before.feature_uses(piece.cell, laid):
            if use.feature == piece.feature and use.sort[0] == piece.kind and use.region is not None:
                return [
                    (cell, name, board[cell])
                    for cell, name in use.region.places
                    if cell != piece.cell and cell in board
                ]
        return ()


def _gain(story: Story) -> float:
    """Return the nats of all pieces of a story."""
    return sum(one.nats for one in story.showings.values())


def _shared(options: dict[Put, list[Showing]]) -> dict[Put, Showing]:
    """Return the best showing of each piece if no track shows two at once; greedily, the clearest first."""
    ranked = sorted(
        ((one, number, piece) for (number, piece), found in options.items() for one in found),
        key=lambda item: (-item[0].nats, *item[0][1:], item[1]),
    )
    best: dict[Put, Showing] = {}
    used: dict[int, list[tuple[Showing, str]]] = {}
    for one, number, piece in ranked:
        if (number, piece) in best:
            continue
        if one.track != UNSEEN:
            if any(_clash(one, piece.kind, other, kind) for other, kind in used.get(one.track, ())):
                continue
            used.setdefault(one.track, []).append((one, piece.kind))
        best[number, piece] = one
    return best


def _clash(one: Showing, kind: str, other: Showing, its_kind: str) -> bool:
    """Whether two pieces cannot share a track: only those that move on come back to a place."""
    if kind in OUTSIDE or its_kind in OUTSIDE:
        return one.first < other.end and other.first < one.end
    return True
