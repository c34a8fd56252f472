"""Matching of tiles with a gallery's faces, patch by patch.

A tile is a grid of local descriptors of length 1. Each of its patches may lie one patch beside its place in
the face (corners are never exact), and adds the more the better it fits, nothing where it does not: so what
hides a part of a tile takes nothing from the right face. This sum says whether a tile lies there, and which
faces are near.

Between two of these only the patches speak in which they differ. Two pictures of the same print differ too: a
scan's light and trim favour one of two twins in every patch a little, and many such patches outvoted the few
that show the pennant by which the twins are told apart. How much a difference must be to count, and how much
it is worth, was measured. All numbers come from training and travel in the model's manifest.
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

Floats = NDArray[np.float32]
SHORTLIST = 24
"""References looked at closely, at most."""
FEWEST = 4
"""References looked at closely, at least: faces that a tile a little askew confuses."""
TWINS_DIFFER = 0.5
"""Share of the patches, of those that are visible, in which two faces differ that are no twins; faces of
drawn decks differ in under 45 % or in over 75 % of them."""
DIFFERS_SPREAD = 0.1
"""Softness of the bound from which a patch counts as different, as a share of it."""
HIDDEN_SPREAD = 0.05
"""Softness, in similarity, of the bound under which a patch that fits neither of two faces is hidden."""
SHRUNK = 4.0
"""Patches that fit not at all, added to every mean over visible patches. The manifest's ``tile_slope`` and
``tile_middle`` were fitted with it."""


@dataclass(frozen=True, slots=True)
class ScoreValues:
    """Constants that turn similarities into log-likelihoods.

    `temperature` makes sums over all patches log-likelihoods of prints, twins taken together. A patch less
    similar than `hidden_below` to the best face counts as hidden.

    Two faces differ in a patch where the similarity of their pictures lacks more to 1 than `differs_at` and
    `differs_times` what it lacks in their median patch (twins share that one: it shows how unlike two scans
    of one print are), but never more than `differs_always`. Where one of the two fits such a patch, a unit of
    similarity is worth `nats`, less where many differ: `correlated` differing patches halve it, as what
    spoils one patch of a tile spoils others. These five were fitted on drawn twins
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
        """Read from a descriptor model's `meta`. Raises ModelError where a value is missing."""
        try:
            values = {name: float(value) for name, value in meta["score"].items()}
            extra = {name: float(meta[name]) for name in ("temperature", "hidden_below") if name in meta}
            telling = {name: float(value) for name, value in meta.get("telling_apart", {}).items()}
            return cls(**values, **extra, **telling)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelError(f"model descriptor: its manifest entry lacks score values ({error})") from None


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """Fits of tiles to references.

    `total` float32 [n, references]: how well each fits, to compare looks at one tile. `log_odds`, the same
    shape: against the likeliest reference, 0 for that one and less for all others. `print_known` [n]: the
    probability, by all patches, that it is that reference or one of its twins. Of the reference of most
    `total`, `best_mean` [n]: the mean over visible patches, `hidden` bool [n, g·g]: the patches that do not
    fit.
    """

    total: Floats
    log_odds: Floats
    print_known: Floats
    best_mean: Floats
    hidden: NDArray[np.bool_]

    def rows(self, which: NDArray[np.intp]) -> Match:
        """The same of some tiles only."""
        return Match(*(getattr(self, one.name)[which] for one in fields(self)))

    def replaced(self, which: NDArray[np.intp], better: Match) -> Match:
        """A copy in which the tiles `which` have the values of `better`, in that order."""
        changed = []
        for one in fields(self):
            values = getattr(self, one.name).copy()
            values[which] = getattr(better, one.name)
            changed.append(values)
        return Match(*changed)


def padded(descriptors: Floats) -> Floats:
    """Reference descriptors [r, g·g, d] with a rim of zeros around the grid, [r, (g+2)·(g+2), d]."""
    count, patches, dim = descriptors.shape
    grid = round(patches**0.5)
    out = np.zeros((count, grid + 2, grid + 2, dim), np.float32)
    out[:, 1:-1, 1:-1] = descriptors.reshape(count, grid, grid, dim)
    return out.reshape(count, -1, dim)


