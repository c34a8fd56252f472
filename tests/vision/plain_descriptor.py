"""A stand-in for the descriptor network: colours and slopes of blocks, no training, quick to build."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np

from models.loader import OnnxModel, TensorSpec

GRID = 12
META = {
    "crop_px": 96,
    "grid": GRID,
    "score": {
        "steep": 10.0,
        "threshold": 0.5,
        "gain": 0.08,
        "penalty_beside": 0.05,
        "penalty_diagonal": 0.1,
        "tile_slope": 4.0,
        "tile_middle": 1.0,
    },
}


class PlainSession:
    """Answers like onnxruntime's session: each block's four quarter colours, without their mean."""

    def run(self, _names: list[str], feed: dict[str, Any]) -> list[np.ndarray]:
        crops = feed["crops_bgr"]
        out = np.empty((len(crops), GRID * GRID, 12), np.float32)
        for index, crop in enumerate(crops):
            small = cv2.resize(crop, (2 * GRID, 2 * GRID), interpolation=cv2.INTER_AREA).astype(np.float32)
            small = (small - small.mean((0, 1))) / (small.std() + 1)
            blocks = small.reshape(GRID, 2, GRID, 2, 3).transpose(0, 2, 1, 3, 4)
            out[index] = blocks.reshape(GRID * GRID, 12)
        out /= np.linalg.norm(out, axis=-1, keepdims=True) + 1e-6
        return [out, np.full(out.shape[:2], 4.0, np.float32)]


def plain_descriptor(sha256: str = "plain", meta: dict[str, Any] | None = None) -> OnnxModel:
    """A descriptor model without a network."""
    return OnnxModel(
        name="descriptor",
        sha256=sha256,
        inputs=(TensorSpec("crops_bgr", (None, 96, 96, 3), "uint8"),),
        outputs=(
            TensorSpec("descriptors", (None, 144, 12), "float32"),
            TensorSpec("visible", (None, 144), "float32"),
        ),
        meta=META if meta is None else meta,
        session=PlainSession(),
    )
