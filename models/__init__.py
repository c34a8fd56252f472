"""The networks that ship: `.onnx` files, the manifest that names their hashes, and the loader."""

import os

# onnxruntime (1.31 on) reports its use to its makers and keeps an identifier of this machine unless it is
# told not to before it is imported. Tilesight sends nothing to anyone.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

from models.loader import ModelError, OnnxModel, load, load_ahead, models_mb

__all__ = ["ModelError", "OnnxModel", "load", "load_ahead", "models_mb"]
