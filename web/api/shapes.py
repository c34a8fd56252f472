"""Shapes of the answers as OpenAPI describes them; tests hold the answers to them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from web.table.camera_status import Seeing
from web.table.question import ClosedWhy
from web.table.view import Phase

CellShape = Annotated[
    list[int], Field(min_length=2, max_length=2, description="x to the east, y to the south")
]
"""A cell of the board."""
PointShape = Annotated[list[float], Field(min_length=2, max_length=2)]
"""A point, in cells of the board or in pixels of a picture: x, y."""
RecordLine = Annotated[dict[str, Any], Field(description="a turn as a line of a game record writes it")]
"""A turn."""
Rot = Annotated[int, Field(description="degrees clockwise: 0, 90, 180 or 270")]
"""A tile's rotation, in degrees clockwise."""


class Shape(BaseModel):
    """Every field is always there unless it says otherwise."""

    model_config = ConfigDict(extra="forbid")


class ErrorWords(Shape):
    """Error as told to programs and to people."""

    code: Annotated[str, Field(description="a short word for programs")]
    message: Annotated[str, Field(description="one line for people")]


class ErrorShape(Shape):
    """Everything that goes wrong."""

    error: ErrorWords


class OkShape(Shape):
    """A write that succeeded."""

    ok: Literal[True]


class KeyShape(OkShape):
    """Role that the key gives."""

    role: Literal["player", "host"]
    hints: Annotated[bool, Field(description="whether the host allows hints to players")]


class PiecesShape(Shape):
    """A player's wooden pieces of one kind."""

    kind: str
    left: Annotated[int, Field(description="what the player has not laid")]
    of: Annotated[int, Field(description="how many of this kind and colour there are")]


class OtherScoreShape(Shape):
    """A score that a player has if another turn was played than the one that is told."""

    score: int
    question: Annotated[str | None, Field(description="the open question; null where nobody is asked")]
    option: Annotated[str | None, Field(description="its answer that gives this score")]
    turn: Annotated[int, Field(description="the number of the turn that is not sure")]
    line: Annotated[RecordLine, Field(description="the turn that gives this score")]


class PlayerShape(Shape):
    """A player of a tile game."""

    color: Annotated[str, Field(description="the player's name inside the engine")]
    name: Annotated[str, Field(description="what people call them")]
    score: int
    supply: Annotated[int | None, Field(description="meeples left")]
    pieces: Annotated[list[PiecesShape], Field(description="the player's wooden pieces, by kind")]
    hand: Annotated[list[str], Field(description="animal tiles in hand, '?' where nobody saw them")]
    may_be: Annotated[list[OtherScoreShape], Field(description="other scores that hang on what is not sure")]


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
    at: Annotated[PointShape, Field(description="where it stands, in cells")]


class FramingShape(Shape):
    """Framing of the camera's picture: whether it can be read well."""

    board: bool
    tiles: Annotated[int, Field(ge=0)]
    side_px: Annotated[float, Field(ge=0, description="side of the smallest tile, camera pixels; 0 without")]
    wanted_px: Annotated[float, Field(description="the side from which on tiles are read well")]
    faults: list[Literal["moves", "dark", "blurred", "no_tiles", "far", "glare", "cut_off"]]
    glare_at: Literal["left", "right", "top", "bottom", "middle"]
    cut_off: list[Literal["left", "right", "top", "bottom"]]


class CameraShape(Shape):
    """The camera's status now."""

    seeing: Seeing
    message: str
    frame: int | None
    frames: Annotated[int | None, Field(description="how many there are, where that is known")]
    cells: list[CellShape]
    framing: Annotated[FramingShape | None, Field(description="null where the pictures are good enough")]


class OptionShape(Shape):
    """One answer to a question."""

    id: str
    label: str
    turn: RecordLine | None


class QuestionShape(Shape):
    """An open question."""

    id: str
    text: str
    player: str | None
    frame: int | None
    turn: Annotated[int | None, Field(description="the turn it is about, which may be corrected instead")]
    order: Annotated[list[int], Field(description="the turns whose order is open; empty where it is not")]
    cells: list[CellShape]
    options: Annotated[list[OptionShape], Field(description="the likeliest first")]


