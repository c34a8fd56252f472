"""Protocol of a table of tile games, which `tilesight` implements.

``web`` never opens a camera and never decides a turn.  It shows the last :class:`TableView`, passes on the
events of a
:class:`web.views.feed.Feed`, and hands the players' commands to a :class:`Table`.  Every method may be
called from any thread
and must return quickly; a command that waits for the recogniser belongs behind a queue on the table's side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from engine.geometry import Cell
    from engine.pack import Pack
    from engine.squares_game import Figure
    from engine.tiles.game import Fault, Final, GameState, ScoreEvent, Turn
    from web.views.feed import Feed

Phase = Literal["waiting", "playing", "over"]
"""Stage of a game: before its set-up was read, under way, ended."""
Seeing = Literal["starting", "watching", "moving", "unclear", "lost", "ended"]
"""Visibility of the board (`CameraStatus`); "moving": hands at the table, or a camera that is nudged."""

ClosedWhy = Literal["answered", "settled", "moot"]
"""Reason why a question is not open any more."""


class NotKept(Exception):
    """Request that cannot be put on the disk; nothing was changed, and it may be asked again."""


class Refusal(ValueError):
    """A command that the table cannot carry out now.

    ``code`` is a short word for programs (``"nothing_to_undo"``), the message one line for people.
    It becomes HTTP 409, or 404 where ``code`` begins with ``"unknown_"``; neither may name a path or a stack.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True)
class Seat:
    """A player: ``color`` is the player's name inside the engine, ``name`` what people call them."""

    color: str
    name: str


@dataclass(frozen=True)
class Span:
    """Time of a game: when it began, in seconds since 1970, and for how many seconds it was played. A
    recording (``recorded``) begins when it is shown, and is as long as its pictures."""

    began_s: float
    played_s: float
    recorded: bool = False


@dataclass(frozen=True)
class Alternative:
    """Another turn that may have been played, and its probability (None where nobody knows it)."""

    turn: Turn
    probability: float | None = None


@dataclass(frozen=True)
class Played:
    """A turn as it was understood: the engine's turn, the position after it, the frame that decided it, how
    sure it is by now (0 to 1; 1 once people named it), and what else is likely, where it is not sure."""

    turn: Turn
    after: GameState
    frame: int | None = None
    confidence: float | None = None
    alternatives: tuple[Alternative, ...] = ()


@dataclass(frozen=True)
class Closed:
    """A question that is not open any more, and why: people answered it, the pictures settled it, or the turn
    that it was about is gone."""

    id: str
    text: str
    turn_no: int | None
    why: ClosedWhy


@dataclass(frozen=True)
class CameraStatus:
    """The camera's status now.

    ``seeing``: ``starting`` before the first frame, ``watching`` a table at rest, ``moving`` (hands, motion:
    waited out), ``unclear`` (at rest, but no legal turn explains it: ``message`` says what, ``cells`` where),
    ``lost`` (no picture or no board), ``ended`` (no more frames).  ``frame`` counts from 0; ``frames`` is
    their number where it is known (a recorded session). ``framing`` says how the pictures could be read
    better; None where nothing is to be done.
    """

    seeing: Seeing = "starting"
    message: str = ""
    frame: int | None = None
    frames: int | None = None
    cells: tuple[Cell, ...] = ()
    framing: Framing | None = None


