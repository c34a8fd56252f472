"""Tuned parameters of the inference: every number of its models, each with its unit and its effect."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from vision.params import param

_SIMULATED = "log score of `bench inference`: 60 games of 20 turns (seed 1), 120 of 8 (seed 3)"


@dataclass(frozen=True)
class TileParams:
    """Evidence of tiles and their faces."""

    bare_nats: float = param(1.5, unit="nats", raising="a reading needs more to count as a tile")
    most_nats: float = param(6.0, unit="nats", raising="one look at a tile may count more")
    empty_nats: float = param(4.5, unit="nats", raising="one look at a bare cell counts more")
    moved_nats: float = param(4.0, unit="nats", raising="tiles that were laid and moved are less likely")
    repeated: float = param(2.0, unit="1", raising="further equal looks add less")
    rim_sides: float = param(0.2, unit="tile sides", raising="cells at the rim of a picture count as seen")
    hidden_share: float = param(0.3, unit="share", raising="more of a cell must be hidden to excuse a miss")
    piece_hides: float = param(0.2, unit="share", raising="a piece is taken to hide more of its tile")
    excused: float = param(0.3, unit="share", raising="a miss of a hidden tile counts more")
    face_power: float = param(0.85, unit="exponent", raising="readings of faces are trusted more")
    face_floor_nats: float = param(7.5, unit="nats", raising="a misread face is taken for less likely")
    under_piece: float = param(0.25, unit="weight", raising="looks with a piece on the tile count more")
    turned_nats: float = param(4.0, unit="nats", raising="a tile that was turned is noticed less often")
    twin_share: float = param(0.5, unit="share", raising="a piece hides more of what tells faces apart")
    twin_most_nats: float = param(5.0, unit="nats", raising="a piece may hide greater differences of faces")
    unread_nats: float = param(3.0, unit="nats", raising="a tile whose face no look shows costs more")
    unknown_nats: float = param(12.0, unit="nats", raising="a face that recognition lacks costs more")
    turned_pictures: int = param(3, unit="pictures", raising="a turned tile is noticed later")


@dataclass(frozen=True)
class PieceParams:
    """Evidence of pieces."""

    confidences: tuple[float, ...] = param(
        (0.02, 0.3, 0.6, 0.8, 0.97), unit="probability", raising="detections need more confidence to count"
    )
    confidence_nats: tuple[float, ...] = param(
        (-1.0, 0.0, 0.5, 3.0, 5.5), unit="nats", raising="detections of these confidences count more"
    )
    least_nats: float = param(0.6, unit="nats", raising="faint detections are left out")
    token_most_nats: float = param(5.0, unit="nats", raising="one look at an animal tile may count more")
    missed_nats: float = param(3.0, unit="nats", raising="a look that misses a piece counts more")
    repeated: float = param(4.0, unit="1", raising="further equal looks add less")
    same_place_sides: float = param(0.2, unit="tile sides", raising="detections farther apart are one place")
    spread_sides: float = param(0.05, unit="tile sides", raising="pieces may stand farther from their place")
    token_spread_sides: float = param(0.16, unit="tile sides", raising="animal tiles may lie farther off")
    somewhere: float = param(0.8, unit="share", raising="the distance from the drawing costs less")
    reach_sides: float = param(0.6, unit="tile sides", raising="pieces farther from their place are tried")
    roof_nats: float = param(4.0, unit="nats", raising="detections on printed buildings are trusted less")
    odd_nats: float = param(1.0, unit="nats", raising="a piece in a foreign colour counts less")
    sort_most_nats: float = param(4.0, unit="nats", raising="a kind or pose read wrongly costs more")
    kind_power: float = param(2.0, unit="exponent", raising="readings of kinds are trusted more")
    beside_most_nats: float = param(6.0, unit="nats", raising="detections that no piece explains cost less")
    elsewhere_nats: float = param(
        3.0, unit="nats", raising="a piece on another tile of its feature costs more"
    )
    under_nats: float = param(0.5, unit="nats", raising="missing an animal tile under a piece costs more")
    behind_nats: float = param(0.2, unit="nats", raising="missing an animal tile near a piece costs more")
    under_sides: float = param(0.2, unit="tile sides", raising="pieces farther away hide an animal tile")
    behind_sides: float = param(
        0.6, unit="tile sides", raising="pieces farther away excuse a missed animal tile"
    )
    under_weight: float = param(0.03, unit="weight", raising="an animal read under a piece counts more")
    unseen_outside_nats: float = param(0.5, unit="nats", raising="a piece that moves on unseen costs more")
    least_weight: float = param(0.05, unit="weight", raising="faint detections tell more")
    unplain: float = param(0.05, unit="probability", raising="fewer pieces are in doubt beside tiles")
    stands: float = param(0.5, unit="probability", raising="fewer detections hide what lies under them")
    trait_most_nats: float = param(5.0, unit="nats", raising="a colour or animal read wrongly may cost more")
    odd_kind_nats: float = param(1.0, unit="nats", raising="a reading of a kind not in play counts less")
    outside_stays: int = param(6, unit="looks", raising="pieces that moved on may stay longer")
    doubtful_nats: float = param(3.0, unit="nats", raising="more pieces may stand on another tile")


@dataclass(frozen=True)
class TimeParams:
    """Times of what players do (`tilesight.inference.evidence.timing`)."""

    late_share: float = param(0.3, unit="probability", raising="more pieces come after their tile was seen")
    late_s: float = param(3.0, unit="s", raising="they come later")
    late_tail: float = param(1.2, unit="exponent", raising="fewer come very late")
    after_next_nats: float = param(3.0, unit="nats", raising="a piece after the next turn's tile costs more")
    home_s: float = param(4.0, unit="s", raising="scored pieces stay longer")
    home_tail: float = param(0.6, unit="exponent", raising="fewer scored pieces are forgotten")
    stay_s: float = param(5.0, unit="s", raising="a piece that scores at once stays longer")
    least_unseen: float = param(0.02, unit="probability", raising="more pieces come and go unseen")
    unseen: float = param(0.5, unit="probability", raising="more pieces come and go unseen in long gaps")


FAULT_NATS: Mapping[str, float] = MappingProxyType(
    {
        "edge_mismatch": 10.0,
        "not_adjacent": 10.0,
        "cell_taken": 30.0,
        "game_over": 4.0,
        "animal_not_in_hand": 4.0,
        "tile_exhausted": 0.0,
        "wrong_deck": 0.0,
        "unknown_tile": 0.0,
    }
)
"""Cost in nats by the code of a fault, where it is not ``forbidden_nats``; 0 where ``surplus_nats`` or
``wrong_stack_nats`` counts it."""


@dataclass(frozen=True)
class PriorParams:
    """Prior of turns: what the rules forbid costs nats, and odds of what players do."""

    forbidden_nats: float = param(8.0, unit="nats", raising="illegal turns are less likely")
    surplus_nats: float = param(10.0, unit="nats", raising="more copies of a tile than there are cost more")
    wrong_stack_nats: float = param(8.0, unit="nats", raising="a tile of another stack costs more")
    foreign_nats: float = param(4.0, unit="nats", raising="a tile of another set is less likely")
    standing_odds: float = param(1.5, unit="odds", raising="players claim open features more often")
    lying_odds: float = param(0.3, unit="odds", raising="pieces that stay to the end are put more often")
    habit_pieces: float = param(2.0, unit="pieces", raising="the habits of a table are learned more slowly")
    alone_odds: float = param(3.0, unit="odds", raising="features of one tile are claimed more often")
    other_odds: float = param(0.6, unit="odds", raising="pieces of a second kind are put more often")
    at_once: float = param(
        1.5, unit="factor", raising="a feature that the tile finishes is claimed more often"
    )
    saved_pieces: float = param(5.0, unit="pieces", raising="players save their pieces earlier")
    unlikely_odds: float = param(0.05, unit="odds", raising="pieces where none may stand are more likely")
    outside_odds: float = param(2.0, unit="odds", raising="pieces beside the board are moved more often")
    corner_odds: float = param(2.0, unit="odds", raising="animal tiles are laid on corners more often")
    added_odds: float = param(0.3, unit="odds", raising="animal tiles are added to features more often")
    taken_odds: float = param(0.5, unit="odds", raising="pieces are sent home more often")


@dataclass(frozen=True)
class SearchParams:
    """Bounds of the search."""

    within_nats: float = param(7.0, unit="nats", raising="more alternatives are tried: slower")
    order_within_nats: float = param(6.0, unit="nats", raising="more orders are tried: slower")
    expand_within_nats: float = param(5.0, unit="nats", raising="more stories are changed: slower")
    doubtful_nats: float = param(5.0, unit="nats", raising="more tiles are tried without: slower")
    changed_nats: float = param(1.0, unit="nats", raising="turns are looked into again later: faster")
    changed_piece_nats: float = param(1.5, unit="nats", raising="turns are looked into again later: faster")
    rest: float = param(
        0.008, unit="odds", raising="all turns are less sure: more stories are untried", fitted=_SIMULATED
    )
    rest_outside: float = param(
        0.03,
        unit="odds",
        raising="turns are less sure in games with pieces beside the board",
        fitted=_SIMULATED,
    )
    rest_in_hole: float = param(
        0.02, unit="odds", raising="turns that no picture tells apart are less sure: more stories are untried"
    )
    expansions: int = param(40, unit="stories", raising="more stories are changed at a look: slower")
    others: int = param(3, unit="stories", raising="more stories besides the best are changed: slower")
    kept: int = param(10, unit="stories", raising="more stories go on to the next look: slower")
    places: int = param(5, unit="turns", raising="turns are moved farther in the order: slower")
    faces: int = param(6, unit="faces", raising="more faces of a cell are tried: slower")
    ways: int = param(24, unit="ways", raising="more ways of moving pieces are followed: slower")
    steps: int = param(8000, unit="positions", raising="more positions are kept: more memory")
    no_piece_nats: float = param(-3.0, unit="nats", raising="a turn without a piece is tried earlier")
    far_nats: float = param(-12.0, unit="nats", raising="fewer pieces are tried for a track that fits badly")
    outside_nats: float = param(-8.0, unit="nats", raising="the same beside the tiles")
    tracks: int = param(12, unit="tracks", raising="more uses of pieces are tried: slower")
    corner_sides: float = param(
        0.3, unit="tile sides", raising="animal tiles farther from a corner's spot are tried there"
    )
    covered_sides: float = param(
        0.15, unit="tile sides", raising="pieces farther from a corner's spot may hide an animal tile"
    )
    feature_sides: float = param(
        0.45, unit="tile sides", raising="animal tiles farther from a feature's spot are tried as added to it"
    )
    uses: int = param(60, unit="uses", raising="more uses of pieces are tried in a turn: slower")
    new_uses: int = param(6, unit="uses", raising="more uses are tried in a turn that is put in: slower")
    new_faces: int = param(3, unit="faces", raising="more faces are tried in a turn that is put in: slower")
    exchanged_faces: int = param(3, unit="faces", raising="more faces are tried for a tile that gives one up")
    reach: int = param(4, unit="turns", raising="turns farther apart exchange what they did: slower")
    soon: int = param(3, unit="turns", raising="tiles of later turns may send a piece on before it is seen")
    slack_nats: float = param(
        2.0, unit="nats", raising="more stories are weighed that only other turns could make likely: slower"
    )
    ranked: int = param(12, unit="stories", raising="more of the likeliest stories are changed: slower")
    restless_s: float = param(60.0, unit="seconds", raising="late pieces are expected for longer: slower")


@dataclass(frozen=True)
class SceneParams:
    """Placing a picture's cells in the game's frame, and telling turns from what else happens at a table."""

    face_floor_nats: float = param(
        9.0, unit="nats", raising="one tile can count for more against another place of the board"
    )
    votes_nats: float = param(
        3.0, unit="nats", raising="more known tiles must be read before the board counts as registered"
    )
    same_frame_nats: float = param(
        3.0,
        unit="nats",
        raising="the registration of the last picture is replaced less often by another shift or rotation",
    )
    turned_nats: float = param(
        4.0, unit="nats", raising="another face must lead by more before a known tile counts as changed"
    )
    plain_face: float = param(
        0.9,
        unit="probability",
        raising="fewer changed faces of known tiles are taken for an exchange rather than for a cover",
    )
    scene_s: float = param(
        2.0, unit="seconds", raising="people hear later that tiles are covered or the board is gone"
    )
    covered_s: float = param(
        20.0,
        unit="seconds",
        raising="the game waits longer for several covered tiles before it goes on around them",
    )
    hand_share: float = param(
        0.3,
        unit="share of a tile",
        raising="more of a tile must be hidden before its face is no longer read plainly",
    )
    unsettled_tiles: float = param(
        15.0, unit="areas of a tile", raising="larger changes between two pictures still count as rest"
    )
    moving_s: float = param(
        8.0, unit="seconds", raising="pictures farther apart may show that the camera moves"
    )


@dataclass(frozen=True)
class QuestionParams:
    """Reports of turns, and questions about them."""

    sure: float = param(0.9, unit="probability", raising="more turns are marked as uncertain")
    ask_below: float = param(0.85, unit="probability", raising="more turns are asked about")
    unclear_after: int = param(
        2, unit="pictures at rest", raising="tiles that no turn explains are reported later"
    )
    ask_after: int = param(
        3,
        unit="pictures at rest",
        raising="questions come later, and fewer are asked that would have resolved themselves",
    )
    ask_after_s: float = param(
        2.0,
        unit="seconds",
        raising="questions come later, and fewer are asked that would have resolved themselves",
    )
    option_least: float = param(0.01, unit="probability", raising="a question offers fewer answers")
    others: int = param(4, unit="turns", raising="more alternatives to a turn are told")
    options: int = param(4, unit="answers", raising="a question offers more answers")
    waiting_turns: int = param(3, unit="turns", raising="unsure turns are told later")
    open_turns: int = param(12, unit="turns", raising="later pictures may change more turns: settled later")
    settled_sure: float = param(0.95, unit="probability", raising="turns are settled later")


@dataclass(frozen=True)
class OpeningParams:
    """Games that are under way: when a table counts as one, and how it is read."""

    least_tiles: int = param(
        2,
        unit="tiles beyond the known start",
        raising="a game under way needs more tiles to be recognised; fewer are taken for its first turns",
    )
    steady_looks: int = param(
        2, unit="pictures at rest", raising="a game under way is adopted later and read more reliably"
    )
    looks_at_most: int = param(
        6,
        unit="pictures at rest",
        raising="the board is read from more pictures: more reliable, but corrections on the table show "
        "later",
    )
    sure_face: float = param(
        0.9, unit="probability", raising="more tiles of the opening position are reported as doubtful"
    )
    person_nats: float = param(
        4.0, unit="nats", raising="a hypothesis without a faintly detected player's piece costs more"
    )
    same_place_sides: float = param(
        0.2, unit="tile sides", raising="detections farther apart count as the same piece"
    )
    token_reach_sides: float = param(
        0.3, unit="tile sides", raising="animal tiles farther from a corner or spot are assigned to it"
    )
    unexplained_most_nats: float = param(
        4.5, unit="nats", raising="a hypothesis without a surely detected piece costs more"
    )
    missed_piece_nats: float = param(
        3.0, unit="nats", raising="a piece of the hypothesis that is not detected costs more"
    )
    spread_sides: float = param(
        0.09,
        unit="tile sides",
        raising="a distance between a piece's detection and its expected point costs less",
    )
    least_sure: float = param(0.02, unit="probability", raising="one reading counts less for a piece")
    held: int = param(
        8, unit="pictures", raising="more pictures are kept until it is known how the game begins"
    )
    dropped_from: int = param(8, unit="pieces", raising="more pairs of pieces are tried left out: slower")


TILES = TileParams()
PIECES = PieceParams()
TIMES = TimeParams()
PRIOR = PriorParams()
SEARCH = SearchParams()
SCENES = SceneParams()
QUESTIONS = QuestionParams()
OPENING = OpeningParams()
PARAMS = (TILES, PIECES, TIMES, PRIOR, SEARCH, SCENES, QUESTIONS, OPENING)

LIKELY = 0.5
"""Probability above which something is taken to be there: likelier than not."""
