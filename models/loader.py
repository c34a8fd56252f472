"""Loader of a shipped network: found by name, checked against the manifest's hash, warmed up."""

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
"""Items of a batch that are run at once, at most: what one layer hands to the next then stays in the core's
cache. Batches of 82 tiles in one go took a quarter more time for each."""


_LOADING = Lock()
"""Held while a network is loaded: each is loaded once, whichever thread asks first."""


class ModelError(ValueError):
    """A model that is missing, damaged or not the one the manifest names; the message is one line."""


@dataclass(frozen=True, slots=True)
class Port:
    """One input or output of a network; a dimension of None may vary from call to call."""

    name: str
    shape: tuple[int | None, ...]
    dtype: str


@dataclass(frozen=True, slots=True, eq=False)
class OnnxModel:
    """A network ready to run. `sha256` names its exact weights, `meta` what its recipe wrote for users;
    `threads` run the parts of a batch."""

    name: str
    sha256: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    meta: Mapping[str, Any]
    session: Any
    threads: int = 1

    def __call__(self, *arrays: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        """Run on arrays in the order of `inputs`; returns arrays in the order of `outputs`.

        Raises ModelError where the number, a shape or a dtype of the arrays does not fit.
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
        """All at once, in the order of `outputs`."""
        feed = {port.name: array for port, array in zip(self.inputs, arrays, strict=True)}
        return tuple(np.asarray(out) for out in self.session.run([p.name for p in self.outputs], feed))


def _batched(inputs: Sequence[Port]) -> bool:
    """Whether a network takes any number of items at a time."""
    return all(port.shape[:1] == (None,) for port in inputs)


@lru_cache(maxsize=4)
def _workers(threads: int) -> ThreadPoolExecutor:
    """The threads that run the parts of batches, for all networks."""
    return ThreadPoolExecutor(threads, thread_name_prefix="network")


def load(name: str, *, folder: Path = FOLDER, threads: int | None = None) -> OnnxModel:
    """Load model `name` ("locator", "descriptor", "pieces"), once per process and setting.

    `folder` holds manifest.json and the files it names; `threads` is the number of threads that run it
    [default: `models.threads`].
    Raises ModelError: unknown name, missing file, wrong hash, unreadable network.
    """
    with _LOADING:
        return _load(name, folder.resolve(), threads or threads_now())


def load_ahead(folder: Path = FOLDER) -> None:
    """Begin to load all networks in a thread, while the caller reads its files.

    Whoever asks for one meanwhile waits for it, and is told what is wrong with it; nothing is raised here.
    """

    def run() -> None:
        with contextlib.suppress(ModelError):
            for name in model_names(folder):
                load(name, folder=folder)

    Thread(target=run, name="networks").start()


@lru_cache(maxsize=8)
def _load(name: str, folder: Path, threads: int) -> OnnxModel:
    entry = manifest_entry(name, folder)
    inputs, outputs = _ports(entry, "inputs", folder), _ports(entry, "outputs", folder)
    path = folder / str(entry["file"])
    try:
        data = path.read_bytes()
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        why = getattr(error, "strerror", None) or error
        raise ModelError(f"model {name}: cannot read {path} ({why})") from error
    sha256 = hashlib.sha256(data).hexdigest()
    if sha256 != entry["sha256"]:
        raise ModelError(f"model {name}: {path} is not the file the manifest names (wrong sha256)")
    options = onnxruntime.SessionOptions()
    # Whole parts of a batch in each thread cost less than all threads in each layer.
    options.intra_op_num_threads = 1 if _batched(inputs) else threads
    options.inter_op_num_threads = 1
    # Waiting threads that spin would take the cores from OpenCV between two short runs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # The arena keeps the most that any batch ever wanted; batches are as large as boards, networks are six.
    options.enable_cpu_mem_arena = False
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime's errors share no base class with ours and span many lines
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
    """Manifest entry of model `name`: file, sha256, inputs, outputs, meta. Raises ModelError."""
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
    path = folder / "manifest.json"
    try:
        document = jv.object_at(jv.parse(path.read_text("utf-8")), "")
        return jv.object_at(jv.get(document, "models"), "models")
    except (OSError, ValueError) as error:  # text that is not UTF-8 and every FieldError are ValueErrors
        raise ModelError(f"model manifest {path}: not readable ({error})") from error


def models_mb(folder: Path = FOLDER) -> float:
    """Size of all networks that the manifest names, in megabytes (10⁶ bytes)."""
    files = [folder / str(manifest_entry(name, folder)["file"]) for name in model_names(folder)]
    return sum(file.stat().st_size for file in files) / 1e6


def model_names(folder: Path = FOLDER) -> tuple[str, ...]:
    """The networks that the manifest names. Raises ModelError where it cannot be read."""
    return tuple(_models(folder))


def _ports(entry: Mapping[str, Any], key: str, folder: Path) -> tuple[Port, ...]:
    try:
        return tuple(_port(item, f"{key}[{i}]") for i, item in enumerate(entry[key]))
    except (jv.FieldError, TypeError) as error:  # a dtype that numpy does not know is a TypeError
        raise ModelError(f"model manifest {folder / 'manifest.json'}: {error}") from error


def _port(value: object, at: str) -> Port:
    item = jv.object_at(value, at)
    shape = tuple(
        None if side is None else jv.integer_at(side, f"{at}.shape", least=1)
        for side in jv.list_at(jv.get(item, "shape", at), f"{at}.shape")
    )
    dtype = np.dtype(jv.text_at(item.get("dtype", "float32"), f"{at}.dtype")).name
    return Port(jv.text_at(jv.get(item, "name", at), f"{at}.name"), shape, dtype)