def match(
    tiles: Floats, visible_logit: Floats, references: Floats, values: ScoreValues, shortlist: int = SHORTLIST
) -> Match:
    """Fit `tiles` [n, g·g, d] with `visible_logit` [n, g·g] to `references` [r, (g+2)², d] (see `padded`).

    Only references that come near the best without any shift, at most `shortlist`, are looked at closely; the
    others get what the least of these got, less what they were behind it.
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
    scale = values.gain * values.steep  # what a unit of similarity is worth where a patch fits
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
    near_fit: Floats, weight: Floats, references: Floats, first: int, values: ScoreValues
) -> tuple[Floats, Floats]:
    """Log-odds [r] of references against the likeliest of them, from the patches in which they differ, and
    the share [r] of the visible patches in which they differ from it.

    ``near_fit`` [g·g, r] is how well a tile's patches fit each, ``weight`` [g·g] how visible they are,
    ``references`` [r, (g+2)², d]. Reference ``first`` is held against all others, and any that proves
    likelier in its place.
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
        if odds[better] <= 0 or better in tried:  # three twins may each be likelier than the next
            share = apart.sum(axis=0) / np.maximum(weight.sum(), 1e-6)
            return np.asarray(odds - odds.max(), np.float32), np.asarray(share, np.float32)
        tried.add(first)
        first = better


def similarity(tiles: Floats, visible_logit: Floats, references: Floats) -> Floats:
    """Likeness of tiles and references (as in :func:`match`) where they lie, summed over visible patches,
    [n, r]."""
    weight = sigmoid(visible_logit)
    # The tiles get the references' rim: to take it from the references would copy a whole gallery each time.
    weighted = padded(np.asarray(tiles * weight[..., None], np.float32)).reshape(len(tiles), -1)
    return np.asarray(weighted @ references.reshape(len(references), -1).T, np.float32)


def fit_parts(
    tiles: Floats, visible_logit: Floats, references: Floats, inside: NDArray[np.bool_], values: ScoreValues
) -> tuple[Floats, Floats]:
    """The result of :func:`match` for references of which only the patches ``inside`` [r, g·g] count.

    Log-likelihoods up to a constant per tile, and means over visible patches, both [n, r]; all references
    are looked at closely.
    """
    weight = sigmoid(visible_logit)
    penalties = _penalties(values)
    total = np.empty((len(tiles), len(references)), np.float32)
    for index, tile in enumerate(tiles):
        fits = _softplus(values.steep * (_near_fit(tile, references, penalties) - values.threshold))
        total[index] = weight[index] @ (fits * inside.T)
    return values.gain * total, np.asarray(total / (weight @ inside.T + SHRUNK), np.float32)


def _near_fit(tile: Floats, references: Floats, penalties: Floats) -> Floats:
    """Fit of each patch [g·g, r] of a tile to the best of the nine places where it may lie in each
    reference: the tile is held against the padded references shifted nine ways (all pairs of patches, from
    which nine are picked, are more than twice the work)."""
    patches, dim = tile.shape
    grid, count = round(patches**0.5), len(references)
    rows = tile.reshape(grid, grid, dim)
    around = references.reshape(count, grid + 2, grid + 2, dim)
    best = np.full((grid, grid, count), -np.inf, np.float32)
    for (dy, dx), penalty in np.ndenumerate(penalties):
        shifted = around[:, dy : dy + grid, dx : dx + grid]
        np.maximum(best, np.einsum("yxd,ryxd->yxr", rows, shifted) - penalty, out=best)
    return best.reshape(patches, count)


def _softplus(x: Floats) -> Floats:
    return np.asarray(np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x))), np.float32)


def _penalties(values: ScoreValues) -> Floats:
    """Cost of a patch that lies one beside its place in the face, (3, 3) by rows and columns."""
    beside, diagonal = values.penalty_beside, values.penalty_diagonal
    return np.array(
        [[diagonal, beside, diagonal], [beside, 0.0, beside], [diagonal, beside, diagonal]], np.float32
    )
