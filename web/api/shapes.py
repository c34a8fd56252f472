"""Shapes of the JSON answers for OpenAPI. Tests check the answers against them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from web.table.camera_status import Seeing
from web.table.question import ClosedWhy
from web.table.view import Phase

CellShape = Annotated[list[int], Field(min_length=2, max_length=2, description="x east, y south")]
"""A cell of the board: ``[x, y]``."""
PointShape = Annotated[list[float], Field(min_length=2, max_length=2)]
"""A point ``[x, y]``, in cells of the board or in pixels of a picture."""
RecordLine = Annotated[dict[str, Any], Field(description="a turn as a line of a game record writes it")]
"""A turn, as a line of a game record."""
Said = Annotated[dict[str, Any], Field(description="template and args of the text beside it")]
"""A text with its parts (docs/http.md, 'Messages')."""
Rot = Annotated[int, Field(description="degrees clockwise: 0, 90, 180 or 270")]
"""Rotation of a tile, in degrees clockwise."""


class Shape(BaseModel):
    """Base class of answers. A field is always present unless it has a default."""

    model_config = ConfigDict(extra="forbid")


class OkShape(Shape):
    """Answer to a write that succeeded."""

    ok: Literal[True]


class KeyShape(OkShape):
    """The role that a key has."""

    role: Literal["player", "host"]
    hints: Annotated[bool, Field(description="whether the host allows hints to players")]
    keep_labels: Annotated[
        bool, Field(description="whether `tilesight learn` may keep pieces of this game's pictures")
    ]


class PiecesShape(Shape):
    """A player's wooden pieces of one kind."""

    kind: str
    left: Annotated[int, Field(description="how many the player has not placed")]
    of: Annotated[int, Field(description="how many of this kind and colour exist")]


class OtherScoreShape(Shape):
    """The score that a player has if another turn was played than the recorded one."""

    score: int
    question: Annotated[str | None, Field(description="the open question about it, if any")]
    option: Annotated[str | None, Field(description="the option of that question that leads to this score")]
    turn: Annotated[int, Field(description="the number of the uncertain turn")]
    line: Annotated[RecordLine, Field(description="the turn that leads to this score")]


class PlayerShape(Shape):
    """A player of a tile game."""

    color: Annotated[str, Field(description="the player's name inside the engine")]
    name: Annotated[str, Field(description="what people call them")]
    score: int
    supply: Annotated[int | None, Field(description="meeples left")]
    pieces: Annotated[list[PiecesShape], Field(description="the player's wooden pieces, by kind")]
    hand: Annotated[list[str], Field(description="animal tiles in hand, '?' for an unseen one")]
    may_be: Annotated[list[OtherScoreShape], Field(description="other scores that uncertain turns allow")]


class LaidShape(Shape):
    """A tile on the board."""

    cell: CellShape
    tile: Annotated[str | None, Field(description="null for a foreign tile")]
    face: Annotated[str | None, Field(description="of a foreign tile: its description as a name")] = None
    rot: Rot
    start: bool


class PieceShape(Shape):
    """A piece on the board."""

    kind: str
    color: str | None
    cell: CellShape
    feature: str | None
    corner: str | None
    animal: str | None
    pose: str
    at: Annotated[PointShape, Field(description="its position, in cells")]


class FramingShape(Shape):
    """Framing of the camera's picture: how well it can be read."""

    board: bool
    tiles: Annotated[int, Field(ge=0)]
    side_px: Annotated[float, Field(ge=0, description="side of the smallest tile, camera pixels; 0 if none")]
    wanted_px: Annotated[float, Field(description="the smallest side at which tiles are read well")]
    faults: list[Literal["moves", "dark", "blurred", "no_tiles", "far", "glare", "cut_off"]]
    glare_at: Literal["left", "right", "top", "bottom", "middle"]
    cut_off: list[Literal["left", "right", "top", "bottom"]]


class CameraShape(Shape):
    """Status of the camera."""

    seeing: Seeing
    message: str
    said: Said
    frame: int | None
    frames: Annotated[int | None, Field(description="their number, if it is known")]
    cells: list[CellShape]
    framing: Annotated[FramingShape | None, Field(description="null if the pictures are good enough")]


class OptionShape(Shape):
    """One answer to a question."""

    id: str
    label: str
    said: Said
    turn: RecordLine | None


class QuestionShape(Shape):
    """An open question."""

    id: str
    text: str
    said: Said
    player: str | None
    frame: int | None
    turn: Annotated[int | None, Field(description="the turn it is about, if any")]
    order: Annotated[list[int], Field(description="the turns whose order is uncertain, if any")]
    cells: list[CellShape]
    options: Annotated[list[OptionShape], Field(description="the likeliest first")]


