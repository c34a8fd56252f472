"""Narration on a terminal: each turn as it is understood, the points with their reasons, and the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from engine.tiles.game import Final, GameState, ScoreEvent
from engine.tiles.turn import Turn, described
from tilesight.inference.understanding import UnderstoodTurn
from tilesight.sessions.comparison import Comparison
from tilesight.sessions.session import Session

PLAIN = 0.95
"""Confidence from which a turn is told without it."""

_STYLES: Mapping[str, str] = {
    "red": "red",
    "blue": "blue",
    "green": "green",
    "yellow": "yellow",
    "black": "bright_black",
    "violet": "magenta",
}


class Narrator:
    """Prints one game to a console. A turn is printed once, and again if it changes."""

    def __init__(self, session: Session, start: GameState, console: Console) -> None:
        self._session = session
        self._start = start
        self._console = console
        self._told: list[tuple[Turn, tuple[ScoreEvent, ...]]] = []

    def begin(self) -> None:
        """Print the session's title and players."""
        players = ", ".join(self._name(color) for color in self._start.players)
        rendered = " (rendered sample)" if self._session.rendered else ""
        frames = len(self._session.frames)
        self._console.print(
            f"[bold]{escape(self._session.title)}[/bold]{rendered}: {players}; {frames} frames"
        )

    def tell(self, turns: Sequence[UnderstoodTurn]) -> None:
        """Print those of ``turns``, all turns so far, that are new or changed, with their points."""
        for i, turn in enumerate(turns):
            now, before = (turn.turn, turn.step.events), self._told[i : i + 1]
            if before == [now]:
                continue
            again = "[dim](corrected)[/dim] " if before else ""
            self._told[i : i + 1] = [now]
            self._console.print(again + self._line(i + 1, turn), soft_wrap=True)
            self._print_events(turn.step.events)
        del self._told[len(turns) :]

    def end(
        self,
        turns: Sequence[UnderstoodTurn],
        final: Final,
        compared: Comparison | None,
        asked: Sequence[tuple[int, UnderstoodTurn]],
    ) -> None:
        """Print the final scoring, the doubtful turns, and the comparison with the record, if there is one.

        ``turns`` are all turns, ``asked`` the doubtful ones with their numbers from 1.
        """
        self.tell(turns)
        console = self._console
        console.print()
        console.print(f"[bold]If the game ends here[/bold] (after {len(turns)} turns)")
        self._print_events(final.events)
        table = Table(show_header=True, box=None, padding=(0, 2))
        table.add_column("player")
        table.add_column("score", justify="right")
        if compared is not None:
            table.add_column("on record", justify="right")
        for color, points in final.scores.items():
            row = [self._name(color), str(points)]
            if compared is not None:
                row.append(str(compared.final.get(color, "–")))
            table.add_row(*row)
        console.print(table)
        for number, turn in asked:
            console.print(
                f"unsure: turn {number} ({turn.confidence:.0%}); else "
                + "; or ".join(escape(self._words(option, turn)) for option in turn.alternatives),
                soft_wrap=True,
            )
        if compared is not None:
            self._compared(compared)

    def _print_events(self, events: Sequence[ScoreEvent]) -> None:
        for event in events:
            points = f"{self._name(event.player)} {event.points:+d}"
            self._console.print(f"       {points}  {event.kind}: {escape(event.why)}", soft_wrap=True)

    def _compared(self, compared: Comparison) -> None:
        exact = "exact" if compared.final_exact else "not exact"
        self._console.print(
            f"Against the record: {compared.turns_exact}/{compared.turns} turns exact, final scores {exact}"
        )
        for difference in compared.differences:
            expected, got = (
                "no turn" if turn is None else escape(self._words(turn))
                for turn in (difference.expected, difference.got)
            )
            told = f"  turn {difference.number}: understood {got}; on record {expected}"
            self._console.print(told, soft_wrap=True)

    def _line(self, number: int, turn: UnderstoodTurn) -> str:
        sure = "" if turn.confidence >= PLAIN else f" [dim]({turn.confidence:.0%} sure)[/dim]"
        player = self._name(turn.turn.player)
        return f"{number:>4}.  {player}  {escape(self._words(turn.turn, turn))}{sure}"

    def _words(self, turn: Turn, among: UnderstoodTurn | None = None) -> str:
        """Return a turn in words, its features by their kinds.

        ``among`` is the turn understood in its place, whose board shows the designs of other cells.
        """
        laid = {} if among is None else among.step.state.board
        return described(turn, self._start.pack, {cell: tile.design for cell, tile in laid.items()})

    def _name(self, color: str) -> str:
        name = self._session.names.get(color, color)
        label = name if name.lower() == color else f"{name} ({color})"
        return f"[{_STYLES.get(color, 'bold')}]{escape(label)}[/]"
