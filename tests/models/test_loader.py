"""The model loader: hashes, ports, one-line errors."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest

from models import ModelError, load, load_ahead
from models.loader import FOLDER, manifest_entry

onnx = pytest.importorskip("onnx", reason="needs the train extra to build a tiny network")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A models folder with one network that doubles its input."""
    from models.train.publish import publish

    helper = onnx.helper
    shape = ["n", 3]
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "x"], ["y"])],
        "double",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, shape)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    source = tmp_path / "built.onnx"
    onnx.save(model, str(source))
    publish("double", source, {"size": 3}, tmp_path / "models")
    return tmp_path / "models"


def test_published_model_runs(folder: Path) -> None:
    model = load("double", folder=folder)
    (out,) = model(np.ones((2, 3), np.float32))
    assert out.tolist() == [[2, 2, 2], [2, 2, 2]]
    assert model.meta == {"size": 3}
    assert [port.shape for port in model.inputs] == [(None, 3)]


def test_wrong_array_is_refused(folder: Path) -> None:
    model = load("double", folder=folder)
    with pytest.raises(ModelError, match=r"input x wants float32 \[None, 3\], got float32 \[2, 4\]"):
        model(np.ones((2, 4), np.float32))
    with pytest.raises(ModelError, match="wants 1 arrays, got 2"):
        model(np.ones((2, 3), np.float32), np.ones((2, 3), np.float32))


def test_networks_loaded_ahead_are_loaded_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[int] = []
    session = onnxruntime.InferenceSession

    def counted(*args: Any, **options: Any) -> Any:
        opened.append(1)
        return session(*args, **options)

    monkeypatch.setattr("onnxruntime.InferenceSession", counted)
    load_ahead(folder)
    first = load("double", folder=folder)
    for thread in threading.enumerate():
        if thread.name == "networks":
            thread.join()
    assert load("double", folder=folder) is first
    assert len(opened) == 1


def test_a_damaged_manifest_raises_at_load_and_not_at_load_ahead(folder: Path) -> None:
    (folder / "manifest.json").write_text("{", "utf-8")
    load_ahead(folder)
    with pytest.raises(ModelError, match="not readable"):
        load("double", folder=folder)


def test_unknown_name_names_the_known(folder: Path) -> None:
    with pytest.raises(ModelError, match="no model named 'other'; known: double"):
        load("other", folder=folder)


def test_changed_file_is_refused(folder: Path) -> None:
    with (folder / "double.onnx").open("ab") as file:
        file.write(b"x")
    with pytest.raises(ModelError, match="wrong sha256"):
        load("double", folder=folder)


def test_missing_file_and_broken_manifest(folder: Path) -> None:
    (folder / "double.onnx").unlink()
    with pytest.raises(ModelError, match="cannot read"):
        load("double", folder=folder)
    (folder / "manifest.json").write_text("{")
    with pytest.raises(ModelError, match="not readable"):
        load("double", folder=folder)


def test_garbage_network_is_one_line(folder: Path) -> None:
    import hashlib

    (folder / "double.onnx").write_bytes(b"no network")
    document = json.loads((folder / "manifest.json").read_text())
    document["models"]["double"]["sha256"] = hashlib.sha256(b"no network").hexdigest()
    (folder / "manifest.json").write_text(json.dumps(document))
    with pytest.raises(ModelError) as caught:
        load("double", folder=folder)
    assert "does not load" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", json.loads((FOLDER / "manifest.json").read_text())["models"])
def test_shipped_models_load(name: str) -> None:
    model = load(name)
    assert model.sha256 == manifest_entry(name)["sha256"]


def test_shipped_models_are_small_and_have_cards() -> None:
    document = json.loads((FOLDER / "manifest.json").read_text())
    assert sum(entry["bytes"] for entry in document["models"].values()) < 12_000_000
    for entry in document["models"].values():
        assert (FOLDER / entry["card"]).is_file()