class ClosedShape(Shape):
    """A question that is no longer open."""

    id: str
    text: str
    said: Said
    turn: int | None
    why: Annotated[
        ClosedWhy,
        Field(description="answered by people, settled by pictures, or moot because its turn is gone"),
    ]


class ToCheckShape(Shape):
    """Something that people should check."""

    question: Annotated[str | None, Field(description="the open question; null for a turn")]
    turn: int | None
    why: Annotated[
        Literal["asked", "doubtful", "strange"],
        Field(description="strange: a tile of another set that nobody has described yet"),
    ]
    confidence: Annotated[float | None, Field(description="null for a question")]
    points: Annotated[int, Field(description="the largest known change of a score that depends on it")]


class QuestionsShape(Shape):
    """All open questions."""

    questions: list[QuestionShape]


class FinalShape(Shape):
    """The final scoring."""

    scores: dict[str, int]
    winners: list[str]
    events: list[dict[str, Any]]


class ClockShape(Shape):
    """Thinking time of the players. Turns longer than ``longest_s`` do not count."""

    spent_s: Annotated[dict[str, float], Field(description="seconds by player, for the turns played so far")]
    since_s: Annotated[float | None, Field(description="when the current turn began, in seconds since 1970")]
    until_s: Annotated[float | None, Field(description="when the pause began; null if not paused")]
    longest_s: float


class OpeningShape(Shape):
    """The position in which the camera found a game under way."""

    position: Annotated[str, Field(description="in one line of notation (docs/notation.md)")]
    confirmed: Annotated[bool, Field(description="whether people confirmed it")]
    to: Annotated[str, Field(description="whose turn it was")]
    scores: dict[str, int]
    hands: dict[str, list[str]]
    tiles: Annotated[int, Field(description="number of tiles on the board, without the start tiles")]


class ReseatedShape(Shape):
    """A turn that went to another player because of an edit."""

    turn: Annotated[int, Field(description="its number now")]
    was: Annotated[RecordLine, Field(description="the turn before the edit")]


class UnkeptShape(Shape):
    """A turn that was dropped because an edit made it illegal."""

    turn: Annotated[int, Field(description="its number before the edit")]
    line: RecordLine
    faults: Annotated[list[dict[str, Any]], Field(description="why it is no longer legal")]


class HistoryShape(Shape):
    """Turns that changed or were dropped because of people's last edit."""

    what: Annotated[
        str, Field(description="the last edit: correct, remove, insert, move, order, player, players")
    ]
    turn: int
    who: Annotated[dict[str, str] | None, Field(description="role, name and address of the editor")]
    reseated: list[ReseatedShape]
    unkept: list[UnkeptShape]


class MomentShape(Shape):
    """The moment that an answer is of."""

    last_event_id: int
    entry: Annotated[int, Field(description="number of the log's latest entry that is included")]


class TableShape(MomentShape):
    """The part of the state that both kinds of board share."""

    tilesight: Literal[1]
    title: str
    game: str
    pack: str
    rendered: Annotated[bool, Field(description="whether the pictures come from a renderer")]
    phase: Phase
    colors: Annotated[list[str], Field(description="every colour that the game can be played with")]
    history: HistoryShape | None
    camera: CameraShape
    paused: Annotated[bool, Field(description="whether turns that the camera sees are not recorded now")]
    clock: Annotated[ClockShape | None, Field(description="null for a recording")]
    can_undo: bool
    can_redo: bool
    can_end: bool
    can_correct: bool
    questions: list[QuestionShape]
    closed: Annotated[list[ClosedShape], Field(description="the last ones, the latest first")]
    to_check: Annotated[
        list[ToCheckShape],
        Field(description="open questions and uncertain turns; those that move the most points first"),
    ]


class StateShape(TableShape):
    """State of a tile game, as the dashboard draws it."""

    players: list[PlayerShape]
    player: Annotated[str | None, Field(description="whose turn it is; null once the game is over")]
    turn_no: int
    tiles_left: int
    board: list[LaidShape]
    faces: Annotated[dict[str, dict[str, Any]], Field(description="faces of foreign tiles, by name")]
    standing: list[PieceShape]
    turns: Annotated[
        list[dict[str, Any]],
        Field(
            description="record lines, each with turn, drawn (animal tiles by player), frame, confidence, "
            "and below 0.9 the known alternatives (line, probability)"
        ),
    ]
    events: Annotated[list[dict[str, Any]], Field(description="every scoring event: who, points, why, where")]
    spots: Annotated[
        list[dict[str, Any]],
        Field(description="features that have not scored, with points"),
    ]
    final: FinalShape | None
    faults: Annotated[list[dict[str, Any]], Field(description="why the board is not legal")]
    opening: Annotated[OpeningShape | None, Field(description="null if the camera saw the start of the game")]


