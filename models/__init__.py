"""The networks that ship: `.onnx` files, the manifest that names their hashes, and the loader."""

from models.loader import ModelError, OnnxModel, load, models_mb

__all__ = ["ModelError", "OnnxModel", "load", "models_mb"]
