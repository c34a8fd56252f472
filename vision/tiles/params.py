"""Tuned parameters of `vision.tiles`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class TilesParams:
    """Parameters of classifying and registering faces, and of solving the board."""

    # Faces: how sure one must be.
    believed_face: float = param(
        0.9,
        unit="probability",
        raising="looks twice at more tiles, finds fewer beside the board, knows less print",
    )
    sure_face: float = param(
        0.98,
        unit="probability",
        raising="reads and measures more tiles again, believes fewer hidden ones",
    )
    face_floor: float = param(
        1e-5,
        unit="probability",
        raising="spreads more over all faces alike: no reading is surer than this allows",
    )
    close_similarity: float = param(
        0.12,
        unit="mean similarity of patches",
        raising="compares more faces closely: slower, none is lost",
    )
    second_look_sides: float = param(
        0.025,
        unit="tile sides",
        raising="looks again at doubtful tiles from farther around; half as far in a second round",
    )

    # Tile or table: log-odds.
    beyond_doubt_nats: float = param(
        6.0,
        unit="nats",
        raising="takes fewer cells for tiles whatever their face; bare table never comes near",
    )
    found_nats: float = param(
        2.0,
        unit="nats",
        raising="finds fewer tiles by a face that is believed where no outline was",
    )
    hinted_nats: float = param(
        -3.0,
        unit="nats",
        raising="gives up more cells without an outline before their face is measured",
    )
    one_face: float = param(
        0.9995,
        unit="probability",
        raising="lets fewer faces speak for a tile by being much likelier than all others, each way round",
    )
    one_face_nats: float = param(
        2.0,
        unit="nats",
        raising="believes more that such a face lies there, though pieces or a hand hide most of it",
    )
    singled_out_nats: float = param(
        4.0,
        unit="nats",
        raising="takes more outlined cells beside a tile, of one sure face, for tiles that a hand hides",
        fitted="232 own scenes: of 166 cells it decides, all 5 tiles and none of 161 bare ones",
    )
    possible_tile: float = param(
        0.3,
        unit="probability",
        raising="asks fewer cells that no outline joins to the board",
    )
    reach_cells: int = param(
        3,
        unit="cells",
        raising="asks such cells farther from the board",
    )

    # Corners.
    moved_sides: float = param(
        0.03,
        unit="tile sides",
        raising="reads, measures and asks fewer tiles again whose corners turned out to lie elsewhere",
        fitted="own scenes with a gallery: 99 of 100 corners within 2.3 % of a side (2.5 % without)",
    )
    settled_sides: float = param(
        0.008,
        unit="tile sides",
        raising="ends sooner the rounds in which all tiles are laid over their faces",
    )
    rim_sides: float = param(
        0.03,
        unit="tile sides",
        raising="leaves out more of a tile's border, where a neighbour or the table shows",
    )
    neighbourhood_sides: float = param(
        0.2,
        unit="tile sides",
        raising="compares brightness, and print with photograph, over wider surroundings",
        fitted="112 own scenes: median corner error 0.41 % of a side (0.49 % from twice as wide ones)",
    )
    usual_difference: float = param(
        0.12,
        unit="normalised brightness",
        raising="lets registration believe its outline more, its print less",
    )
    outlier_spreads: float = param(
        8.0,
        unit="usual differences",
        raising="lets pixels that do not fit pull more",
    )
    correlated_pixels: float = param(
        6.0,
        unit="pixels",
        raising="counts more neighbouring pixels as one, and so believes the outline more",
    )
    least_correlation: float = param(
        0.35,
        unit="correlation",
        raising="believes fewer registrations",
    )
    farthest_sides: float = param(
        0.12,
        unit="tile sides",
        raising="believes registrations that move a corner farther",
    )
    found_correlation: float = param(
        0.65,
        unit="correlation",
        raising="finds fewer faces by searching around their tile; faces of one deck have much in common",
    )
    outline_place_sd: float = param(
        0.02,
        unit="tile sides",
        raising="believes less that a tile lies where its outline says",
    )
    outline_turn_sd: float = param(
        0.012,
        unit="radians",
        raising="believes less that a tile is turned as its outline says",
    )
    outline_size_sd: float = param(
        0.006,
        unit="tile sides",
        raising="believes less that a tile is as large as its outline says",
    )
    outline_bend_sd: float = param(
        0.003,
        unit="tile sides",
        raising="lets each corner move more by itself",
    )
    laid_spread: float = param(
        0.75,
        unit="1",
        raising="believes less in the place and turn of corners whose plane all tiles gave; 1 is an outline",
    )
    laid_shape_spread: float = param(
        0.5,
        unit="1",
        raising="believes less in the size and bend of such corners; 1 is an outline",
    )
    laid_correlation: float = param(
        0.2,
        unit="correlation",
        raising="believes fewer registrations of such tiles",
    )

    # The whole board.
    mismatch_nats: float = param(
        6.0,
        unit="nats",
        raising="believes less that two touching edges of different land were laid so",
    )
    surplus_nats: float = param(
        6.0,
        unit="nats",
        raising="believes less that more copies of a design lie there than its pack has",
    )
    unexplained_share: float = param(
        0.03,
        unit="share of the tiles",
        raising="expects more tiles that no face explains, before the board is seen",
    )
    unexplained_tiles: float = param(
        20.0,
        unit="tiles",
        raising="lets a board's own readings change that share less",
    )
    explained_nats: float = param(
        -3.3,
        unit="nats",
        raising="takes fewer tiles for ones that no face explains",
        fitted="logistic regression with the next two, classes weighted alike, on 1575 tiles of 44 drawn "
        "boards against cheap scans, 253 of them not in the gallery: with their neighbours 94 % of these are "
        "told (89 % by log_tile alone); 99.8 % of tiles are named where all are known (97.6 %)",
    )
    explained_print: float = param(
        0.225,
        unit="nats a nat of the print",
        raising="lets a print that is much likelier than all others say more for a known face",
    )
    explained_tile: float = param(
        0.37,
        unit="nats a nat of the tile",
        raising="lets the mean fit of the patches say more for a known face",
    )
    message_damping: float = param(
        0.3,
        unit="share",
        raising="keeps more of a cell's last message: slower, but loops of cells do not swing",
    )

    # One tile held up to the camera.
    closeup_area: float = param(
        0.04,
        unit="share of the picture",
        raising="takes fewer small outlines for the tile",
    )
    closeup_rounds: tuple[tuple[float, int], ...] = param(
        ((0.04, 18), (0.02, 14), (0.01, 10)),
        unit="tile sides, tries; a round each",
        raising="moves corners farther, or takes longer",
    )

    # Colours of blocks (`face_colors`)
    color_checked_nats: float = param(
        12.0, unit="nats", raising="holds less likely faces against the colours of a tile, too"
    )
    color_spread: float = param(
        0.7,
        unit="times how much blocks of sure tiles differ from their faces (the median)",
        raising="lets a block differ more in colour from the face that it shows",
        fitted="grid search on 20 drawn decks, seed 1 (`python -m models.train.descriptor.redrawn`)",
    )
    color_differs: float = param(
        0.6,
        unit="color_spread",
        raising="counts fewer blocks as different between two faces",
        fitted="grid search on 20 drawn decks, seed 1 (`python -m models.train.descriptor.redrawn`)",
    )
    color_nats: float = param(
        0.25,
        unit="nats a block",
        raising="lets colours say more beside descriptors",
        fitted="grid search on 20 drawn decks, seed 1 (`python -m models.train.descriptor.redrawn`)",
    )
    color_correlated: float = param(
        40.0,
        unit="blocks",
        raising="takes blocks of one tile for more independent of each other",
        fitted="grid search on 20 drawn decks, seed 1 (`python -m models.train.descriptor.redrawn`)",
    )


PARAMS = TilesParams()
