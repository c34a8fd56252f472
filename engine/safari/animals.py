"""Animal tiles of Carcassonne Safari: hands, face-down stock, discards, and tiles nobody has seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.tiles.turn import UNKNOWN


@dataclass(frozen=True, slots=True)
class AnimalTiles:
    """Places of the animal tiles: hands, stock, discards (those at watering holes are not counted here).

    ``stock`` is how many lie face down. ``hidden`` counts, for each animal, the tiles that nobody has
    seen: they are in the stock, or a '?' in somebody's hand. ``down`` bounds how many of each lie in the
    stock: after a shuffle no more than were discarded. With all hands known both are the stock.
    """

    hands: Mapping[str, tuple[str, ...]]
    stock: int
    hidden: Mapping[str, int]
    down: Mapping[str, int]
    discards: Mapping[str, int]

    @classmethod
    def dealt(cls, tokens: Mapping[str, int], hands: Mapping[str, tuple[str, ...]]) -> AnimalTiles:
        """The tiles at the start. ``hidden`` is negative where hands hold more than there are."""
        hidden = dict(tokens)
        for hand in hands.values():
            for animal in hand:
                if animal != UNKNOWN:
                    hidden[animal] = hidden.get(animal, 0) - 1
        stock = sum(tokens.values()) - sum(len(hand) for hand in hands.values())
        return cls(hands, stock, hidden, hidden, dict.fromkeys(tokens, 0))

    def may_hold(self, player: str, animal: str) -> bool:
        """Whether that animal is in hand, or may be behind an unseen tile there."""
        hand = self.hands[player]
        return animal in hand or (UNKNOWN in hand and self.hidden.get(animal, 0) > 0)

    def candidates(self, player: str) -> tuple[str, ...]:
        """Every animal that the player has or may have in hand."""
        return tuple(animal for animal in self.hidden if self.may_hold(player, animal))

    def played(self, player: str, animal: str) -> AnimalTiles:
        """The tile taken out of the hand, an unseen one if need be."""
        hand = list(self.hands[player])
        hidden = self.hidden
        if animal in hand:
            hand.remove(animal)
        else:
            hand.remove(UNKNOWN)
            hidden = {**hidden, animal: hidden[animal] - 1}
        return AnimalTiles({**self.hands, player: tuple(hand)}, self.stock, hidden, self.down, self.discards)

    def discarded(self, animal: str) -> AnimalTiles:
        """One tile more among the discards (taken out of a hand before)."""
        discards = {**self.discards, animal: self.discards[animal] + 1}
        return AnimalTiles(self.hands, self.stock, self.hidden, self.down, discards)

    def ready(self) -> AnimalTiles:
        """The tiles with a stock to draw from: with none left, the discards are shuffled in."""
        if self.stock:
            return self
        hidden = {animal: number + self.discards[animal] for animal, number in self.hidden.items()}
        none = dict.fromkeys(self.discards, 0)
        return AnimalTiles(self.hands, sum(self.discards.values()), hidden, self.discards, none)

    def drawable(self) -> Mapping[str, int]:
        """Maximum number of each animal that the next draw can be of."""
        return {animal: min(number, self.down[animal]) for animal, number in self.hidden.items()}

    def drawn(self, player: str, animal: str) -> AnimalTiles:
        """One tile drawn from a stock that is not empty; ``animal`` is '?' where nobody sees it."""
        hidden, down = self.hidden, self.down
        if animal != UNKNOWN:
            hidden = {**hidden, animal: hidden[animal] - 1}
            down = {**down, animal: down[animal] - 1}
        hands = {**self.hands, player: (*self.hands[player], animal)}
        return AnimalTiles(hands, self.stock - 1, hidden, down, self.discards)
