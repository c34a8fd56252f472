"""Loader of shipped networks: verifies the manifest's hash and warms the network up."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from threading import Lock, Thread
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from engine import jsonvalue as jv
from models.threads import threads as threads_now

FOLDER = Path(__file__).resolve().parent
MANIFEST = FOLDER / "manifest.json"
PART = 8
"""Maximum number of items run at once, so that activations stay in the core's cache. Whole batches of 82
tiles took a quarter more time per tile."""


_LOADING = Lock()
"""Held while a network is loaded, so that each is loaded once."""


class ModelError(ValueError):
    """A model that is missing, damaged, or differs from the manifest; the message is one line."""


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """One input or output of a network; None is a variable dimension."""

    name: str
    shape: tuple[int | None, ...]
    dtype: str


@dataclass(frozen=True, slots=True, eq=False)
class OnnxModel:
    """A loaded network.
    ``sha256`` identifies its weights, ``meta`` holds constants of its recipe; ``threads`` is the number of
    threads that run parts of a batch."""

    name: str
    sha256: str
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]
    meta: Mapping[str, Any]
    session: Any
    threads: int = 1

    def __call__(self, *arrays: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """Run on arrays in the order of ``inputs``; returns arrays in the order of ``outputs``.

        Raises ModelError if the number, a shape or a dtype of the arrays does not match.
        """
        if len(arrays) != len(self.inputs):
            raise ModelError(f"model {self.name}: wants {len(self.inputs)} arrays, got {len(arrays)}")
        for port, array in zip(self.inputs, arrays, strict=True):
            fits = len(array.shape) == len(port.shape) and all(
                want in (None, got) for want, got in zip(port.shape, array.shape, strict=True)
            )
            if not fits or array.dtype != np.dtype(port.dtype):
                raise ModelError(
                    f"model {self.name}: input {port.name} wants {port.dtype} {list(port.shape)},"
                    f" got {array.dtype} {list(array.shape)}"
                )
        count = len(arrays[0])
        if not _batched(self.inputs) or count <= 1:
            return self._run(arrays)
        parts = -(-count // (self.threads * PART)) * self.threads
        cuts = [round(i * count / parts) for i in range(parts + 1)]
        split = [[array[i:end] for array in arrays] for i, end in pairwise(cuts) if end > i]
        found = _workers(self.threads).map(self._run, split)
        return tuple(np.concatenate(out) for out in zip(*found, strict=True))

    def _run(self, arrays: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], ...]:
        """Run on all arrays at once, without splitting the batch; return arrays in the order of `outputs`."""
        feed = {port.name: array for port, array in zip(self.inputs, arrays, strict=True)}
        return tuple(np.asarray(out) for out in self.session.run([p.name for p in self.outputs], feed))


def _batched(inputs: Sequence[TensorSpec]) -> bool:
    """Whether all inputs have a variable batch dimension."""
    return all(port.shape[:1] == (None,) for port in inputs)


@lru_cache(maxsize=4)
def _workers(threads: int) -> ThreadPoolExecutor:
    """Return the pool of ``threads`` threads for parts of batches, shared by all networks."""
    return ThreadPoolExecutor(threads, thread_name_prefix="network")


def load(name: str, *, folder: Path = FOLDER, threads: int | None = None) -> OnnxModel:
    """Load model ``name`` ("locator", "descriptor", "pieces"), once per process and setting.

    ``folder`` has manifest.json and the files it names; ``threads`` is the number of threads [default:
    `models.threads`]. Raises ModelError for an unknown name, a missing file, a wrong hash, or an unreadable
    network.
    """
    with _LOADING:
        return _load(name, folder.resolve(), threads or threads_now())


def load_ahead(folder: Path = FOLDER) -> None:
    """Start loading all networks in a background thread, and return at once.
    Errors are ignored here; `load` waits for the thread and reports them."""

    def run() -> None:
        with contextlib.suppress(ModelError):
            for name in model_names(folder):
                load(name, folder=folder)

    Thread(target=run, name="networks").start()


@lru_cache(maxsize=8)
def _load(name: str, folder: Path, threads: int) -> OnnxModel:
    """Load, verify and warm up a model; cached. Raises ModelError as `load` does."""
    entry = manifest_entry(name, folder)
    inputs, outputs = _tensor_specs(entry, "inputs", folder), _tensor_specs(entry, "outputs", folder)
    path = folder / str(entry["file"])
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a name with a zero byte
        why = getattr(error, "strerror", None) or error
        raise ModelError(f"model {name}: cannot read {path} ({why})") from error
    sha256 = hashlib.sha256(data).hexdigest()
    if sha256 != entry["sha256"]:
        raise ModelError(f"model {name}: {path} is not the file the manifest names (wrong sha256)")
    options = onnxruntime.SessionOptions()
    # Parallel parts of a batch are faster than parallelism within layers.
    options.intra_op_num_threads = 1 if _batched(inputs) else threads
    options.inter_op_num_threads = 1
    # No spinning, which would take cores from OpenCV between runs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # No arena: it would keep the memory of the largest batch, for each of six networks.
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's exceptions have no common base class
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise ModelError(f"model {name}: {path} does not load: {first}") from error
    model = OnnxModel(
        name=name,
        sha256=sha256,
        inputs=inputs,
        outputs=outputs,
        meta=entry.get("meta", {}),
        session=session,
        threads=threads,
    )
    warm = [np.zeros([1 if n is None else n for n in port.shape], port.dtype) for port in model.inputs]
    if entry.get("warm_up", True):
        model(*warm)
    return model


def manifest_entry(name: str, folder: Path = FOLDER) -> Mapping[str, Any]:
    """Return the manifest entry of model ``name``: file, sha256, inputs, outputs, meta.
    Raises ModelError for an unknown name, or if the manifest cannot be read or is invalid."""
    models = _models(folder)
    if name not in models:
        known = ", ".join(sorted(models)) or "none"
        raise ModelError(f"no model named {name!r}; known: {known}")
    try:
        entry = jv.object_at(models[name], name)
        for key in ("file", "sha256"):
            jv.text_at(jv.get(entry, key, name), f"{name}.{key}")
        for key in ("inputs", "outputs"):
            jv.list_at(jv.get(entry, key, name), f"{name}.{key}")
        jv.object_at(entry.get("meta", {}), f"{name}.meta")
    except jv.FieldError as error:
        raise ModelError(f"model manifest {folder / 'manifest.json'}: {error}") from error
    return entry


def _models(folder: Path) -> dict[str, Any]:
    """Return the manifest's models by name. Raises ModelError if it cannot be read."""
    path = folder / "manifest.json"
    try:
        document = jv.object_at(jv.parse(path.read_text("utf-8")), "")
        return jv.object_at(jv.get(document, "models"), "models")
    except (OSError, ValueError) as error:  # ValueError: not UTF-8, or FieldError
        raise ModelError(f"model manifest {path}: not readable ({error})") from error


