"""Tuned numbers: how a folder declares its own, and how all are listed.

Each folder that has such numbers keeps them in its ``params.py``: one frozen dataclass whose fields are
`param`, and its only instance, ``PARAMS``. Modules read ``PARAMS.name`` when they need it, never as a default
argument. Numbers that nobody tunes (a network's input size, a file format's version, a limit on bytes) stay
named constants beside their use.
"""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeVar

Value = TypeVar("Value")

NOT_FITTED = "not fitted"
"""Origin of a number that was chosen by hand."""


def param(default: Value, *, unit: str, raising: str, fitted: str = NOT_FITTED) -> Value:
    """A field of a ``Params`` dataclass.

    ``unit`` says what the number counts ('tile sides', 'nats', 'probability'; '1' for a plain ratio),
    ``raising`` what a larger one does, ``fitted`` the data and the recipe that gave the value.
    """
    return dataclasses.field(default=default, metadata={"unit": unit, "raising": raising, "fitted": fitted})


@dataclass(frozen=True, slots=True)
class Param:
    """One tuned number as it is listed: its folder (``vision/tiles``), name, value, and `param`'s texts."""

    folder: str
    name: str
    value: Any
    unit: str
    raising: str
    fitted: str


def params_of(params: Any) -> tuple[Param, ...]:
    """The fields of one folder's ``PARAMS``, in their order."""
    folder = type(params).__module__.rpartition(".")[0].replace(".", "/")
    return tuple(
        Param(folder, field.name, getattr(params, field.name), **field.metadata)
        for field in dataclasses.fields(params)
    )


def all_params(*packages: ModuleType) -> Mapping[str, Any]:
    """Every ``PARAMS`` in these packages and the folders below them, by the name of its module, sorted."""
    modules = {name: importlib.import_module(name) for name in sorted(_module_names(packages))}
    return {name: module.PARAMS for name, module in modules.items() if hasattr(module, "PARAMS")}


def _module_names(packages: tuple[ModuleType, ...]) -> Iterator[str]:
    """Names of the modules that may hold a folder's numbers."""
    for package in packages:
        for module in pkgutil.walk_packages(package.__path__, prefix=f"{package.__name__}."):
            if module.name.endswith("params"):
                yield module.name


@contextmanager
def tried(params: Any, **values: Any) -> Iterator[None]:
    """Other values of some fields, for as long as the context lasts: for fits and tests only.

    The values change for the whole process; what was computed before stays as it is, so a trial makes its own
    readers. Raises TypeError for a name that is no field.
    """
    names = {field.name for field in dataclasses.fields(params)}
    if unknown := sorted(values.keys() - names):
        raise TypeError(f"{type(params).__name__} has no {', '.join(unknown)}")
    before = {name: getattr(params, name) for name in values}
    try:
        for name, value in values.items():
            object.__setattr__(params, name, value)
        yield
    finally:
        for name, value in before.items():
            object.__setattr__(params, name, value)
