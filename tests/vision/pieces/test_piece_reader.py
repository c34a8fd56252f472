"""Piece reader: pieces in the lattice from network outputs, and the shipped networks on unseen tables."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.pack import load_pack
from models import load
from models.train.pieces.pieces_data import house, lattice_fit
from models.train.scenes import Scene, make_scene, random_room
from vision.geometry.ortho import CELL_PX, MARGIN_CELLS
from vision.observation import BoardPose, PieceReading, Sight
from vision.pieces.detector import COLORS, STRIDE
from vision.pieces.feature_assignment import kinds_of
from vision.pieces.piece_reader import MEEPLES, PieceReader
from vision.pieces.tone import TONES
from vision.tiles.reprojection import ExpectedFace

SIDE_PX = 60.0
MARGIN_PX = int(MARGIN_CELLS * CELL_PX)
BLANK = np.zeros((400, 600, 3), np.uint8)


def pose_of(cells: list[tuple[int, int]], shift_px: float = 0.0) -> BoardPose:
    """A board seen from straight above, its north-west cell at (100, 100) px."""
    h = np.array([[SIDE_PX, 0, 100.0], [0, SIDE_PX, 100.0], [0, 0, 1.0]])
    square = np.array([(0, 0), (1, 0), (1, 1), (0, 1)], np.float32)
    quads = {c: ((square + c) * SIDE_PX + 100 + shift_px).astype(np.float32) for c in cells}
    return BoardPose(h, quads, (600, 400), 1.0)


class Told:
    """Stands in for the network: returns given values at lattice places of a board that starts at (0, 0)."""

    def __init__(self, *found: tuple[int, float, float, int, float]) -> None:
        self.found = found

    def __call__(self, picture: np.ndarray, context: np.ndarray) -> tuple[np.ndarray, ...]:
        h, w = picture.shape[2] // STRIDE, picture.shape[3] // STRIDE
        assert context.shape == (1, 5, h, w)
        heat, kind = np.zeros((1, 2, h, w), np.float32), np.zeros((1, 4, h, w), np.float32)
        offset, color = np.zeros((1, 2, h, w), np.float32), np.full((1, 6, h, w), 1 / 6, np.float32)
        for what, x, y, tint, value in self.found:
            px, py = ((t + MARGIN_CELLS) * CELL_PX / STRIDE for t in (x, y))
            gx, gy = int(px), int(py)
            heat[0, int(what == 4), gy, gx] = value
            if what < 4:
                kind[0, what, gy - 1 : gy + 2, gx - 1 : gx + 2] = 1.0
            offset[0, :, gy, gx] = px - gx - 0.5, py - gy - 0.5
            color[0, :, gy - 1 : gy + 2, gx - 1 : gx + 2] = np.eye(6)[tint][:, None, None]
        return heat, kind, offset, color


class Shown:
    """Stands in for the looks: they see nothing that the detector does not (``sure``), or else no piece.
    ``strange`` is the share of what they see that is of no known kind."""

    def __init__(self, sure: bool = True, strange: float = 0.0, **weights: tuple[object, ...]) -> None:
        self.sure, self.strange, self.meta, self.asked = sure, strange, {"weights": weights}, 0

    def __call__(self, pictures: np.ndarray, context: np.ndarray) -> tuple[np.ndarray, ...]:
        n = len(pictures)
        assert context.shape == (n, 5)
        self.asked += n
        kinds = np.full((n, 6), 0.125 * (1 - self.strange), np.float32)
        kinds[:, 0] = 0.5 if self.sure else 0.99
        kinds[:, 5] = 0.5 * self.strange
        return (
            kinds,
            np.full((n, 1), 0.5, np.float32),
            np.full((n, 7), 1 / 7, np.float32),
            np.zeros((n, 2), np.float32),
        )


def reader(told: Told, looks: Shown | None = None, **game: object) -> PieceReader:
    """A reader on made-up networks."""
    return PieceReader(told, looks or Shown(), **game)  # type: ignore[arg-type]


def read(pose: BoardPose, *found: tuple[int, float, float, int, float]) -> tuple[PieceReading, ...]:
    """The readings for these outputs of the detector."""
    return reader(Told(*found)).read(Sight(BLANK), pose)


def test_a_piece_is_where_the_network_puts_it() -> None:
    pose = pose_of([(0, 0), (1, 0)])
    (piece,) = read(pose, (1, 1.31, 0.62, COLORS.index("blue"), 0.9))
    assert (piece.kind, piece.pose, piece.color) == ("meeple", "lying", "blue")
    assert piece.cell == (1, 0)
    assert piece.lattice_xy == pytest.approx((1.31, 0.62), abs=0.01)
    assert piece.point_px == pytest.approx((100 + 1.31 * SIDE_PX, 100 + 0.62 * SIDE_PX), abs=0.5)
    assert sum(piece.color_probs.values()) == pytest.approx(1.0, abs=1e-5)


def test_the_tile_s_own_corners_decide_where_on_it_a_piece_stands() -> None:
    (piece,) = read(pose_of([(0, 0)], shift_px=6.0), (0, 0.5, 0.5, 0, 0.9))
    assert piece.lattice_xy == pytest.approx((0.4, 0.4), abs=0.01)


def test_rangers_are_white_and_stand_beside_the_board() -> None:
    (piece,) = read(pose_of([(0, 0)]), (3, 1.5, 0.5, 0, 0.8))
    assert (piece.kind, piece.color, piece.cell) == ("ranger", "white", (1, 0))
    assert piece.color_probs == {}


class ToldTwice(Told):
    """Detects the last place only faintly if the picture is mirrored."""

    asked = 0

    def __call__(self, picture: np.ndarray, context: np.ndarray) -> tuple[np.ndarray, ...]:
        self.asked += 1
        if self.asked == 1:
            return super().__call__(picture, context)
        kind, x, y, tint, _ = self.found[-1]
        told = Told(*self.found[:-1], (kind, x, y, tint, 0.21))(picture, context)
        return tuple(out[..., ::-1] for out in told)


def test_where_too_many_spaces_look_like_rangers_they_are_looked_at_again() -> None:
    places = [(3, 1.5, 0.5, 0, 0.7), (3, -0.5, 0.5, 0, 0.7), (3, 0.5, 1.5, 0, 0.8)]

    def sure(rangers: int | None) -> tuple[int, dict[tuple[int, int], float]]:
        told, looks = ToldTwice(*places), Shown(something=(1.0, 0.0, 0.0))
        outside = None if rangers is None else {"ranger": rangers}
        got = reader(told, looks, outside=outside).read(Sight(BLANK), pose_of([(0, 0)]))
        return told.asked, {piece.cell: piece.confidence for piece in got}

    for enough in (None, 3):
        asked, once = sure(enough)
        assert asked == 1
        assert once == pytest.approx({(0, 1): 0.8, (1, 0): 0.7, (-1, 0): 0.7}, abs=1e-3)
    asked, twice = sure(2)
    assert asked == 2
    assert twice == pytest.approx({(0, 1): 0.508, (1, 0): 0.7, (-1, 0): 0.7}, abs=1e-3)


def test_no_ranger_stands_on_a_tile() -> None:
    (piece,) = read(pose_of([(0, 0), (1, 0)]), (3, 0.5, 0.5, 0, 0.8))
    assert piece.kind != "ranger"


def test_only_what_the_game_has_is_read() -> None:
    told = Told((2, 0.5, 0.5, 1, 0.9), (4, 0.8, 0.2, 0, 0.9))
    (piece,) = reader(told, kinds={"meeple"}, colors={"blue": 1.0}).read(Sight(BLANK), pose_of([(0, 0)]))
    assert (piece.kind, piece.color) == ("meeple", "blue")
    assert kinds_of(load_pack("savanna")) == {"meeple", "ranger", "token"}


def test_a_disc_is_another_piece_unless_the_table_plays_with_discs() -> None:
    told, looks = Told((0, 0.5, 0.5, COLORS.index("blue"), 0.9)), Shown(strange=0.95, other=(1.0, 6.0))
    (piece,) = reader(told, looks).read(Sight(BLANK), pose_of([(0, 0)]))
    assert (piece.kind, piece.color) == ("other", "blue")
    known = piece.among({"meeple"})
    assert known is not None and known.confidence < 0.02, "hardly any meeple"
    (piece,) = reader(told, looks, discs=True).read(Sight(BLANK), pose_of([(0, 0)]))
    assert (piece.kind, piece.color) == ("meeple", "blue")
    assert sum(piece.sort_probs[sort] for sort in MEEPLES) == pytest.approx(1.0, abs=0.01)
    assert piece.sort_probs["meeple", "lying"] == pytest.approx(0.5, abs=0.05), "a disc has no known pose"


def test_what_may_be_a_disc_is_no_sure_meeple() -> None:
    told, looks = Told((0, 0.5, 0.5, COLORS.index("blue"), 0.9)), Shown(strange=0.2, other=(1.0, 4.0))
    (sure,) = reader(told).read(Sight(BLANK), pose_of([(0, 0)]))
    (piece,) = reader(told, looks).read(Sight(BLANK), pose_of([(0, 0)]))
    assert piece.kind == "meeple"
    assert 0.6 * sure.confidence < piece.confidence < 0.9 * sure.confidence
    assert sum(piece.sort_probs.values()) == pytest.approx(1.0, abs=1e-5)


def test_whether_a_meeple_lies_is_less_sure_the_steeper_it_is_seen() -> None:
    """Seen from straight above nothing leans, and the factor of the networks' log-odds is its least."""
    told = Told((1, 0.5, 0.5, 1, 0.9))
    usual = reader(told).read(Sight(BLANK), pose_of([(0, 0)]))[0].sort_probs
    (piece,) = reader(told, Shown(pose=(0.5, 3.0, 0.0, 0.0))).read(Sight(BLANK), pose_of([(0, 0)]))
    assert piece.pose == "lying"
    assert 0.5 < piece.sort_probs["meeple", "lying"] < usual["meeple", "lying"]


