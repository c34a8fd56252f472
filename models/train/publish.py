"""Publisher of a trained network: writes it into `models/`, its hash and ports into the manifest."""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import onnxruntime

from models.loader import FOLDER

DTYPES = {
    "tensor(float)": "float32",
    "tensor(uint8)": "uint8",
    "tensor(int64)": "int64",
    "tensor(float16)": "float16",
}


def publish(name: str, onnx_file: Path, meta: Mapping[str, Any] | None = None, folder: Path = FOLDER) -> str:
    """Copy `onnx_file` to `folder/<name>.onnx`, write its manifest entry, return its sha256.

    Ports are read from the network itself (a symbolic dimension becomes null); `meta` is what the code that
    runs the model needs to know of its training (temperature, sizes). Safe beside other recipes' publishing.
    """
    data = onnx_file.read_bytes()
    session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
    entry = {
        "file": f"{name}.onnx",
        "sha256": hashlib.sha256(data).hexdigest(),
        "bytes": len(data),
        "card": f"{name}.md",
        "inputs": [_port(node) for node in session.get_inputs()],
        "outputs": [_port(node) for node in session.get_outputs()],
        "meta": dict(meta or {}),
    }
    target = folder / f"{name}.onnx"
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "manifest.json").exists():
        (folder / "manifest.json").write_text('{"tilesight": 1, "models": {}}', encoding="utf-8")
    with (folder / "manifest.json").open("r+", encoding="utf-8") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)  # three recipes may end at the same moment
        document = json.load(handle)
        fresh = target.with_suffix(".onnx.new")
        if onnx_file.resolve() == target.resolve():
            fresh.write_bytes(data)
        else:
            shutil.copyfile(onnx_file, fresh)
        fresh.replace(target)
        document["models"][name] = entry
        document["models"] = dict(sorted(document["models"].items()))
        text = json.dumps(document, indent=2) + "\n"
        handle.seek(0)
        handle.write(text)
        handle.truncate()
    return str(entry["sha256"])


def require_checkpoint(parser: argparse.ArgumentParser, checkpoint: Path) -> None:
    """End the program with one line and exit status 2 if there is no file ``checkpoint`` to publish."""
    if not checkpoint.is_file():
        parser.error(f"there is no checkpoint {checkpoint} to publish: train first, or set --checkpoint")


def _port(node: Any) -> dict[str, Any]:
    shape = [n if isinstance(n, int) else None for n in node.shape]
    return {"name": node.name, "shape": shape, "dtype": DTYPES[node.type]}
