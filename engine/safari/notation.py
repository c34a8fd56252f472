"""Notation of Carcassonne Safari: positions with baobabs, rangers, watering holes and animal tiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.geometry import Cell, Vertex, ring, vertex
from engine.safari import water
from engine.safari.animals import AnimalTiles
from engine.safari.rules import HOLE, PRESETS, RANGERS, TAKES
from engine.safari.state import SafariState
from engine.text_span import PositionWords, Span, cell_text, counts_text, name_text, names_text
from engine.tiles.board import Laid
from engine.tiles.features import finished_by
from engine.tiles.notation import (
    TILE_FIELDS,
    Piece,
    PositionReader,
    StartPosition,
    TileNotation,
    refuse_meeples_on_finished,
    take_from_supply,
)
from engine.tiles.turn import UNKNOWN


class SafariNotation(TileNotation):
    """Reader and writer of turns and positions."""

    title = "Carcassonne Safari"
    fields = (*TILE_FIELDS, "rangers", "holes", "hands", "discards", "down")
    state = SafariState
    presets = PRESETS

    def own_words(self, state: SafariState) -> list[str]:
        """Return the fields of rangers, watering holes and animal tiles."""
        animals = state.animals
        words = ["rangers=" + ";".join(map(cell_text, state.rangers))]
        if state.holes:
            words.append("holes=" + ";".join(token_text(t) for hole in state.holes.values() for t in hole))
        words.append("hands=" + names_text(animals.hands))
        if any(animals.discards.values()):
            words.append("discards=" + counts_text({a: n for a, n in animals.discards.items() if n}))
        down = {animal: n for animal, n in animals.down.items() if n != animals.hidden[animal]}
        if down:
            words.append("down=" + counts_text(down))
        return words

    def state_of(self, start: StartPosition, words: PositionWords) -> SafariState:
        """Parse the tiles, pieces and own fields of a position. Raises NotationError if it is impossible."""
        state = _PositionReader(start, words).state()
        holes, supply = _holes(state, words.optional("holes"))
        return replace(
            state,
            holes=holes,
            supply=supply,
            rangers=_rangers(state, words.field("rangers")),
            animals=_animals(state, holes, words),
        )


def token_text(token: water.Token) -> str:
    """Return an animal tile at a watering hole as in notation: ``lion,red,se@0,1``.
    ``red`` is the owner of the meeple on it, and is left out without one."""
    meeple = "" if token.meeple is None else f"{name_text(token.meeple)},"
    return f"{name_text(token.animal)},{meeple}{token.corner}@{cell_text(token.cell)}"


class _PositionReader(PositionReader):
    """Parser of the tiles and their meeples.
    It refuses meeples on features that were finished later."""

    takes = TAKES

    def __init__(self, start: StartPosition, words: PositionWords) -> None:
        super().__init__(start, words)
        self.trees: dict[Cell, tuple[str, str]] = {}
        self._trunks: dict[Cell, Span] = {}
        self._lay_all(words)
        for cell, span in self._trunks.items():
            if all(beside in self.grid.tiles for beside in ring(cell)):
                raise span.fault("this baobab is surrounded, so its meeple went home")

    def state(self) -> SafariState:
        """Return the position that was read, without animal tiles on the table."""
        state: SafariState = self.extended(trees=self.trees)
        return state

    def _lay(self, word: Span, cell: Cell, laid: Laid, piece: Piece | None) -> None:
        """Lay a tile, and put its meeple on a region or baobab.
        Raises NotationError at ``word`` or at the piece if that is impossible."""
        own_regions = self._lay_tile(word, cell, laid)
        if piece is not None:
            self._put_meeple(piece, cell, laid, own_regions)
            if piece.feature not in own_regions:  # a baobab: it reaches no edge
                self.trees[cell], self._trunks[cell] = (piece.feature, piece.color), piece.span
        for _, region in finished_by(cell, own_regions):
            refuse_meeples_on_finished(word, region)


def _rangers(state: SafariState, field: Span) -> tuple[Cell, ...]:
    """Parse the cells of the rangers, which are empty spaces beside tiles. Raises NotationError."""
    spans = field.split(";")
    rangers = tuple(span.cell() for span in spans)
    if len(rangers) != RANGERS or len(set(rangers)) != RANGERS:
        raise field.fault(f"there are {RANGERS} rangers, each on a space of its own")
    for span, cell in zip(spans, rangers, strict=True):
        if cell not in state.grid.spaces:
            raise span.fault(f"a ranger stands on an empty space beside a tile, {span.text} is none")
    return rangers


def _holes(
    state: SafariState, field: Span
) -> tuple[Mapping[Vertex, tuple[water.Token, ...]], Mapping[str, int]]:
    """Parse the watering holes; return them by vertex, and the number of meeples left in each supply.
    Raises NotationError if an animal tile could not be laid after those before it."""
    holes: dict[Vertex, tuple[water.Token, ...]] = {}
    spans: dict[Vertex, list[Span]] = {}
    supply = state.supply
    for span in field.split(";"):
        token = _token(state, span)
        point = vertex(token.cell, token.corner)
        hole = holes.get(point, ())
        for fault in water.corner_faults(state.board, holes, token.cell, token.corner):
            raise span.fault(fault.message)
        if water.touching(hole, token.cell):
            if token.meeple is not None:
                raise span.fault("no meeple comes with an animal tile that expands a watering hole")
            if any(other.animal == token.animal for other in hole):
                raise span.fault(f"there is already a tile of {token.animal} at this watering hole")
        if token.meeple is not None:
            supply = take_from_supply(supply, token.meeple, span, "meeples")
        holes[point] = (*hole, token)
        spans.setdefault(point, []).append(span)
    for point, hole in holes.items():
        for i, (token, span) in enumerate(zip(hole, spans[point], strict=True)):
            dug = not water.touching(hole[:i], token.cell)
            if dug and (token.meeple is None) != (len(hole) == HOLE):
                full = (
                    "is full, so its meeples went home" if token.meeple else "has room, so its meeple stays"
                )
                raise span.fault(f"this watering hole {full}")
    return holes, supply


def _token(state: SafariState, span: Span) -> water.Token:
    """Parse an animal tile at a watering hole: ``lion,red,se@0,1``. Raises NotationError."""
    what = "an animal, perhaps a meeple, and a corner such as lion,red,se@0,1"
    animal, rest = span.cut(",", what)
    meeple = None
    if "," in rest.text.partition("@")[0]:
        color, rest = rest.cut(",", what)
        meeple = color.one_of(state.players, "player")
    corner, cell = rest.corner()
    return water.Token(cell, corner, animal.one_of(state.animals.hidden, "animal"), meeple)


def _animals(state: SafariState, holes: water.Holes, words: PositionWords) -> AnimalTiles:
    """Parse hands and discards; all animal tiles that are elsewhere are unseen. Raises NotationError.
    ``holes`` are the watering holes, whose animal tiles are seen."""
    tokens = state.animals.hidden  # all tiles: the hands of the start position are unseen
    field = words.field("hands")
    hands: dict[str, tuple[str, ...]] = {}
    hidden = dict(tokens)
    for span, player, hand in field.names("an animal", "a player"):
        if player not in state.players:
            raise span.fault(f"{player} does not play in this game")
        for animal in hand:
            if animal not in tokens and animal != UNKNOWN:
                raise span.fault(f"there is no animal tile {animal}")
        hands[player] = hand
    for player in state.players:
        if player not in hands:
            raise field.fault(f"{player}'s hand is missing")
    discards = dict.fromkeys(tokens, 0)
    for span, animal, number in words.optional("discards").counts("an animal"):
        if animal not in tokens or number < 1:
            raise span.fault(f"{number} tiles of {animal} cannot be discarded")
        discards[animal] = number
    seen = [animal for hand in hands.values() for animal in hand if animal != UNKNOWN]
    seen += [token.animal for hole in holes.values() for token in hole]
    for animal in seen:
        hidden[animal] -= 1
    for animal, number in discards.items():
        hidden[animal] -= number
        if hidden[animal] < 0:
            raise field.fault(f"there are only {tokens[animal]} tiles of {animal}")
    stock = sum(hidden.values()) - sum(hand.count(UNKNOWN) for hand in hands.values())
    if stock < 0:
        raise field.fault("there are not so many animal tiles")
    down = dict(hidden)
    for span, animal, number in words.optional("down").counts("an animal"):
        if animal not in tokens:
            raise span.fault(f"there is no animal tile {animal}")
        down[animal] = number
    return AnimalTiles({player: hands[player] for player in state.players}, stock, hidden, down, discards)


SAFARI_NOTATION = SafariNotation()
