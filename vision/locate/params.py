"""Tuned parameters of `vision.locate`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class LocateParams:
    """Parameters of proposing tiles, joining them to a lattice, and measuring them."""

    # A tile measured by itself (`corner_fit`, `bundle`)
    corner_sd: float = param(
        0.012,
        unit="tile sides",
        raising="trusts the sides that are seen less against how hands lay tiles",
    )
    place_sd: float = param(
        0.05,
        unit="tile sides",
        raising="lets tiles lie further from their cells",
    )
    turn_sd: float = param(
        0.03,
        unit="radians",
        raising="lets tiles lie more askew",
    )
    size_sd: float = param(
        0.012,
        unit="tile sides",
        raising="lets tiles of one board differ more in size as they are measured",
    )
    tile_size: float = param(
        0.98,
        unit="steps of the lattice",
        raising="expects narrower gaps between tiles",
    )
    tile_size_sd: float = param(
        0.03,
        unit="steps of the lattice",
        raising="expects less of the gaps between tiles",
    )
    lens_sd: float = param(
        0.05,
        unit="lens term",
        raising="lets the lens bend further from what the lattice says",
    )
    # Loose quads on one lattice (`lattice_search`)
    neighbour_sides: float = param(
        0.28,
        unit="tile sides",
        raising="joins quads that lie further from where a neighbour expects them",
    )
    in_cell_sides: float = param(
        0.25,
        unit="tile sides",
        raising="joins quads that lie further from where the lattice expects them",
    )
    worth_growing: float = param(
        0.3,
        unit="share of the heaviest set",
        raising="grows fewer sets across holes",
    )
    joined_steps: int = param(
        3,
        unit="cells",
        raising="joins quads across wider holes, by a lattice that few tiles fixed",
    )
    lattices: int = param(
        3,
        unit="lattices",
        raising="measures more lattices before the best is taken: slower",
    )
    # Known faces beside outlines (`locator`, `sift_matches`)
    closer_look_px: float = param(
        30.0,
        unit="pixels of the network's picture",
        raising="looks again, closer, at boards of larger tiles: slower",
    )
    sure_inliers: float = param(
        14.0,
        unit="features",
        raising="lets a known face weigh less",
    )
    outline_weight: float = param(
        0.35,
        unit="1",
        raising="lets an outline weigh more beside known faces",
    )
    likely_weight: float = param(
        0.8,
        unit="weight a tile",
        raising="searches for known faces in more pictures: slower",
    )
    similar: float = param(
        0.86,
        unit="cosine",
        raising="matches fewer features to known faces",
    )
    # Tile or table (`occupancy`, `background`, `pose_tracker`)
    likely: float = param(
        0.68,
        unit="probability",
        raising="leaves more cells out; a tile in plain view has 0.95, a bare corner with a piece on it less",
    )
    sure: float = param(
        0.96,
        unit="probability",
        raising="asks for a second opinion on more boards and cells",
    )
    possible: float = param(
        0.35,
        unit="probability",
        raising="gives up a tile under a hand sooner, and looks less far for tiles beyond one",
    )
    bare: float = param(
        0.15,
        unit="probability",
        raising="takes more cells for table without measuring or comparing them",
    )
    stray_sides: float = param(
        0.2,
        unit="tile sides",
        raising="keeps tiles that lie further off the lattice and off their neighbours",
    )
    table_nats: float = param(
        1.5,
        unit="nats a nat of a pixel",
        raising="lets a cell's colours say more; its pixels lie side by side and say much the same",
    )
    most_nats: float = param(
        2.0,
        unit="nats",
        raising="lets a single pixel say more",
    )
    steady_sides: float = param(
        0.04,
        unit="tile sides",
        raising="takes larger moves of a followed tile for noise",
    )
    # The marker mat (`marker_mat`)
    marker_off_mm: float = param(
        4.0,
        unit="millimetres",
        raising="lets sheets be joined more sloppily",
    )
    even: float = param(
        0.8,
        unit="shortest side or diagonal over the longest",
        raising="takes fewer quads on a mat for tiles",
    )


PARAMS = LocateParams()
