"""Past games: their summaries, and the statistics of their players."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from web.report.words import LANGUAGES, words_in


@dataclass(frozen=True, slots=True)
class PastPlayer:
    """Player of a past game: the final (or latest) score, whether they won, and their points by kind.

    ``name`` is what the player is called, the colour for one without a name; ``written`` is the name in the
    game's log, if it is another one.
    """

    color: str
    name: str
    score: int
    won: bool
    kinds: Mapping[str, int]
    written: str = ""

    @property
    def named(self) -> bool:
        """Whether the player has a name. Older programs wrote the colour in words."""
        return self.name != self.color and self.name not in _color_words(self.color)


@cache
def _color_words(color: str) -> frozenset[str]:
    """Return the names of a colour in all languages."""
    return frozenset(words_in(language).color(color) for language in LANGUAGES)


@dataclass(frozen=True, slots=True)
class PastGame:
    """Summary of a past game.

    Times are in seconds since 1970; ``pictured`` is whether a photograph is stored, ``sample`` whether a
    recorded session was shown, whose players are nobody here.
    """

    id: str
    game: str
    pack: str
    began_s: float
    changed_s: float
    turns: int
    over: bool
    players: tuple[PastPlayer, ...]
    pictured: bool
    sample: bool = False

    def ranks(self, player: PastPlayer) -> int:
        """Return a player's place, from 1; equal scores share one."""
        return 1 if player.won else 1 + sum(one.score > player.score for one in self.players)


@dataclass(slots=True)
class Against:
    """Games of one player against another: won, lost and shared, and the points of both."""

    won: int = 0
    lost: int = 0
    shared: int = 0
    points: int = 0
    their_points: int = 0

    def count(self, own: PastPlayer, other: PastPlayer) -> None:
        """Add one game."""
        self.won += own.score > other.score
        self.lost += own.score < other.score
        self.shared += own.score == other.score
        self.points += own.score
        self.their_points += other.score

    def to_json(self, name: str) -> Mapping[str, object]:
        """Return this as JSON, with the ``name`` of the other and the average points of both."""
        games = self.won + self.lost + self.shared
        return {
            "name": name,
            "won": self.won,
            "lost": self.lost,
            "shared": self.shared,
            "average": round(self.points / games, 1),
            "their_average": round(self.their_points / games, 1),
        }


@dataclass(slots=True)
class PlayerStats:
    """Statistics of one player over finished games, of one game or, with ``game`` "", of all.

    ``points`` is their sum and ``most`` the highest score. ``kinds`` are the points by kind, ``places`` how
    often each place was reached, from the first, ``colors`` how often each colour was played. ``streak`` is
    the number of games won in a row until now, ``longest`` the most there were. ``against`` is by the name
    of the other player.
    """

    game: str
    name: str
    games: int = 0
    wins: int = 0
    points: int = 0
    most: int = 0
    streak: int = 0
    longest: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    places: Counter[int] = field(default_factory=Counter)
    colors: Counter[str] = field(default_factory=Counter)
    against: dict[str, Against] = field(default_factory=lambda: defaultdict(Against))

    def count(self, game: PastGame, own: PastPlayer) -> None:
        """Add one game, later than those before: the player's own result, and those of the others."""
        self.most = own.score if not self.games else max(self.most, own.score)
        self.games += 1
        self.wins += own.won
        self.points += own.score
        self.streak = self.streak + 1 if own.won else 0
        self.longest = max(self.longest, self.streak)
        self.places[game.ranks(own)] += 1
        self.colors[own.color] += 1
        self.kinds.update(own.kinds)
        for other in game.players:
            if other is not own and other.named:
                self.against[other.name].count(own, other)

    def to_json(self) -> Mapping[str, object]:
        """Return the statistics as JSON, with the kind of score that brought most points."""
        best = max(self.kinds, key=lambda kind: self.kinds[kind], default=None)
        return {
            "game": self.game,
            "name": self.name,
            "games": self.games,
            "wins": self.wins,
            "average": round(self.points / self.games, 1),
            "most": self.most,
            "best_kind": best,
            "places": [self.places[place] for place in range(1, max(self.places) + 1)],
            "streak": self.streak,
            "longest": self.longest,
            "against": [other.to_json(name) for name, other in self.against.items()],
        }


def _counted(games: Iterable[PastGame]) -> Iterator[tuple[PastGame, PastPlayer]]:
    """Yield what statistics count, the earliest game first: each player with a name of the finished games
    that people here played."""
    finished = (game for game in games if game.over and not game.sample)
    for game in sorted(finished, key=lambda game: game.began_s):
        yield from ((game, player) for player in game.players if player.named)


def player_stats(games: Iterable[PastGame]) -> list[PlayerStats]:
    """Return the statistics of all players who have a name, sorted by game and then by wins.

    Players are identified by what they are called.
    """
    found: dict[tuple[str, str], PlayerStats] = {}
    for game, player in _counted(games):
        key = (game.game, player.name)
        found.setdefault(key, PlayerStats(*key)).count(game, player)
    return sorted(found.values(), key=lambda one: (one.game, -one.wins, one.name))


@dataclass(slots=True)
class PlayerProfile:
    """Statistics of one player over all games, and over those of each game.

    ``written`` are the names in the logs.
    """

    total: PlayerStats
    by_game: list[PlayerStats] = field(default_factory=list)
    written: set[str] = field(default_factory=set)

    def to_json(self) -> Mapping[str, object]:
        """Return the profile as JSON: totals over all games, and statistics by game."""
        total = self.total.to_json()
        return {
            **{name: value for name, value in total.items() if name not in ("game", "best_kind")},
            "written": sorted(self.written),
            "color": self.total.colors.most_common(1)[0][0],
            "by_game": [
                {name: stats[name] for name in ("game", "games", "wins", "average", "most", "best_kind")}
                for stats in (one.to_json() for one in self.by_game)
            ],
        }


def player_profiles(games: Sequence[PastGame]) -> list[PlayerProfile]:
    """Return the profiles of all players who have a name, those with most games first."""
    found: dict[str, PlayerProfile] = {}
    for game, player in _counted(games):
        profile = found.setdefault(player.name, PlayerProfile(PlayerStats("", player.name)))
        profile.total.count(game, player)
        profile.written.add(player.written or player.name)
    for stats in player_stats(games):
        found[stats.name].by_game.append(stats)
    return sorted(found.values(), key=lambda one: (-one.total.games, one.total.name))
