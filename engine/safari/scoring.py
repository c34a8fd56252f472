"""Points of trails and bushes, finished and at the end (watering holes, rangers: `engine.safari.play`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from engine.geometry import ring
from engine.message import Message, counted
from engine.safari.rules import BAOBAB_TILES, BIRD_POINTS, FULL_HOLE_POINTS, HOLE, SPECIES_POINTS, Rules
from engine.safari.water import Token, composition
from engine.tiles.board import LaidTiles
from engine.tiles.features import Composition, Region
from engine.tiles.game import ScoreEvent, Spot
from engine.tiles.turn import FeatureRef


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
        of = Composition.of(region, Message("unfinished: {parts}", parts=_printed(region)))
        events += [
            ScoreEvent(turn_no, player, points, region.kind, of, at_end=True)
            for player in players
            if player in scorers
        ]
    return events


def spot(region: Region, rules: Rules) -> Spot:
    """Return the value of a trail or bush that has not scored yet."""
    points, scorers = end_points(region), end_scorers(region, rules)
    return Spot(
        kind=region.kind,
        of=Composition.of(region, Message("{parts}", parts=_printed(region))),
        meeples=region.counts,
        if_completed=finished_points(region),
        if_ended={color: points if color in scorers else 0 for color in region.counts},
        open_edges=len(region.ports),
    )


def _printed(region: Region) -> list[Message]:
    """Return the numbers of a region's animals and birds as sentences in a list."""
    numbers = Counter(region.animals)
    parts = [
        Message("{number} {animal}", number=number, animal=animal if number == 1 else f"{animal}s")
        for animal, number in sorted(numbers.items())
    ]
    return parts + _birds(region) or [Message("no animals")]


def hole_spot(hole: tuple[Token, ...]) -> Spot:
    """Return the value of a watering hole with meeples, which scores for them once it has four animal
    tiles."""
    number = len(hole)
    parts = [counted(number, "{number} animal tile of 4", "{number} animal tiles of 4")]
    owners = Counter(token.meeple for token in hole if token.meeple is not None)
    of = composition(hole, Message("{parts}", parts=parts))
    return Spot("watering_hole", of, owners, FULL_HOLE_POINTS, dict.fromkeys(owners, 0), HOLE - number)


def baobab_spot(place: FeatureRef, color: str, board: LaidTiles) -> Spot:
    """Return the value of a baobab with a meeple: animal tiles once it is surrounded, but no points."""
    cell = place[0]
    laid = sum(beside in board for beside in ring(cell))
    parts = (
        counted(laid, "{number} tile around it", "{number} tiles around it"),
        Message("{number} animal tiles once surrounded", number=BAOBAB_TILES),
    )
    of = Composition(Message("{parts}", parts=parts), (place,), (cell,))
    return Spot("baobab", of, {color: 1}, 0, {color: 0}, len(ring(cell)) - laid)