def test_a_piece_in_a_colour_that_the_game_lacks_is_left_out_as_a_shadow() -> None:
    told, looks = Told((0, 0.5, 0.5, COLORS.index("black"), 0.9)), Shown(foreign=(1.0, 0.0))
    (piece,) = reader(told, looks, colors={"blue": 1.0, "black": 1.0}).read(Sight(BLANK), pose_of([(0, 0)]))
    assert piece.color == "black"
    assert reader(told, looks, colors={"blue": 1.0}).read(Sight(BLANK), pose_of([(0, 0)])) == ()


def test_a_meeple_may_stand_on_a_token() -> None:
    got = read(pose_of([(0, 0)]), (4, 0.8, 0.8, 0, 0.9), (0, 0.8, 0.8, 1, 0.7))
    assert {p.kind for p in got} == {"token", "meeple"}


def test_one_piece_is_not_told_twice() -> None:
    got = read(pose_of([(0, 0)]), (0, 0.5, 0.5, 1, 0.9), (1, 0.6, 0.55, 1, 0.7))
    assert [p.pose for p in got] == ["standing"]


def test_a_further_peak_on_the_body_of_a_surer_piece_is_no_piece() -> None:
    low = pose_of([(0, 0)])
    low = BoardPose(
        np.diag([1, 0.5, 1]) @ low.H_px_from_lattice, {(0, 0): low.quads[0, 0] * (1, 0.5)}, (600, 400), 1.0
    )

    def told(apart: float, color: int) -> int:
        return len(read(low, (0, 0.5, 0.8, 0, 0.99), (0, 0.5, 0.8 - apart, color, 0.97)))

    assert told(0.25, 0) == 1, "seen from low it rises over the same body"
    assert told(0.4, 0) == 2, "clear of the body"
    assert told(0.4, 1) == 2, "of another colour"