class PackShape(Shape):
    """The faces of a table's tiles."""

    tilesight: Literal[1]
    id: str
    title: str
    designs: dict[str, dict[str, Any]]
    tokens: Annotated[dict[str, str | None], Field(description="animals and the addresses of their art")]
    edges: Annotated[
        dict[str, str | None],
        Field(description="kinds of edge, with the feature that reaches each"),
    ]
    inside: Annotated[list[str], Field(description="kinds of feature that need not reach an edge")]


class ChoicesShape(Shape):
    """Choices for a turn of a tile game."""

    turn: int
    player: str
    likely: Annotated[list[RecordLine], Field(description="other turns that the pictures allow, best first")]
    tile: str | None
    faces: Annotated[dict[str, dict[str, Any]], Field(description="faces of foreign tiles, by name")]
    cell: CellShape | None
    rot: Rot | None
    turns: Annotated[list[RecordLine], Field(description="every legal turn with that placement")]
    rots: Annotated[list[Rot], Field(description="rotations in which the tile fits there")]
    cells: Annotated[list[CellShape], Field(description="where the tile fits")]
    tiles: Annotated[list[str], Field(description="faces that the player may have drawn, likeliest first")]


class SquarePlayerShape(Shape):
    """A player of a game on squares."""

    color: Annotated[str, Field(description="the player's name inside the engine")]
    name: Annotated[str, Field(description="what people call them")]
    score: int
    collected: Annotated[list[str], Field(description="the figures that the player has scored")]


class FigureShape(Shape):
    """A figure or pawn on a square."""

    kind: str
    name: Annotated[str, Field(description="for a pawn, the colour of its player")]
    cell: Annotated[str, Field(description="the square's name, as e4")]
    facing: Annotated[
        Literal["n", "e", "s", "w"] | None, Field(description="left out for figures without a direction")
    ] = None


class StepShape(Shape):
    """A move of a figure that the rules demand and that players carry out on the table."""

    from_: Annotated[FigureShape, Field(alias="from")]
    to: FigureShape
    why: str
    said: Said
    done: Annotated[bool, Field(description="whether the camera has seen it done")]


class MisplacedShape(Shape):
    """A figure that is not where it should be."""

    expected: FigureShape
    seen: FigureShape | None
    message: str
    said: Said


class SetUpShape(Shape):
    """Part of the state of a game on squares: its set-up."""

    missing: Annotated[str, Field(description="what is missing from the set-up; empty once it was read")]
    missing_said: Said


class SquareStateShape(TableShape, SetUpShape):
    """State of a game on squares, as the dashboard draws it."""

    players: list[SquarePlayerShape]
    player: Annotated[str | None, Field(description="whose turn it is; null before and after the game")]
    turn_no: int
    turns_at_most: int | None
    names: Annotated[list[str], Field(description="every figure that can be collected")]
    art: Annotated[dict[str, str | None], Field(description="the addresses of their pictures")]
    parts: Annotated[list[dict[str, Any]], Field(description="pictures of its parts: art, at, side, rot")]
    terrain: Annotated[list[str], Field(description="rows of signs, north first; empty before the set-up")]
    figures: list[FigureShape]
    guide: Annotated[list[StepShape], Field(description="moves of figures after the last turn, in order")]
    misplaced: Annotated[list[MisplacedShape], Field(description="figures that are not where they should be")]
    faults: Annotated[list[dict[str, Any]], Field(description="why a pawn's position is not legal")]
    outcome: str
    finished: Annotated[bool, Field(description="whether the game ended by its rules")]
    turns: Annotated[list[dict[str, Any]], Field(description="record lines, with turn, frame, confidence")]
    events: Annotated[list[dict[str, Any]], Field(description="every scoring event: who, points, why, where")]
    final: FinalShape | None
    confirmed: Annotated[bool, Field(description="whether people confirmed the set-up")]


class MovesShape(Shape):
    """Choices for a turn of a game on squares."""

    turn: int
    player: str
    from_: Annotated[str, Field(alias="from", description="square of the player's pawn before the turn")]
    lines: Annotated[list[RecordLine], Field(description="every legal turn")]
