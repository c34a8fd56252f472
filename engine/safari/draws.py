"""Draws of animal tiles in one turn: named by the turn, chosen by a function, or unseen."""

from __future__ import annotations

from engine.fault import Fault
from engine.geometry import Cell
from engine.message import Message
from engine.safari.actions import Drawn
from engine.safari.animals import AnimalTiles
from engine.safari.rules import BAOBAB_TILES
from engine.tiles.common_rules import unknown_player
from engine.tiles.game import Pick
from engine.tiles.turn import UNKNOWN, Turn


class Draws:
    """Draws of one turn.
    ``made`` are each player's draws so far, '?' if unseen. ``pick`` chooses the animals; without it they are
    those that the turn's `Drawn` parts name."""

    def __init__(self, turn: Turn, players: tuple[str, ...], pick: Pick | None) -> None:
        self.made: dict[str, list[str]] = {}
        self._named = {part.player: part.animals for part in turn.parts_of(Drawn)}
        self._players = players
        self._pick = pick

    def baobab(self, player: str, animals: AnimalTiles) -> tuple[AnimalTiles, int, list[Fault]]:
        """Draw a baobab's animal tiles, and add them to ``made``.

        Returns the distribution afterwards, the number drawn (fewer than due if the tiles ran out), and the
        faults of named animals that cannot have been drawn.
        """
        faults: list[Fault] = []
        for number in range(BAOBAB_TILES):
            ready = animals.ready()
            if not ready.stock:
                return animals, number, faults
            animal = self._next(player, ready)
            if animal != UNKNOWN and ready.drawable().get(animal, 0) <= 0:
                if animal in ready.hidden:
                    message = Message("no {animal} can be left to draw", animal=animal)
                    faults.append(Fault("none_left_to_draw", message, player=player))
                else:
                    faults.append(unknown_animal(player, animal))
                animal = UNKNOWN
            animals = ready.drawn(player, animal)
            self.made.setdefault(player, []).append(animal)
        return animals, BAOBAB_TILES, faults

    def _next(self, player: str, animals: AnimalTiles) -> str:
        """Return the next animal that a player draws: chosen, named by the turn, or '?'."""
        if self._pick is not None:
            return self._pick(player, animals.drawable())
        named, number = self._named.get(player, ()), len(self.made.get(player, ()))
        return named[number] if number < len(named) else UNKNOWN

    def faults(self) -> list[Fault]:
        """Return the faults of a turn that names more or fewer tiles than were drawn.
        [] if ``pick`` chose them."""
        if self._pick is not None:
            return []
        faults = []
        for player, animals in self._named.items():
            if player not in self._players:
                faults.append(unknown_player(player))
                continue
            due = len(self.made.get(player, ()))
            if len(animals) != due:
                message = Message(
                    "{player} draws {due} animal tiles in this turn, not {number}",
                    player=player, due=due, number=len(animals),
                )  # fmt: skip
                faults.append(Fault("draws_wrong_number", message, player=player))
        return faults

    def faults_alone(self, animals: AnimalTiles) -> list[Fault]:
        """Return the faults of the named draws that do not depend on the rest of the turn.
        They are unknown players, and animals that are not in ``animals``."""
        faults = []
        for player, named in self._named.items():
            if player not in self._players:
                faults.append(unknown_player(player))
            strange = (animal for animal in named if animal != UNKNOWN and animal not in animals.hidden)
            faults += [unknown_animal(player, animal) for animal in strange]
        return faults


def unknown_animal(player: str, animal: str, cell: Cell | None = None) -> Fault:
    """Return the fault of an animal that no animal tile shows."""
    message = Message("there is no animal tile {animal}", animal=animal)
    return Fault("unknown_animal", message, cell, player=player)