def test_far_from_the_board_and_unsure_pieces_are_left_out() -> None:
    assert read(pose_of([(0, 0), (4, 0)]), (0, 2.5, 0.5, 1, 0.9)) == ()
    assert read(pose_of([(0, 0)]), (0, 0.5, 0.5, 1, 0.1)) == ()
    assert read(BoardPose(np.eye(3), {}, (600, 400), 0.0)) == ()


def test_a_piece_that_a_closer_look_does_not_confirm_is_left_out() -> None:
    told = Told((0, 0.5, 0.5, 1, 0.6))
    assert len(reader(told).read(Sight(BLANK), pose_of([(0, 0)]))) == 1
    assert reader(told, Shown(sure=False)).read(Sight(BLANK), pose_of([(0, 0)])) == ()


def test_a_piece_that_looks_as_before_is_not_looked_at_again() -> None:
    looks, pose = Shown(), pose_of([(0, 0), (1, 0)])
    one = reader(Told((0, 0.5, 0.5, 1, 0.9), (1, 1.5, 0.5, 2, 0.9)), looks)
    first = one.read(Sight(BLANK), pose)
    again = one.read(Sight(BLANK), pose)
    assert [(p.kind, p.point_px, p.confidence) for p in again] == [
        (p.kind, p.point_px, p.confidence) for p in first
    ]
    assert looks.asked == 4, "both, and their mirror images"
    changed = BLANK.copy()
    changed[:, 160:] = 90  # the second piece's tile
    one.read(Sight(changed), pose)
    assert looks.asked == 6


