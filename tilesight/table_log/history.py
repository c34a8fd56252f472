"""Edits of a game's history: which later turns can still be played, and which had to be dropped."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, NoReturn, Protocol, TypeVar

from engine.fault import Fault
from engine.game import IllegalTurn, Position
from engine.message import Message, message_of
from web.table.refusal import Refusal

T = TypeVar("T")
"""A game's turn."""
UNKEPT_COST, BARE_COST, RECOLORED_COST, RESEATED_COST = 100, 5, 3, 1
"""Costs of a later turn that is dropped, that keeps only its tile, that becomes another player's with its
piece, and that becomes another player's without a piece. The continuation of least total cost is used."""
WAYS = 6
"""Maximum number of continuations that are followed at a time, to limit the work."""


class Reseat(Protocol):
    """Function that makes a turn another player's; None if it cannot have been theirs.

    With ``recolored`` its pieces change colour too; without it, a turn with a piece stays with the piece's
    owner.
    """

    def __call__(self, turn: Any, player: str, *, recolored: bool) -> Any | None:
        """Return the turn as that of ``player``; None if it cannot have been."""


Bare = Callable[[Any, Any], Any | None]
"""Function of a position and a turn that returns the legal turn with the same tile and placement and no
piece; None if there is none."""


@dataclass(frozen=True, slots=True)
class Unkept(Generic[T]):
    """A turn that could not be kept: its number before the edit, and why it is no longer legal."""

    number: int
    turn: T
    faults: tuple[Fault, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the turn as JSON for log and state (docs/formats.md, 'Edits of the history')."""
        line = self.turn.to_json()  # type: ignore[attr-defined]
        return {"turn": self.number, "line": line, "faults": [fault.to_json() for fault in self.faults]}


@dataclass(frozen=True, slots=True)
class Edited(Generic[T]):
    """Turns of the game after an edit.

    ``reseated`` maps new numbers to the former turns of those that changed player or lost their piece;
    ``unkept`` are the turns that were dropped.
    """

    position: Position
    turns: tuple[T, ...]
    reseated: tuple[tuple[int, T], ...] = ()
    unkept: tuple[Unkept[T], ...] = ()
    cost: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the turns that the edit could not keep unchanged, for the log; empty if it kept all."""
        reseated = [{"turn": number, "was": turn.to_json()} for number, turn in self.reseated]  # type: ignore[attr-defined]
        unkept = [one.to_json() for one in self.unkept]
        return {**({"reseated": reseated} if reseated else {}), **({"unkept": unkept} if unkept else {})}


class History(Generic[T]):
    """Turns played so far, as the subject of edits.

    Every edit returns the turns afterwards and changes nothing here; it raises Refusal if the rules do not
    allow it.
    """

    def __init__(
        self,
        turns: Sequence[T],
        before: Callable[[int], Position],
        reseat: Reseat,
        bare: Bare = lambda position, turn: None,
    ) -> None:
        """Edit ``turns``; ``before(number)`` returns the position before a turn, counted from 1.

        ``reseat`` and ``bare`` change later turns that are no longer legal as they are.
        """
        self._turns = tuple(turns)
        self._before = before
        self._reseat, self._bare = reseat, bare

    def replaced(self, number: int, turn: T) -> Edited[T]:
        """Replace turn ``number``, or append one after the last; keep as many later turns as possible.

        Raises Refusal if ``turn`` is illegal there or there is no such number.
        """
        self._check(number, one_more=True)
        return self._with(number, [turn], number + 1)

    def removed(self, number: int) -> Edited[T]:
        """Remove one turn; keep as many later turns as possible. Raises Refusal if there is no such turn."""
        self._check(number)
        return self._with(number, [], number + 1)

    def inserted(self, number: int, turns: Sequence[T]) -> Edited[T]:
        """Insert turns before turn ``number``, or after the last; keep as many later turns as possible.

        Raises Refusal if one of them is illegal or there is no such number.
        """
        self._check(number, one_more=True)
        return self._with(number, turns, number)

    def moved(self, number: int, to: int) -> Edited[T]:
        """Move one turn to number ``to``.

        The turns between keep their order, and each becomes that of the player to move there. Raises Refusal
        if one of them would be illegal.
        """
        self._check(number)
        self._check(to)
        order = list(enumerate(self._turns, 1))
        order.insert(to - 1, order.pop(number - 1))
        low, high = sorted((number, to))
        return self._in_order(order, low, range(low, high + 1))

    def reordered(self, number: int, order: Sequence[int]) -> Edited[T]:
        """Reorder the turns from ``number`` on; ``order`` holds their current numbers, each once.

        A turn without a piece becomes that of the player to move there; one with a piece keeps its player.
        Raises Refusal if one of them would be illegal.
        """
        if sorted(order) != list(range(number, number + len(order))):
            message = Message("an order names each turn from {turn} on once", turn=number)
            raise Refusal("unreadable", message)
        self._check(number)
        self._check(number + len(order) - 1)
        way = Edited(self._before(number), self._turns[: number - 1])
        for one in order:
            turn = self._turns[one - 1]
            ways = self._reseatings(way, turn, recolored=False)
            way = ways[0] if ways else _refused(way.position.faults(turn))
        # The moved turns' players are part of the edit itself, so they are not reported as changes.
        start = Edited(way.position, way.turns)
        return self._continued(start, list(enumerate(self._turns, 1))[number + len(order) - 1 :])

    def given_to(self, number: int, player: str) -> Edited[T]:
        """Make one turn another player's: it changes places with a turn of theirs.

        That is the nearest one for which every turn stays legal. Raises Refusal if there is none.
        """
        self._check(number)
        owners = {one: turn.player for one, turn in enumerate(self._turns, 1)}  # type: ignore[attr-defined]
        if player == owners[number]:
            return self._with(number, [self._turns[number - 1]], number + 1)
        reach = 2 * len(self._before(1).players)
        theirs = [one for one, owner in owners.items() if owner == player and abs(one - number) <= reach]
        for other in sorted(theirs, key=lambda one: (abs(one - number), -one)):
            order = list(enumerate(self._turns, 1))
            order[number - 1], order[other - 1] = order[other - 1], order[number - 1]
            both = {number, other}
            try:
                edited = self._in_order(order, min(both), both)
            except Refusal:
                continue
            if not edited.unkept:
                return edited
        message = Message(
            "turn {turn} cannot have been {player}'s: no order of turns allows it", turn=number, player=player
        )
        raise Refusal("illegal", message)

    def played_from(self, start: Position, *, same_players: bool) -> Edited[T]:
        """Play all turns from another opening position, with the players in another order or with others.

        With the same players, a turn without a piece becomes that of the player to move there; every other
        turn is kept. Raises Refusal if one of them would be illegal.
        """
        way: Edited[T] = Edited(start, ())
        for number, turn in enumerate(self._turns, 1):
            faults = way.position.faults(turn)
            ways = self._reseatings(way, turn, recolored=False) if same_players or not faults else []
            if not ways:
                raise Refusal("illegal", _at_turn(number, IllegalTurn(faults)))
            way = ways[0]
        return way

    def _check(self, number: int, *, one_more: bool = False) -> None:
        """Raise Refusal if there is no turn of that number; with ``one_more``, one past the last is valid."""
        if not 0 < number <= len(self._turns) + one_more:
            raise Refusal("unknown_turn", Message("there is no turn {turn}", turn=number))

    def _with(self, number: int, turns: Sequence[T], rest: int) -> Edited[T]:
        """Put ``turns`` at ``number``, then as many as possible of the old turns from ``rest`` on.

        Raises Refusal if one of ``turns`` is illegal there.
        """
        position, kept = self._before(number), list(self._turns[: number - 1])
        for turn in turns:
            try:
                position = position.apply(turn).state
            except IllegalTurn as error:
                reason = _at_turn(len(kept) + 1, error) if len(turns) > 1 else message_of(error)
                raise Refusal("illegal", reason) from None
            kept.append(turn)
        later = list(enumerate(self._turns, 1))[rest - 1 :]
        return self._continued(Edited(position, tuple(kept)), later)

    def _in_order(self, order: Sequence[tuple[int, T]], low: int, firm: Collection[int]) -> Edited[T]:
        """Play the turns in another order, from place ``low`` on; those before stay as they are.

        ``order`` has all turns with their present numbers. ``firm`` are numbers of turns that must be kept;
        raises Refusal if they cannot.
        """
        start = Edited(self._before(low), self._turns[: low - 1])
        return self._continued(start, order[low - 1 :], firm)

    def _continued(
        self,
        start: Edited[T],
        later: Sequence[tuple[int, T]],
        firm: Collection[int] = (),
    ) -> Edited[T]:
        """Play the turns ``later``, each with its number before the edit, from ``start``; drop illegal ones.

        The continuation of least cost is returned: turns may become another player's or lose their piece.
        Those in ``firm`` must keep their piece, which may become another player's; raises Refusal if one
        cannot be played.
        """
        ways = [start]
        for number, turn in later:
            ways = [
                longer for way in ways for longer in self._extended(way, number, turn, firm=number in firm)
            ] or _refused(ways[0].position.faults(turn))
            ways = sorted(ways, key=lambda way: way.cost)[:WAYS]
        return ways[0]

    def _extended(self, way: Edited[T], number: int, turn: T, *, firm: bool) -> list[Edited[T]]:
        """Return the ways to continue with one more turn: unchanged, as another player's, or dropped.

        A turn that is illegal may also keep only its tile. One that is ``firm`` is neither dropped nor bare,
        so there may be no way.
        """
        faults = way.position.faults(turn)
        found = self._reseatings(way, turn, recolored=True)
        if faults and not firm:
            bare = None if way.position.over else self._bare(way.position, turn)
            if bare is not None and not way.position.faults(bare):
                found.append(self._with_turn(way, bare, turn, BARE_COST))
            unkept = (*way.unkept, Unkept(number, turn, faults))
            found.append(replace(way, unkept=unkept, cost=way.cost + UNKEPT_COST))
        return found

    def _reseatings(self, way: Edited[T], turn: T, *, recolored: bool) -> list[Edited[T]]:
        """Return the way continued with one more turn, unchanged or as that of the player to move.

        Its piece changes colour only with ``recolored``. Empty if neither is legal.
        """
        position = way.position
        if not position.faults(turn):
            return [replace(way, position=position.apply(turn).state, turns=(*way.turns, turn))]
        if position.over:
            return []
        plain = self._reseat(turn, position.player, recolored=False)
        other = self._reseat(turn, position.player, recolored=True) if plain is None and recolored else plain
        if other is None or position.faults(other):
            return []
        return [self._with_turn(way, other, turn, RECOLORED_COST if plain is None else RESEATED_COST)]

    @staticmethod
    def _with_turn(way: Edited[T], turn: T, was: T, cost: int) -> Edited[T]:
        """Return the way extended by ``turn`` instead of ``was``, with ``cost`` added to its cost."""
        return replace(
            way,
            position=way.position.apply(turn).state,
            turns=(*way.turns, turn),
            reseated=(*way.reseated, (len(way.turns) + 1, was)),
            cost=way.cost + cost,
        )


def _refused(faults: Sequence[Fault]) -> NoReturn:
    """Raise Refusal with the faults of an illegal turn."""
    raise Refusal("illegal", message_of(IllegalTurn(faults)))


def _at_turn(number: int, error: IllegalTurn) -> Message:
    """Return the message of an illegal turn, with the turn's number."""
    return Message("turn {turn}: {reason}", turn=number, reason=message_of(error))


def still_unkept(history: Mapping[str, Any] | None, resolved: Callable[[Mapping[str, Any]], bool]) -> Any:
    """Return ``history``, the turns that an edit could not keep (`Edited.to_json`), without resolved ones.

    ``resolved`` says whether a record line is in the game again. None if nothing is left.
    """
    if history is None:
        return None
    unkept = [one for one in history["unkept"] if not resolved(one["line"])]
    return {**history, "unkept": unkept} if unkept or history["reseated"] else None


def following(position: Position, turns: Sequence[T]) -> list[T]:
    """Return the longest start of ``turns`` that is legal from ``position``."""
    kept: list[T] = []
    for turn in turns:
        if position.faults(turn):
            break
        kept.append(turn)
        position = position.apply(turn).state
    return kept


def common_length(one: Sequence[object], other: Sequence[object]) -> int:
    """Return the number of equal items at the start of both."""
    same = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        same += 1
    return same