class ClosedShape(Shape):
    """A question that is not open any more."""

    id: str
    text: str
    turn: int | None
    why: Annotated[
        ClosedWhy,
        Field(description="people answered, pictures settled it, or the turn that it was about is gone"),
    ]


class ToCheckShape(Shape):
    """Something that people should look at."""

    question: Annotated[str | None, Field(description="the open question; null for a turn that is not asked")]
    turn: int | None
    why: Annotated[
        Literal["asked", "doubtful", "strange"],
        Field(description="strange: a tile of another set, of which nobody said what is on it"),
    ]
    confidence: Annotated[float | None, Field(description="null for a question")]
    points: Annotated[int, Field(description="the most that a score may change by it, as far as is known")]


class QuestionsShape(Shape):
    """All open questions."""

    questions: list[QuestionShape]


class FinalShape(Shape):
    """The final scoring."""

    scores: dict[str, int]
    winners: list[str]
    events: list[dict[str, Any]]


class ClockShape(Shape):
    """Times that players took for their turns; turns of more than ``longest_s`` do not count."""

    spent_s: Annotated[dict[str, float], Field(description="seconds by player, of the turns played")]
    since_s: Annotated[float | None, Field(description="when the one to play began, since 1970")]
    until_s: Annotated[float | None, Field(description="when the pause began, null while it is not paused")]
    longest_s: float


class OpeningShape(Shape):
    """The position in which the camera found a game under way."""

    position: Annotated[str, Field(description="on one line, as docs/notation.md says")]
    confirmed: Annotated[bool, Field(description="whether somebody said that it is right")]
    to: Annotated[str, Field(description="whose turn it was")]
    scores: dict[str, int]
    hands: dict[str, list[str]]
    tiles: Annotated[int, Field(description="tiles that lay there, the start tile not counted")]


class ReseatedShape(Shape):
    """A turn that became another player's with an edit."""

    turn: Annotated[int, Field(description="its number now")]
    was: Annotated[RecordLine, Field(description="the turn before the edit")]


class UnkeptShape(Shape):
    """A turn that could not be kept after an edit."""

    turn: Annotated[int, Field(description="its number before the edit")]
    line: RecordLine
    faults: Annotated[list[dict[str, Any]], Field(description="why it is not legal any more")]


class HistoryShape(Shape):
    """Turns that edits of people could not keep as they were."""

    what: Annotated[
        str, Field(description="the last edit: correct, remove, insert, move, order, player, players")
    ]
    turn: int
    who: Annotated[dict[str, str] | None, Field(description="role, name and address of who edited")]
    reseated: list[ReseatedShape]
    unkept: list[UnkeptShape]


class TableShape(Shape):
    """Part of the state that every table has."""

    tilesight: Literal[1]
    title: str
    game: str
    pack: str
    rendered: Annotated[bool, Field(description="whether the pictures come from a renderer")]
    phase: Phase
    last_event_id: int
    colors: Annotated[list[str], Field(description="every colour that the game can be played with")]
    history: HistoryShape | None
    camera: CameraShape
    paused: Annotated[bool, Field(description="whether nothing that the camera shows is told")]
    clock: Annotated[ClockShape | None, Field(description="null where a recording is shown")]
    can_undo: bool
    can_redo: bool
    can_end: bool
    can_correct: bool
    questions: list[QuestionShape]
    closed: Annotated[list[ClosedShape], Field(description="the last ones, the latest first")]
    to_check: Annotated[
        list[ToCheckShape],
        Field(description="open questions and turns that are not sure; what moves most points first"),
    ]


class StateShape(TableShape):
    """The table, as the dashboard draws it."""

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
            "and below 0.9 alternatives (line, probability), as far as they are known"
        ),
    ]
    events: Annotated[list[dict[str, Any]], Field(description="every scoring event: who, points, why, where")]
    spots: Annotated[list[dict[str, Any]], Field(description="unfinished features and their worth")]
    final: FinalShape | None
    faults: Annotated[list[dict[str, Any]], Field(description="why what lies there is not legal")]
    opening: Annotated[OpeningShape | None, Field(description="null where its start was seen")]


