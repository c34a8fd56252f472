"""Tuned parameters of `vision.locate`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class LocateParams:
    """Parameters of proposing tiles, joining them to a lattice, and measuring them."""

    # One tile measured alone (`corner_fit`, `bundle`)
    corner_sd: float = param(
        0.012,
        unit="tile sides",
        raising="measured sides count for less against the prior of how tiles are laid",
    )
    place_sd: float = param(
        0.05,
        unit="tile sides",
        raising="tiles can lie farther from their cells",
    )
    turn_sd: float = param(
        0.03,
        unit="radians",
        raising="tiles can be rotated more against the lattice",
    )
    size_sd: float = param(
        0.012,
        unit="tile sides",
        raising="the measured sizes of one board's tiles can differ more",
    )
    tile_size: float = param(
        0.98,
        unit="steps of the lattice",
        raising="narrower gaps between tiles are expected",
    )
    tile_size_sd: float = param(
        0.03,
        unit="steps of the lattice",
        raising="the width of the gaps between tiles can vary more",
    )
    lens_sd: float = param(
        0.05,
        unit="radial distortion coefficient k1",
        raising="lens distortion can deviate more from the lattice's estimate",
    )
    # Quads joined to one lattice (`lattice_search`)
    neighbour_sides: float = param(
        0.28,
        unit="tile sides",
        raising="quads farther from where a neighbour predicts them are joined",
    )
    in_cell_sides: float = param(
        0.25,
        unit="tile sides",
        raising="quads farther from where the lattice predicts them are joined",
    )
    worth_growing: float = param(
        0.3,
        unit="share of the heaviest set's weight",
        raising="fewer sets of quads are extended across holes",
    )
    joined_steps: int = param(
        3,
        unit="cells",
        raising="quads are joined across wider holes, on a lattice that few tiles determine",
    )
    lattices: int = param(
        3,
        unit="lattices",
        raising="more lattices are measured before the best is chosen: slower",
    )
    # Known faces and outlines (`locator`, `sift_matches`)
    closer_look_px: float = param(
        30.0,
        unit="pixels of the network's picture",
        raising="boards of larger tiles are also searched in a magnified picture: slower",
    )
    sure_inliers: float = param(
        14.0,
        unit="features",
        raising="a known face gets less weight for its number of inliers",
    )
    outline_weight: float = param(
        0.35,
        unit="1",
        raising="an outline gets more weight next to known faces",
    )
    likely_weight: float = param(
        0.8,
        unit="weight per tile",
        raising="known faces are searched for in more pictures: slower",
    )
    corner_levels: int = param(
        5,
        unit="grey levels",
        raising="corners of less contrast are not counted, so more pictures are taken for plain ones",
    )
    fewest_corners: int = param(
        24,
        unit="corners in a picture of 0.7 megapixels",
        raising="more pictures are taken for plain ones and not searched; one tile has some fifty",
    )
    similar: float = param(
        0.86,
        unit="cosine similarity",
        raising="fewer features are matched to known faces",
    )
    # Tile or table (`occupancy`, `background`, `pose_tracker`)
    likely: float = param(
        0.68,
        unit="probability",
        raising="more cells are left out; a tile in plain view has 0.95, a bare corner with a piece on it"
        " less",
    )
    sure: float = param(
        0.96,
        unit="probability",
        raising="more boards and cells get a second, slower examination",
    )
    possible: float = param(
        0.35,
        unit="probability",
        raising="a tile under a hand is given up sooner, and tiles are searched for less far beyond it",
    )
    bare: float = param(
        0.15,
        unit="probability",
        raising="more cells are taken for table without being measured or compared",
    )
    stray_sides: float = param(
        0.2,
        unit="tile sides",
        raising="tiles farther off the lattice and their neighbours are kept",
    )
    table_nats: float = param(
        1.5,
        unit="nats per nat of a pixel",
        raising="a cell's colours count for more; neighbouring pixels are correlated",
    )
    most_nats: float = param(
        2.0,
        unit="nats",
        raising="a single pixel can count for more",
    )
    steady_sides: float = param(
        0.04,
        unit="tile sides",
        raising="larger moves of a tracked tile count as noise",
    )
    # Tiles or a pattern (`print_likelihood`)
    print_bits: float = param(
        2.6,
        unit="bits of a face's colours",
        raising="more boards of unknown tiles are taken for a pattern",
        fitted="16 real boards of 2 editions have 3.6 to 5.2 (2.9 at a seventh of the light), 20 rendered "
        "ones of 4 decks 3.7 to 5.8; 7 drawn patterns 0.3 to 3.0, a blurred cloth 2.4",
    )
    print_nats: float = param(
        6.0,
        unit="nats a bit",
        raising="the number of colours counts for more in that decision",
    )
    repeated_nats: float = param(
        6.0,
        unit="nats a unit of correlation",
        raising="squares that resemble each other upright more likely count as a pattern",
        fitted="0.00 to 0.03 on real boards, up to 0.14 on few tiles; 0.6 on a crossword",
    )
    # The marker mat (`marker_mat`)
    marker_off_mm: float = param(
        4.0,
        unit="millimetres",
        raising="less accurately joined sheets are accepted",
    )
    even: float = param(
        0.8,
        unit="shortest side or diagonal over longest",
        raising="fewer quads on a mat are taken for tiles",
    )


PARAMS = LocateParams()
