"""Points of trails and bushes, finished and at the end (watering holes, rangers: `engine.safari.play`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from engine.message import Message, counted
from engine.safari.rules import BIRD_POINTS, SPECIES_POINTS, Rules
from engine.tiles.features import Region
from engine.tiles.game import ScoreEvent


def finished_points(region: Region, bonus: str | None = None) -> int:
    """Return the points of a finished trail or bush for one player.
    ``bonus`` is the animal that the player added (zman-2018, 'Scoring an animal trail', 'The Bush')."""
    species = set(region.animals) | ({bonus} if bonus else set())
    return SPECIES_POINTS[len(species)] + BIRD_POINTS * region.birds


def finished_reason(region: Region, bonus: str | None = None) -> Message:
    """Return the reason for `finished_points` as a sentence: animals and birds."""
    parts = [Message("{animal}", animal=animal) for animal in sorted(set(region.animals))]
    if bonus:
        parts.append(Message("{animal} added", animal=bonus))
    parts += _birds(region)
    return Message("{parts}", parts=parts) if parts else Message("no animals")


def _birds(region: Region) -> list[Message]:
    """Return the number of the region's birds as a sentence in a list; [] if it has none."""
    return [counted(region.birds, "{number} bird", "{number} birds")] if region.birds else []


def end_points(region: Region) -> int:
    """Return the points of an unfinished trail or bush at the end.
    They are one per animal and bird, repeated species included."""
    return len(region.animals) + BIRD_POINTS * region.birds


def end_scorers(region: Region, rules: Rules) -> frozenset[str]:
    """Return the colours that score an unfinished region by ``rules``: all with a meeple, or the majority.
    (docs/rulings.md, 'Presets (Safari)'.)"""
    if rules.end_scoring == "majority":
        return region.majority
    return frozenset(color for color, _ in region.meeples)


def end_events(
    regions: Iterable[Region], players: tuple[str, ...], rules: Rules, turn_no: int
) -> list[ScoreEvent]:
    """Return the events of the final scoring of unfinished trails and bushes with meeples.
    ``players`` order the events of one region, ``turn_no`` is the number that the events get."""
    events = []
    for region in regions:
        if not region.meeples:
            continue
        scorers = end_scorers(region, rules)
        points = end_points(region)
        numbers = Counter(region.animals)
        parts = [
            Message("{number} {animal}", number=number, animal=animal if number == 1 else f"{animal}s")
            for animal, number in sorted(numbers.items())
        ]
        parts += _birds(region)
        why = Message("unfinished: {parts}", parts=parts or [Message("no animals")])
        events += [
            ScoreEvent(
                turn_no, player, points, region.kind, why, region.cells, region.places[0][1], at_end=True
            )
            for player in players
            if player in scorers
        ]
    return events


def end_values(region: Region, rules: Rules) -> Mapping[str, int]:
    """Return the points of each colour with a meeple on an unfinished region if the game ended now."""
    points = end_points(region)
    scorers = end_scorers(region, rules)
    return {color: points if color in scorers else 0 for color in region.counts}
