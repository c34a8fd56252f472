"""Matching of tiles with a gallery's faces, patch by patch.

A tile is a grid of local descriptors of length 1. Each patch is compared with its place in the face and the
eight places around it, because corners are never exact; it adds to the score if it fits and nothing if not,
so that occlusions do not count against the right face. The sum decides whether there is a tile, and
shortlists faces.

Between shortlisted faces only the patches count in which they differ. Light and trim of a scan favour one of
two twins a little in every patch, which would outweigh the few patches that show the real difference, so
small differences are ignored. All constants were fitted in training and are stored in the model's manifest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from models import ModelError
from vision.probability import sigmoid
from vision.tiles.params import PARAMS

F32 = NDArray[np.float32]
SHORTLIST = 24
"""Maximum number of references that are compared with shifts."""
FEWEST = 4
"""Minimum number of references that are compared with shifts."""
TWINS_DIFFER = 0.5
"""Share of the visible patches from which two faces that differ are no twins; faces of synthetic decks differ
in under 45 % or in over 75 % of them."""
DIFFERS_SPREAD = 0.1
"""Softness of the limit from which a patch counts as different, relative to it."""
HIDDEN_SPREAD = 0.05
"""Softness, in similarity, of the limit below which a patch that fits neither of two faces is occluded."""
SHRUNK = 4.0
"""Number of patches with fit 0 that are added to every mean over visible patches (shrinkage). The manifest's
``tile_slope`` and ``tile_middle`` were fitted with it."""


@dataclass(frozen=True, slots=True)
class ScoreValues:
    """Constants that convert similarities to log-likelihoods.

    ``temperature`` scales sums over all patches to log-likelihoods of prints, with twins pooled. A patch with
    a similarity below ``hidden_below`` to the best face counts as occluded.

    Two faces differ in a patch if their dissimilarity (1 - similarity) exceeds ``differs_at`` plus
    ``differs_times`` that of their median patch, which measures how unlike two scans of one print are, capped
    at ``differs_always``. In such a patch a unit of similarity is worth ``nats``; ``correlated`` differing
    patches halve that, because their errors are correlated. These five were fitted on synthetic twins
    (`models.train.descriptor.twins`).
    """

    steep: float
    threshold: float
    gain: float
    penalty_beside: float
    penalty_diagonal: float
    tile_slope: float
    tile_middle: float
    temperature: float = 1.0
    hidden_below: float = 0.5
    differs_at: float = 0.1
    differs_times: float = 2.0
    differs_always: float = 0.65
    nats: float = 4.0
    correlated: float = 8.0

    @classmethod
    def of(cls, meta: Mapping[str, Any]) -> ScoreValues:
        """Read from a descriptor model's ``meta``. Raises ModelError if a value is missing."""
        try:
            values = {name: float(value) for name, value in meta["score"].items()}
            extra = {name: float(meta[name]) for name in ("temperature", "hidden_below") if name in meta}
            telling = {name: float(value) for name, value in meta.get("telling_apart", {}).items()}
            return cls(**values, **extra, **telling)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelError(f"model descriptor: its manifest entry lacks score values ({error})") from None


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """Match of n tiles with r references.

    ``total`` float32 [n, r]: the scores, to compare several crops of one tile. ``log_odds`` [n, r]: relative
    to the likeliest reference (≤ 0). ``print_known`` [n]: probability of the likeliest reference and its
    twins. For the reference with the highest total: ``best_mean`` [n], mean fit over visible patches, and
    ``hidden`` bool [n, g·g], patches that do not fit.
    """

    total: F32
    log_odds: F32
    print_known: F32
    best_mean: F32
    hidden: NDArray[np.bool_]

    def rows(self, which: NDArray[np.intp]) -> Match:
        """Return the match of the tiles with the indices ``which``, in that order."""
        return Match(*(getattr(self, one.name)[which] for one in fields(self)))

    def replaced(self, which: NDArray[np.intp], better: Match) -> Match:
        """Return a copy in which tile ``which[i]`` has the values of the i-th tile of ``better``."""
        changed = []
        for one in fields(self):
            values = getattr(self, one.name).copy()
            values[which] = getattr(better, one.name)
            changed.append(values)
        return Match(*changed)


def padded(descriptors: F32) -> F32:
    """Pad descriptors [r, g·g, d] with a rim of zeros around the grid: [r, (g+2)·(g+2), d]."""
    count, patches, dim = descriptors.shape
    grid = round(patches**0.5)
    out = np.zeros((count, grid + 2, grid + 2, dim), np.float32)
    out[:, 1:-1, 1:-1] = descriptors.reshape(count, grid, grid, dim)
    return out.reshape(count, -1, dim)


