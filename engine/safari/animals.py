"""Animal tiles of Carcassonne Safari: hands, face-down stock, discards, and unseen tiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.tiles.turn import UNKNOWN


@dataclass(frozen=True, slots=True)
class AnimalTiles:
    """Immutable distribution of the animal tiles, without those at watering holes.

    ``stock`` is the number of face-down tiles. ``hidden`` is the number of unseen tiles of each animal: in
    the stock, or '?' in a hand. ``down`` is the maximum number of each animal in the stock; after a shuffle
    only discarded tiles are in it. If all hands are known, both describe the stock exactly.
    """

    hands: Mapping[str, tuple[str, ...]]
    stock: int
    hidden: Mapping[str, int]
    down: Mapping[str, int]
    discards: Mapping[str, int]

    @classmethod
    def dealt(cls, tokens: Mapping[str, int], hands: Mapping[str, tuple[str, ...]]) -> AnimalTiles:
        """Return the distribution at the start of a game; ``tokens`` are all animal tiles by animal.
        ``hidden`` is negative if the hands hold more tiles of an animal than there are."""
        hidden = dict(tokens)
        for hand in hands.values():
            for animal in hand:
                if animal != UNKNOWN:
                    hidden[animal] = hidden.get(animal, 0) - 1
        stock = sum(tokens.values()) - sum(len(hand) for hand in hands.values())
        return cls(hands, stock, hidden, hidden, dict.fromkeys(tokens, 0))

    def may_hold(self, player: str, animal: str) -> bool:
        """Whether the player has that animal in hand, or may have it as an unseen tile."""
        hand = self.hands[player]
        return animal in hand or (UNKNOWN in hand and self.hidden.get(animal, 0) > 0)

    def candidates(self, player: str) -> tuple[str, ...]:
        """Return the animals for which `may_hold` is true."""
        return tuple(animal for animal in self.hidden if self.may_hold(player, animal))

    def played(self, player: str, animal: str) -> AnimalTiles:
        """Return the distribution without one tile of a hand: one of that animal, or else an unseen one.
        Raises ValueError if the hand has neither."""
        hand = list(self.hands[player])
        hidden = self.hidden
        if animal in hand:
            hand.remove(animal)
        else:
            hand.remove(UNKNOWN)
            hidden = {**hidden, animal: hidden[animal] - 1}
        return AnimalTiles({**self.hands, player: tuple(hand)}, self.stock, hidden, self.down, self.discards)

    def discarded(self, animal: str) -> AnimalTiles:
        """Return the distribution with a tile more on the discards."""
        discards = {**self.discards, animal: self.discards[animal] + 1}
        return AnimalTiles(self.hands, self.stock, self.hidden, self.down, discards)

    def ready(self) -> AnimalTiles:
        """Return the distribution from which a tile can be drawn.
        If the stock is empty, the discards are shuffled into it."""
        if self.stock:
            return self
        hidden = {animal: number + self.discards[animal] for animal, number in self.hidden.items()}
        none = dict.fromkeys(self.discards, 0)
        return AnimalTiles(self.hands, sum(self.discards.values()), hidden, self.discards, none)

    def drawable(self) -> Mapping[str, int]:
        """Return the maximum number of tiles of each animal in the stock."""
        return {animal: min(number, self.down[animal]) for animal, number in self.hidden.items()}

    def drawn(self, player: str, animal: str) -> AnimalTiles:
        """Return the distribution after a player drew a tile from the stock, which must not be empty.
        ``animal`` is '?' if the tile is unseen."""
        hidden, down = self.hidden, self.down
        if animal != UNKNOWN:
            hidden = {**hidden, animal: hidden[animal] - 1}
            down = {**down, animal: down[animal] - 1}
        hands = {**self.hands, player: (*self.hands[player], animal)}
        return AnimalTiles(hands, self.stock - 1, hidden, down, self.discards)
