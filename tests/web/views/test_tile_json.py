"""Where pieces stand on the drawn board, and what a pack without art gives."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from engine.games import tile_game_named, tile_game_names
from engine.pack import load_pack
from engine.tiles.board import Laid, Standing
from tilesight.simulation.tile_games import Style, random_game
from vision.tiles.gallery_pack import KeptPicture
from web.views.art import art_of, art_response
from web.views.tile_json import pack_json, piece_point, pieces_left

PACK = load_pack("savanna")
START = PACK.designs["CSS-E"]


@pytest.mark.parametrize("rot", [0, 90, 180, 270])
def test_a_meeple_stands_on_its_features_spot_turned_with_the_tile(rot: int) -> None:
    u, v = START.tile.features[0].spot
    for _ in range(rot // 90):
        u, v = 1 - v, u
    piece = Standing("meeple", "red", (2, -3), START.tile.features[0].id)
    assert piece_point(PACK, {(2, -3): Laid(START, rot)}, piece) == pytest.approx((2 + u, -3 + v))


@pytest.mark.parametrize(("corner", "near"), [("nw", (0, 0)), ("ne", (1, 0)), ("se", (1, 1)), ("sw", (0, 1))])
def test_a_quarter_token_lies_in_its_corner_of_the_board_at_any_rotation(
    corner: str, near: tuple[int, int]
) -> None:
    for rot in (0, 90):
        token = Standing("token", None, (0, 0), corner=corner, animal="lion")  # type: ignore[arg-type]
        x, y = piece_point(PACK, {(0, 0): Laid(START, rot)}, token)
        assert abs(x - near[0]) < 0.25 and abs(y - near[1]) < 0.25
        assert 0 < x < 1 and 0 < y < 1


def test_a_ranger_stands_in_the_middle_of_its_empty_space() -> None:
    assert piece_point(PACK, {}, Standing("ranger", "white", (-2, 4))) == (-1.5, 4.5)


def test_a_pack_without_pictures_still_tells_its_geometry(tmp_path: Path) -> None:
    bare = replace(PACK, folder=tmp_path)
    shown = pack_json(bare)
    assert shown["designs"]["CS13-G"]["art"] is None and shown["tokens"]["lion"] is None
    assert shown["designs"]["CS13-G"]["features"][0]["spot"]
    assert art_of(bare, "CS13-G.jpg") is None


def test_pictures_that_a_gallery_carries_are_shown_like_files() -> None:
    pictures = {name: KeptPicture(f"{name}.png", name.encode()) for name in ("CS13-G", "token-lion")}
    carried = replace(PACK, folder=None, pictures=pictures)
    shown = pack_json(carried)
    assert shown["designs"]["CS13-G"]["art"] == "art/CS13-G.png"
    assert (shown["tokens"]["lion"], shown["tokens"]["zebra"]) == ("art/token-lion.png", None)
    art = art_of(carried, "CS13-G.png")
    assert art is not None
    answer = art_response(art)
    assert (answer.body, answer.media_type) == (b"CS13-G", "image/png")
    for name in ("CS13-G.jpg", "CS1.png", "pack.json", "token-zebra.png", "../CS13-G.png"):
        assert art_of(carried, name) is None


@pytest.mark.parametrize(
    ("kind", "media_type"), [("JPEG", "image/jpeg"), ("WEBP", "image/webp"), ("PNG", "image/png")]
)
def test_a_smaller_picture_is_of_the_same_kind(kind: str, media_type: str) -> None:
    file = BytesIO()
    Image.new("RGB", (600, 600), "green").save(file, kind)
    suffix = {"JPEG": ".jpg"}.get(kind, f".{kind.lower()}")
    answer = art_response(KeptPicture(f"CS1{suffix}", file.getvalue()), "small")
    assert answer.media_type == media_type
    with Image.open(BytesIO(bytes(answer.body))) as picture:
        assert (picture.format, picture.size) == (kind, (192, 192))


@pytest.mark.parametrize("game", tile_game_names())
def test_pieces_left_are_those_that_do_not_stand_on_the_board(game: str) -> None:
    """The supply that the rules keep is the meeples among the pieces left, after every turn."""
    pack = load_pack(tile_game_named(game).default_pack)
    record = random_game(pack, 3, 4, turns=30, style=Style(greedy=0.3))
    state = tile_game_named(game).start(record.header, pack)  # type: ignore[arg-type]
    kinds = {pieces.kind for pieces in tile_game_named(game).pieces if pieces.color in state.players}
    for turn in record.turns:
        state = state.apply(turn).state
        for color in state.players:
            left = {one["kind"]: one for one in pieces_left(game, state, color)}
            assert set(left) == kinds
            assert left["meeple"]["left"] == state.supply[color]
            assert all(0 <= one["left"] <= one["of"] for one in left.values())
    assert any(one["left"] < one["of"] for color in state.players for one in pieces_left(game, state, color))