def match(
    tiles: F32, visible_logit: F32, references: F32, values: ScoreValues, shortlist: int = SHORTLIST
) -> Match:
    """Match ``tiles`` [n, g·g, d] with ``references`` [r, (g+2)², d] (see `padded`).

    ``visible_logit`` [n, g·g] are the log-odds that each patch is visible. Only the references that are near
    the best without shifts, at most ``shortlist``, are compared with shifts. The others get the worst of
    these scores, minus their distance to it.
    """
    count, patches, _ = tiles.shape
    n_ref = len(references)
    weight = sigmoid(visible_logit)
    coarse = similarity(tiles, visible_logit, references)
    within = coarse > coarse.max(axis=1, keepdims=True) - PARAMS.close_similarity * weight.sum(
        axis=1, keepdims=True
    )
    keeps = np.clip(within.sum(axis=1), min(FEWEST, n_ref), min(shortlist, n_ref))
    penalties = _penalties(values)
    scale = values.gain * values.steep  # score per unit of similarity of a fitting patch
    total, log_odds = np.empty((count, n_ref), np.float32), np.empty((count, n_ref), np.float32)
    print_known, best_mean = np.empty(count, np.float32), np.empty(count, np.float32)
    hidden = np.empty((count, patches), np.bool_)
    for index in range(count):
        keep = int(keeps[index])
        chosen = np.argpartition(-coarse[index], keep - 1)[:keep]
        near = references[chosen]
        near_fit = _near_fit(tiles[index], near, penalties)
        summed = weight[index] @ _softplus(values.steep * (near_fit - values.threshold))
        behind = np.minimum(0, coarse[index] - coarse[index, chosen].min())
        total[index] = values.gain * summed.min() + scale * behind
        total[index, chosen] = values.gain * summed
        odds, differ = log_odds_between(near_fit, weight[index], near, int(summed.argmax()), values)
        log_odds[index] = odds.min() + values.nats * behind / (1 + weight[index].sum() / values.correlated)
        log_odds[index, chosen] = odds
        share = np.exp((total[index] - total[index].max()) / values.temperature)
        print_known[index] = share[chosen[differ < TWINS_DIFFER]].sum() / share.sum()
        best_mean[index] = summed.max() / (weight[index].sum() + SHRUNK)
        hidden[index] = near_fit[:, summed.argmax()] < values.hidden_below
    return Match(total, log_odds, print_known, best_mean, hidden)


def log_odds_between(
    near_fit: F32, weight: F32, references: F32, first: int, values: ScoreValues
) -> tuple[F32, F32]:
    """Compare one tile's references by the patches in which they differ.

    Returns log-odds [r] relative to the likeliest, and the share [r] of visible patches in which each differs
    from it. ``near_fit`` [g·g, r] is the fit of the tile's patches, ``weight`` [g·g] their visibility,
    ``references`` [r, (g+2)², d]. All are compared with reference ``first``; if another is likelier, all are
    compared with that.
    """
    grid = round(len(weight) ** 0.5)
    within = references.reshape(len(references), grid + 2, grid + 2, -1)[:, 1:-1, 1:-1]
    flat = within.reshape(len(references), grid * grid, -1)
    tried: set[int] = set()
    while True:
        lack = 1 - np.einsum("rpd,pd->pr", flat, flat[first])
        usual = values.differs_at + values.differs_times * np.median(lack, axis=0)
        bound = np.minimum(usual, values.differs_always)
        apart = sigmoid((lack / bound - 1) / DIFFERS_SPREAD) * weight[:, None]
        better_fit = np.maximum(near_fit, near_fit[:, [first]])
        differ = apart * sigmoid((better_fit - values.hidden_below) / HIDDEN_SPREAD)
        behind = (differ * (near_fit - near_fit[:, [first]])).sum(axis=0)
        odds = values.nats * behind / (1 + differ.sum(axis=0) / values.correlated)
        better = int(odds.argmax())
        if odds[better] <= 0 or better in tried:  # the order of three twins may be cyclic
            share = apart.sum(axis=0) / np.maximum(weight.sum(), 1e-6)
            return np.asarray(odds - odds.max(), np.float32), np.asarray(share, np.float32)
        tried.add(first)
        first = better


def similarity(tiles: F32, visible_logit: F32, references: F32) -> F32:
    """Return the similarity [n, r] of tiles and references without shifts, summed over visible patches.
    Arguments as for :func:`match`."""
    weight = sigmoid(visible_logit)
    # Pad the tiles instead of unpadding the references, which would copy the gallery each time.
    weighted = padded(np.asarray(tiles * weight[..., None], np.float32)).reshape(len(tiles), -1)
    return np.asarray(weighted @ references.reshape(len(references), -1).T, np.float32)


def fit_parts(
    tiles: F32, visible_logit: F32, references: F32, inside: NDArray[np.bool_], values: ScoreValues
) -> tuple[F32, F32]:
    """Match like :func:`match`, but with only the patches ``inside`` [r, g·g] of each reference.
    All references are compared with shifts. Returns unnormalised log-likelihoods and means over visible
    patches, both [n, r]."""
    weight = sigmoid(visible_logit)
    penalties = _penalties(values)
    total = np.empty((len(tiles), len(references)), np.float32)
    for index, tile in enumerate(tiles):
        fits = _softplus(values.steep * (_near_fit(tile, references, penalties) - values.threshold))
        total[index] = weight[index] @ (fits * inside.T)
    return values.gain * total, np.asarray(total / (weight @ inside.T + SHRUNK), np.float32)


def _near_fit(tile: F32, references: F32, penalties: F32) -> F32:
    """Return the fit [g·g, r] of each patch of a tile to the best of nine places in each reference.
    ``penalties`` (3, 3) are the costs of the places. The padded references are shifted nine ways, which is
    less than half the work of all pairs of patches."""
    patches, dim = tile.shape
    grid, count = round(patches**0.5), len(references)
    rows = tile.reshape(grid, grid, dim)
    around = references.reshape(count, grid + 2, grid + 2, dim)
    best = np.full((grid, grid, count), -np.inf, np.float32)
    for (dy, dx), penalty in np.ndenumerate(penalties):
        shifted = around[:, dy : dy + grid, dx : dx + grid]
        np.maximum(best, np.einsum("yxd,ryxd->yxr", rows, shifted) - penalty, out=best)
    return best.reshape(patches, count)


def _softplus(x: F32) -> F32:
    return np.asarray(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))), np.float32)


def _penalties(values: ScoreValues) -> F32:
    """Cost (3, 3) of a patch that is shifted by -1..1 rows and columns."""
    beside, diagonal = values.penalty_beside, values.penalty_diagonal
    return np.array(
        [[diagonal, beside, diagonal], [beside, 0.0, beside], [diagonal, beside, diagonal]], np.float32
    )