def board_pose(scene: Scene) -> BoardPose:
    """The pose that a perfect locator would give."""
    quads = {
        t.cell: np.roll(t.corners_px, t.rot // 90, axis=0).astype(np.float32)
        for t in scene.tiles
        if t.in_frame > 0.99
    }
    h, w = scene.image.shape[:2]
    return BoardPose(lattice_fit(scene), quads, (w, h), 1.0)


def house_deck() -> tuple[np.ndarray, np.ndarray]:
    """Faces and tokens of the house deck."""
    art = house(128)
    assert art is not None
    return art


def printed_faces(scene: Scene, faces: np.ndarray) -> dict[tuple[int, int], ExpectedFace]:
    """The print of every tile, as a gallery that holds the deck knows it."""
    return {t.cell: ExpectedFace(faces[t.face], t.rot // 90) for t in scene.tiles if t.in_frame > 0.99}


def shipped() -> PieceReader:
    """A reader on the networks that ship."""
    return PieceReader(load("pieces"), load("looks"))


@pytest.mark.long
def test_the_shipped_network_reads_tables_it_never_saw() -> None:
    faces, tokens = house_deck()
    asked = found = false = right = 0
    for seed in range(6):
        rng = np.random.default_rng([4711, seed])
        room = random_room(
            rng, table="wood", clutter=0.0, quality=0.9, elevation_range=(50.0, 80.0), partly_out=0.0,
            hands=0.0, tokens=tokens,
        )  # fmt: skip
        scene = make_scene(rng, (1280, 720), faces, 9, density=0.5, room=room)
        pose = board_pose(scene)
        known = printed_faces(scene, faces)
        got = [p for p in shipped().read(Sight(scene.image), pose, known) if p.kind != "token"]
        wanted = [p for p in scene.pieces if p.visible >= 0.5 and p.cell in pose.quads and p.kind == "meeple"]
        asked += len(wanted)
        near = 0.3 * pose.tile_side_px
        for p in wanted:
            hits = [r for r in got if math.dist(r.point_px, p.point_px) < near]
            found += bool(hits)
            right += any((r.kind, r.pose, r.color) == (p.kind, p.pose, p.color) for r in hits)
        true = [p.point_px for p in scene.pieces]
        false += sum(all(math.dist(r.point_px, q) >= near for q in true) for r in got)
    assert asked >= 10
    assert found >= 0.85 * asked
    assert right >= 0.75 * asked
    assert false <= 0.1 * asked


def test_an_empty_board_has_no_pieces() -> None:
    faces, _ = house_deck()
    rng = np.random.default_rng(99)
    room = random_room(rng, table="wood", clutter=0.0, quality=0.9, partly_out=0.0, hands=0.0)
    scene = make_scene(rng, (1280, 720), faces, 9, pieces=False, room=room)
    known = printed_faces(scene, faces)
    assert shipped().read(Sight(scene.image), board_pose(scene), known) == ()


def test_a_dim_board_is_lifted_before_it_is_looked_at() -> None:
    print_ = np.random.default_rng(2).integers(0, 256, (60, 60, 3)).astype(np.uint8)
    dim = np.zeros((400, 600, 3), np.uint8)
    dim[100:160, 100:160] = print_ * 0.3 + 30
    spread: list[float] = []

    class Watching(Told):
        def __call__(self, picture: np.ndarray, context: np.ndarray) -> tuple[np.ndarray, ...]:
            spread.append(float(picture[0, :, MARGIN_PX:-MARGIN_PX, MARGIN_PX:-MARGIN_PX].std()))
            return super().__call__(picture, context)

    for faces in ({}, {(0, 0): ExpectedFace(print_, 0)}):
        PieceReader(Watching(), Shown()).read(Sight(dim), pose_of([(0, 0)]), faces)  # type: ignore[arg-type]
    assert spread[1] > 1.5 * spread[0]


GREY = tuple((0.0,) * TONES + (nats,) for nats in (0.0, 3.0))
"""Weights of the tone with which every black piece counts as grey."""


@pytest.mark.parametrize(
    ("colors", "seen"), [(None, "grey"), (("red", "black"), "black"), (("grey", "black"), "grey")]
)
def test_grey_is_told_only_where_a_player_may_be_grey(colors: tuple[str, ...] | None, seen: str) -> None:
    told, looks = Told((0, 0.5, 0.5, COLORS.index("black"), 0.9)), Shown(paint=GREY)
    picture = np.random.default_rng(1).integers(90, 130, BLANK.shape, np.uint8)
    face = ExpectedFace(np.random.default_rng(2).integers(20, 230, (64, 64, 3), np.uint8), 0)
    one = reader(told, looks, colors=None if colors is None else dict.fromkeys(colors, 1.0))
    (piece,) = one.read(Sight(picture), pose_of([(0, 0)]), {(0, 0): face})
    assert piece.color == seen
    assert sum(piece.color_probs.values()) == pytest.approx(1.0, abs=1e-5)