@dataclass(frozen=True, eq=False)
class TableView:
    """Everything the dashboard draws, as one immutable value.

    ``start`` is the position before turn 1 and ``state`` the present one; ``events`` is every scoring event
    so far, in order, ``played`` every turn so far.
    ``final`` stands once the game is over (or was ended): final scores and the events of the final scoring.
    ``by_hand`` are points that people gave or took beside the rules (they are among the events, too).
    ``history`` is what the edits of people could not keep as it was (docs/formats.md, 'Edits of the
    history').
    ``rendered`` is true where the pictures come from a renderer: the dashboard then says "rendered sample".
    """

    title: str
    game: str
    pack: Pack
    seats: tuple[Seat, ...]
    start: GameState
    state: GameState
    phase: Phase = "playing"
    played: tuple[Played, ...] = ()
    events: tuple[ScoreEvent, ...] = ()
    by_hand: Mapping[str, int] = field(default_factory=dict)
    final: Final | None = None
    faults: tuple[Fault, ...] = ()
    history: Mapping[str, object] | None = None
    closed: tuple[Closed, ...] = ()
    """The questions that closed last, the latest first."""
    camera: CameraStatus = field(default_factory=CameraStatus)
    rendered: bool = False
    paused: bool = False
    """Whether nothing of what the camera shows is told until somebody goes on."""
    clock: Mapping[str, object] | None = None
    """Seconds that each player took for their turns; None where nobody knows."""
    can_undo: bool = False
    can_redo: bool = False
    can_end: bool = False
    can_correct: bool = False
    opening: str = ""
    """The position from which the game goes on, as notation, where the camera found it under way."""
    confirmed: bool = True
    """Whether somebody said that this position is right."""


@dataclass(frozen=True)
class Option:
    """One answer to tap; ``turn`` is the turn it stands for, if it stands for one."""

    id: str
    label: str
    turn: Turn | None = None


@dataclass(frozen=True)
class Question:
    """Something the camera cannot decide; likeliest option first.  ``cells`` is where on the board it is
    about, ``turn_no`` the turn it is about (counted from 1), which may be corrected to anything else.
    ``order`` are the numbers of the turns whose order is open, two or more, in the likeliest order; a
    correction's ``order`` answers for all of them."""

    id: str
    text: str
    options: tuple[Option, ...]
    cells: tuple[Cell, ...] = ()
    frame: int | None = None
    player: str | None = None
    turn_no: int | None = None
    order: tuple[int, ...] = ()


@dataclass(frozen=True)
class SetUp:
    """A table as people say that it was set up: the board's rows of signs, north first, and what stands
    where."""

    terrain: tuple[str, ...]
    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class Opened:
    """Part of an opening position that people say and no camera sees: whose turn it is, points so far, and
    animal tiles in hand, ``?`` where unseen. What is left out stays as it is."""

    to: str | None = None
    scores: Mapping[str, int] = field(default_factory=dict)
    hands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    extra: bool | None = None


@dataclass(frozen=True)
class Correction:
    """A player's correction: replace turn ``turn_no`` (counted from 1) by ``line``, a record line
    (docs/formats.md, 'Game record'), or ``remove`` it; and/or set scores.
    The number after the last turn adds one.

    ``inserted`` are record lines that come before turn ``turn_no``. ``order`` are the turns from there on in
    the order in which they were played, by their numbers now; it answers the question about them. ``move_to``
    is the number that the turn gets, ``player`` whose turn it was. ``let_go`` says that nobody misses what an
    edit could not keep.

    Where the set-up is read from the table: ``set_up`` is what it should be, and ``agreed`` says that what is
    told to stand wrongly stands right. Where the camera found a game under way, ``opened`` is what people say
    of the position before turn 1."""

    turn_no: int | None = None
    line: Mapping[str, object] | None = None
    scores: Mapping[str, int] | None = None
    remove: bool = False
    set_up: SetUp | None = None
    agreed: bool = False
    opened: Opened | None = None
    inserted: tuple[Mapping[str, object], ...] = ()
    order: tuple[int, ...] = ()
    move_to: int | None = None
    player: str | None = None
    let_go: bool = False


@dataclass(frozen=True)
class Choices:
    """Choices for a turn under the rules.

    ``likely`` are other turns that the pictures allow, best first.  ``turns`` are all that lay ``tile`` on
    ``cell`` turned by ``rot``, the plainest first; ``rots`` are the turns of that tile which fit there,
    ``cells`` the places where it fits somehow, and ``tiles`` the faces that may have been drawn and fit
    somewhere, likeliest first. Foreign tiles (engine.tiles.foreign) are asked about by name, and not among
    ``tiles``.
    """

    turn_no: int
    player: str
    likely: tuple[Turn, ...]
    tile: str | None
    cell: Cell | None
    rot: int | None
    turns: tuple[Turn, ...]
    rots: tuple[int, ...]
    cells: tuple[Cell, ...]
    tiles: tuple[str, ...]
    pack: Pack