def models_mb(folder: Path = FOLDER) -> float:
    """Return the total size of the manifest's networks, in megabytes (10⁶ bytes).
    Raises ModelError if the manifest cannot be read, OSError if a network is missing."""
    files = [folder / str(manifest_entry(name, folder)["file"]) for name in model_names(folder)]
    return sum(file.stat().st_size for file in files) / 1e6


def model_names(folder: Path = FOLDER) -> tuple[str, ...]:
    """The names of the networks in the manifest. Raises ModelError if it cannot be read."""
    return tuple(_models(folder))


def _tensor_specs(entry: Mapping[str, Any], key: str, folder: Path) -> tuple[TensorSpec, ...]:
    """Return the specs of a manifest entry's inputs or outputs, as ``key`` says.
    Raises ModelError, with the manifest in ``folder``, if one is invalid."""
    try:
        return tuple(_tensor_spec(item, f"{key}[{i}]") for i, item in enumerate(entry[key]))
    except (jv.FieldError, TypeError) as error:  # TypeError: an unknown dtype
        raise ModelError(f"model manifest {folder / 'manifest.json'}: {error}") from error


def _tensor_spec(value: object, at: str) -> TensorSpec:
    """Return the spec of one input or output from its JSON object; ``at`` is its path in errors.
    Raises FieldError if it is invalid, TypeError for an unknown dtype."""
    item = jv.object_at(value, at)
    shape = tuple(
        None if side is None else jv.integer_at(side, f"{at}.shape", least=1)
        for side in jv.list_at(jv.get(item, "shape", at), f"{at}.shape")
    )
    dtype = np.dtype(jv.text_at(item.get("dtype", "float32"), f"{at}.dtype")).name
    return TensorSpec(jv.text_at(jv.get(item, "name", at), f"{at}.name"), shape, dtype)
