"""Tuned parameters of `vision.tiles`."""

from __future__ import annotations

from dataclasses import dataclass

from vision.params import param


@dataclass(frozen=True)
class TilesParams:
    """Parameters of classifying and registering faces, and of solving the board."""

    # Faces.
    believed_face: float = param(
        0.9,
        unit="probability",
        raising="more tiles are examined twice, fewer are found beside the board, less print counts as known",
    )
    sure_face: float = param(
        0.98,
        unit="probability",
        raising="more tiles are read and measured again, and fewer hidden ones are accepted",
    )
    face_floor: float = param(
        1e-5,
        unit="probability",
        raising="more probability is spread evenly over all faces, which limits the confidence of any "
        "reading",
    )
    close_similarity: float = param(
        0.12,
        unit="mean similarity of patches",
        raising="more faces are compared at full resolution: slower, none is lost",
    )
    second_look_sides: float = param(
        0.025,
        unit="tile sides",
        raising="doubtful tiles are read again with larger shifts (half as large in a second round)",
    )

    # Log-odds of tile against table.
    beyond_doubt_nats: float = param(
        6.0,
        unit="nats",
        raising="fewer cells are accepted as tiles without regard to their face; bare table never comes near",
    )
    found_nats: float = param(
        2.0,
        unit="nats",
        raising="fewer tiles are found by a believed face where there was no outline",
    )
    hinted_nats: float = param(
        -3.0,
        unit="nats",
        raising="more cells without an outline are given up before their face is measured",
    )
    one_face: float = param(
        0.9995,
        unit="probability",
        raising="fewer faces count as evidence of a tile by being much likelier than all others",
    )
    one_face_nats: float = param(
        2.0,
        unit="nats",
        raising="such a face counts for more, even if pieces or a hand hide most of the tile",
    )
    singled_out_nats: float = param(
        4.0,
        unit="nats",
        raising="more outlined cells next to a tile, with one sure face, are accepted as tiles under a hand",
        fitted="232 synthetic scenes: of 166 cells that it decides, all 5 tiles and none of 161 bare ones",
    )
    possible_tile: float = param(
        0.3,
        unit="probability",
        raising="fewer cells are examined that no outline joins to the board",
    )
    reach_cells: int = param(
        3,
        unit="cells",
        raising="such cells are examined farther from the board",
    )

    # Corners.
    moved_sides: float = param(
        0.03,
        unit="tile sides",
        raising="fewer tiles are read and measured again because their corners turned out to lie elsewhere",
        fitted="synthetic scenes with a gallery: 99 of 100 corners within 2.3 % of a side (2.5 % without)",
    )
    settled_sides: float = param(
        0.008,
        unit="tile sides",
        raising="the rounds of registering all tiles end sooner",
    )
    rim_sides: float = param(
        0.03,
        unit="tile sides",
        raising="a wider border of a tile, where a neighbour or the table may show, is left out",
    )
    neighbourhood_sides: float = param(
        0.2,
        unit="tile sides",
        raising="brightness, and print against photograph, are compared over a larger neighbourhood",
        fitted="112 synthetic scenes: median corner error 0.41 % of a side (0.49 % from twice as wide ones)",
    )
    usual_difference: float = param(
        0.12,
        unit="normalised brightness",
        raising="registration trusts the outline more and the print less",
    )
    outlier_spreads: float = param(
        8.0,
        unit="multiples of the usual difference",
        raising="pixels that do not fit count for more",
    )
    correlated_pixels: float = param(
        6.0,
        unit="pixels",
        raising="more neighbouring pixels count as one, so the outline is trusted more",
    )
    least_correlation: float = param(
        0.35,
        unit="correlation",
        raising="fewer registrations are accepted",
    )
    farthest_sides: float = param(
        0.12,
        unit="tile sides",
        raising="registrations that move a corner farther are accepted",
    )
    found_correlation: float = param(
        0.65,
        unit="correlation",
        raising="fewer faces are found by searching around their tile; faces of one deck have much in common",
    )
    outline_place_sd: float = param(
        0.02,
        unit="tile sides",
        raising="the outline's position is trusted less",
    )
    outline_turn_sd: float = param(
        0.012,
        unit="radians",
        raising="the outline's rotation is trusted less",
    )
    outline_size_sd: float = param(
        0.006,
        unit="tile sides",
        raising="the outline's size is trusted less",
    )
    outline_bend_sd: float = param(
        0.003,
        unit="tile sides",
        raising="each corner can move more by itself",
    )
    laid_spread: float = param(
        0.75,
        unit="multiple of an outline's spread",
        raising="position and rotation of corners from the common plane are trusted less",
    )
    laid_shape_spread: float = param(
        0.5,
        unit="multiple of an outline's spread",
        raising="size and bend of corners from the common plane are trusted less",
    )
    laid_correlation: float = param(
        0.2,
        unit="correlation",
        raising="fewer registrations of tiles with corners from the common plane are accepted",
    )

    # The whole board.
    mismatch_nats: float = param(
        6.0,
        unit="nats",
        raising="touching edges of different terrain are less probable",
    )
    surplus_nats: float = param(
        6.0,
        unit="nats",
        raising="more copies of a design than the pack has are less probable",
    )
    unexplained_share: float = param(
        0.03,
        unit="share of the tiles",
        raising="more tiles of no known face are expected before the board is read",
    )
    unexplained_tiles: float = param(
        20.0,
        unit="tiles",
        raising="the board's own readings change that share less",
    )
    explained_nats: float = param(
        -3.3,
        unit="nats",
        raising="fewer tiles are taken for ones of no known face",
        fitted="logistic regression with the next two, classes weighted alike, on 1575 tiles of 44 "
        "rendered boards against cheap scans, 253 of them not in the gallery: with their "
        "neighbours 94 % of these are recognised (89 % by log_tile alone); 99.8 % of tiles are "
        "named where all are known (97.6 %)",
    )
    explained_print: float = param(
        0.225,
        unit="nats per nat of the print",
        raising="a face that is much likelier than all others counts for more as known",
    )
    explained_tile: float = param(
        0.37,
        unit="nats per nat of the tile",
        raising="the mean fit of the patches counts for more towards a known face",
    )
    redrawn_share: float = param(
        0.04,
        unit="share of the tiles",
        raising="more tiles of no known face are taken for other drawings of the pack's designs",
        fitted="12 of 287 tiles on four photographs of whole boards of the 2014 edition",
    )
    similar_sets: float = param(
        0.9,
        unit="probability",
        raising="sides tell other sets' tiles less from other drawings",
    )
    face_sides: float = param(
        0.5,
        unit="share",
        raising="sides count for more against a known face, whose likeness has them already",
    )
    message_damping: float = param(
        0.3,
        unit="share",
        raising="more of a cell's last message is kept: slower, but loops of cells do not oscillate",
    )

    # Sides of doubtful tiles (`sides`).
    side_lightness: float = param(
        0.5,
        unit="share",
        raising="lightness, which shadows change, counts for more next to colour",
    )
    side_strange: float = param(
        1.0,
        unit="mean square difference of normalised colours",
        raising="fewer sides are read farther inside as well",
    )
    side_spread: float = param(
        0.06,
        unit="mean square difference of normalised colours per nat",
        raising="the nearest known side tells less",
        fitted="flat from 0.04 to 0.12 on 3880 sides of 16 photographs of boards",
    )
    side_far: float = param(
        2.5,
        unit="mean square difference of normalised colours",
        raising="fewer sides count as unlike every kind of land, which tells nothing",
    )
    side_floor: float = param(
        0.01,
        unit="probability",
        raising="a side can be less sure, as a piece may stand on it",
        fitted="errors of 3880 sides of 16 photographs of boards: 0.3 to 2.5 %",
    )
    side_bare: float = param(
        3.0,
        unit="mean square difference of normalised colours",
        raising="fewer cells are taken for paper or table between tiles",
        fitted="between tiles and table: the second nearest side is at most 2.5 away for 1005 tiles of the "
        "set, 1.4 for 60 of other sets, at least 5.7 for 95 % of 177 bare cells beside boards of 2014",
    )
    side_bare_nats: float = param(
        6.0,
        unit="nats",
        raising="such cells are less probably tiles",
        fitted="at most: log of 0.95 over 1/1065 for the same tiles and cells",
    )

    # Twins: faces that differ in a small part (`twins`).
    twin_differs: float = param(
        4.0,
        unit="multiple of the median difference of two pictures",
        raising="twins differ in smaller parts",
    )
    twin_turned: float = param(
        2.0,
        unit="multiple of the median difference of a picture from itself turned",
        raising="fewer parts of a face tell how it is turned",
        fitted="log score of 260 rendered tiles that nearly equal themselves turned: -0.40, -0.51 without",
    )
    twin_levels: float = param(
        25.0,
        unit="grey levels, root of the sum of squares over colours",
        raising="parts that differ little between twins are ignored",
    )
    twin_move: float = param(
        0.001,
        unit="squared difference of the twins in the part, per squared pixel",
        raising="parts are registered less far from their place",
        fitted="log score of 300 rendered twins: flat from 0.0007 to 0.0015; scans are trimmed in many ways",
    )
    twin_nats: float = param(
        8.0,
        unit="nats per unit of the log-ratio of the differences from either twin",
        raising="the part in which twins differ decides more surely",
        fitted="log score of 1164 rendered twins, with the next: flat from 6 to 9",
    )
    twin_told: float = param(
        0.5,
        unit="share",
        raising="descriptors count for more between twins",
        fitted="log score of 1164 rendered twins, with the last: flat from 0.5 to 0.7; of 113 twins on 18 "
        "photographs of boards it is -0.116, and none is told wrongly at 0.9",
    )
    twin_most_nats: float = param(
        5.0,
        unit="nats",
        raising="a part can decide more surely",
    )

    # Close-up of one tile.
    closeup_area: float = param(
        0.04,
        unit="share of the picture",
        raising="fewer small outlines are taken for the tile",
    )
    closeup_rounds: tuple[tuple[float, int], ...] = param(
        ((0.04, 18), (0.02, 14), (0.01, 10)),
        unit="(tile sides, tries) for each round",
        raising="corners are moved farther (first number), or more variants are tried (second): slower",
    )

    # Colours of blocks (`face_check`)
    color_checked_nats: float = param(
        12.0, unit="nats", raising="less likely faces are also compared with the tile's colours"
    )
    color_spread: float = param(
        0.7,
        unit="multiple of the median difference between blocks of sure tiles and their faces",
        raising="a block can differ more from the colour of its face",
        fitted="grid search on 20 rendered decks, seed 1 (`python -m models.train.descriptor.redrawn`)",
    )
    color_differs: float = param(
        0.6,
        unit="color_spread",
        raising="fewer blocks count as different between two faces",
        fitted="grid search on 20 rendered decks, seed 1 (`python -m models.train.descriptor.redrawn`)",
    )
    color_nats: float = param(
        0.25,
        unit="nats per block",
        raising="colours count for more next to descriptors",
        fitted="grid search on 20 rendered decks, seed 1 (`python -m models.train.descriptor.redrawn`)",
    )
    color_correlated: float = param(
        40.0,
        unit="blocks",
        raising="the blocks of one tile count as more independent",
        fitted="grid search on 20 rendered decks, seed 1 (`python -m models.train.descriptor.redrawn`)",
    )


PARAMS = TilesParams()