class PackShape(Shape):
    """The faces of a table's tiles."""

    tilesight: Literal[1]
    id: str
    title: str
    designs: dict[str, dict[str, Any]]
    tokens: Annotated[dict[str, str | None], Field(description="animals and the addresses of their art")]
    edges: Annotated[
        dict[str, str | None], Field(description="kinds of edge, with the feature that reaches each")
    ]
    inside: Annotated[list[str], Field(description="kinds of feature that may reach no edge")]


class ChoicesShape(Shape):
    """Choices for a turn."""

    turn: int
    player: str
    likely: Annotated[list[RecordLine], Field(description="what else the pictures allow, best first")]
    tile: str | None
    faces: Annotated[dict[str, dict[str, Any]], Field(description="faces of foreign tiles, by name")]
    cell: CellShape | None
    rot: Rot | None
    turns: Annotated[list[RecordLine], Field(description="every legal turn with that placement")]
    rots: Annotated[list[Rot], Field(description="the turns of the tile that fit there")]
    cells: Annotated[list[CellShape], Field(description="where the tile fits")]
    tiles: Annotated[list[str], Field(description="faces that may have been drawn, likeliest first")]


class SquarePlayerShape(Shape):
    """A player of a game on squares."""

    color: Annotated[str, Field(description="the player's name inside the engine")]
    name: Annotated[str, Field(description="what people call them")]
    score: int
    collected: Annotated[list[str], Field(description="the figures that the player has points for")]


class FigureShape(Shape):
    """A figure or pawn on a square."""

    kind: str
    name: Annotated[str, Field(description="a pawn has its player's colour for a name")]
    cell: Annotated[str, Field(description="the square's name, as e4")]
    facing: Annotated[
        Literal["n", "e", "s", "w"] | None, Field(description="left out where it looks nowhere")
    ] = None


class StepShape(Shape):
    """Step that the rules make a figure do, for players to carry out on the table."""

    from_: Annotated[FigureShape, Field(alias="from")]
    to: FigureShape
    why: str
    done: Annotated[bool, Field(description="whether the camera has seen it done")]


class MisplacedShape(Shape):
    """A figure that does not stand where it should."""

    expected: FigureShape
    seen: FigureShape | None
    message: str


class SquareStateShape(TableShape):
    """The table of a game on squares, as the dashboard draws it."""

    players: list[SquarePlayerShape]
    player: Annotated[str | None, Field(description="whose turn it is; null before and after the game")]
    turn_no: int
    turns_at_most: int | None
    names: Annotated[list[str], Field(description="every figure that can be collected")]
    art: Annotated[dict[str, str | None], Field(description="the addresses of their pictures")]
    parts: Annotated[list[dict[str, Any]], Field(description="pictures of the board: art, at, side, rot")]
    terrain: Annotated[list[str], Field(description="rows of signs, north first; empty before the set-up")]
    figures: list[FigureShape]
    guide: Annotated[list[StepShape], Field(description="what figures do after the last turn, in order")]
    misplaced: Annotated[list[MisplacedShape], Field(description="figures that stand wrongly")]
    faults: Annotated[list[dict[str, Any]], Field(description="why a pawn may not stand where it does")]
    missing: Annotated[str, Field(description="what the set-up still lacks; empty once it was read")]
    outcome: str
    finished: Annotated[bool, Field(description="whether the game ended by its rules")]
    turns: Annotated[list[dict[str, Any]], Field(description="record lines, with turn, frame, confidence")]
    events: Annotated[list[dict[str, Any]], Field(description="every scoring event: who, points, why, where")]
    final: FinalShape | None
    confirmed: Annotated[bool, Field(description="whether somebody said that the set-up is right")]


class MovesShape(Shape):
    """Choices for a turn of a game on squares."""

    turn: int
    player: str
    from_: Annotated[str, Field(alias="from", description="where the player's pawn stood before")]
    lines: Annotated[list[RecordLine], Field(description="every legal turn")]


def errors(**whens: str) -> dict[int | str, dict[str, Any]]:
    """Errors of a route, by status: ``errors(_404="there is no such turn")``."""
    return {int(status[1:]): {"model": ErrorShape, "description": when} for status, when in whens.items()}
