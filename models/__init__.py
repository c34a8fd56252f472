"""The shipped networks: `.onnx` files, their manifest with hashes, and the loader."""

import os

# onnxruntime (1.31 on) sends telemetry with a machine identifier unless this is set before its import.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

from models.loader import ModelError, OnnxModel, load, load_ahead, models_mb

__all__ = ["ModelError", "OnnxModel", "load", "load_ahead", "models_mb"]