@dataclass(frozen=True)
class PictureTile:
    """A tile as the camera sees it: ``corners_px`` nw, ne, se, sw of its cell in the game's frame, what it
    was read as, how sure that is (0 to 1), and the face that lies there in the game (None: none)."""

    cell: Cell
    corners_px: tuple[tuple[float, float], ...]
    read: str | None
    confidence: float
    known: str | None


@dataclass(frozen=True)
class PicturePiece:
    """A piece as the camera sees it; ``point_px`` is where it touches the board."""

    kind: str
    color: str | None
    animal: str | None
    point_px: tuple[float, float]
    confidence: float


@dataclass(frozen=True)
class Framing:
    """Whether a picture can be read well: the tiles seen and the side of the smallest in the camera's pixels,
    the side that is wanted, and ``faults``, what to see to first in front (docs/http.md, 'Framing').
    ``glare_at`` is the part of the picture with a reflection, ``cut_off`` the edges near the board."""

    board: bool
    tiles: int
    side_px: float
    wanted_px: float
    faults: tuple[str, ...] = ()
    glare_at: str = "middle"
    cut_off: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Picture:
    """The camera's latest picture with what was recognised in it; ``size_wh`` and all points are those of
    the JPEG that ``jpeg()`` makes (or made already). ``framing`` is None where nobody checked it."""

    frame: int
    size_wh: tuple[int, int]
    jpeg: Callable[[], bytes]
    tiles: tuple[PictureTile, ...] = ()
    pieces: tuple[PicturePiece, ...] = ()
    framing: Framing | None = None


@dataclass(frozen=True)
class Export:
    """A file to hand out."""

    filename: str
    media_type: str
    content: bytes


class WatchedTable(Protocol):
    """A table that is being watched, whatever its game's board.  Commands raise :class:`Refusal` where they
    cannot be carried out."""

    def watch(self) -> Feed:
        """The table's feed of events: one and the same object for the table's life."""

    def questions(self) -> tuple[Question, ...]:
        """The open questions, oldest first."""

    def answer(self, question_id: str, option_id: str) -> None:
        """Answer an open question with one of its options."""

    def correct(self, correction: Correction) -> None:
        """Correct what was recorded."""

    def seat(self, color: str, name: str) -> None:
        """Give a player another name."""

    def span(self) -> Span:
        """Time of the game so far."""

    def seats(self, seats: Sequence[Seat], recolored: Mapping[str, str] = ...) -> None:
        """Say who plays, in turn order, and whose colour was another one (new colours by old ones)."""

    def picture(self) -> Picture | None:
        """The camera's latest picture; None before the first."""

    def crop(self, turn_no: int) -> bytes:
        """JPEG: the part of the picture from which turn ``turn_no`` was understood."""

    def photo(self, turn_no: int) -> bytes:
        """JPEG: the whole picture from which turn ``turn_no`` was understood."""

    def question_crop(self, question_id: str) -> bytes:
        """JPEG: the part of the picture that an open question is about."""

    def pause(self, paused: bool) -> None:
        """Tell nothing of what the camera shows until the game is gone on with."""

    def undo(self) -> None:
        """Take back the last turn or correction."""

    def redo(self) -> None:
        """Bring back what was undone last."""

    def end(self) -> None:
        """End the game now and score it."""

    def export(self) -> Export:
        """The game so far, as a file (a record or a session)."""


class Table(WatchedTable, Protocol):
    """A watched table of a tile game."""

    def state(self) -> TableView:
        """The view now.  Publish an event *after* the view holds what it tells."""

    def choices(
        self, turn_no: int, tile: str | None = None, cell: Cell | None = None, rot: int | None = None
    ) -> Choices:
        """The choices for turn ``turn_no``; ``tile``, ``cell``, ``rot`` ask about another placement."""
