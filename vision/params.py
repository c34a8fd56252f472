"""Tuned parameters: declaration by folder, and a list of all.

Each folder declares its parameters in ``params.py``: one frozen dataclass whose fields are `param`, and its
only instance, ``PARAMS``; or several, and ``PARAMS`` lists their instances. Modules read ``PARAMS.name`` at
the time of use, never as a default argument. Numbers that are not tuned (a network's input size, a file
format's version, a limit on bytes) are named constants next to their use.
"""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any, TypeVar

Value = TypeVar("Value")

NOT_FITTED = "not fitted"
"""Origin of a parameter that was chosen by hand."""


def param(default: Value, *, unit: str, raising: str, fitted: str = NOT_FITTED) -> Value:
    """Declare a field of a ``Params`` dataclass: its default, with three texts as metadata.

    ``unit`` is the unit ('tile sides', 'nats', 'probability'; '1' for a plain ratio), ``raising`` the effect
    of a larger value, ``fitted`` the data and the recipe that gave the value.
    """
    return dataclasses.field(default=default, metadata={"unit": unit, "raising": raising, "fitted": fitted})


@dataclass(frozen=True, slots=True)
class Param:
    """One parameter in the list of all: folder (``vision/tiles``), name, value, and the texts of `param`."""

    folder: str
    name: str
    value: Any
    unit: str
    raising: str
    fitted: str


def params_of(params: Any) -> tuple[Param, ...]:
    """List the fields of one folder's ``PARAMS``, in order.

    Of several dataclasses each field's name begins with the class: ``tile.bare_nats`` of ``TileParams``.
    """
    if isinstance(params, tuple):
        return tuple(
            dataclasses.replace(one, name=f"{type(part).__name__.removesuffix('Params').lower()}.{one.name}")
            for part in params
            for one in params_of(part)
        )
    folder = type(params).__module__.rpartition(".")[0].replace(".", "/")
    return tuple(
        Param(folder, field.name, getattr(params, field.name), **field.metadata)
        for field in dataclasses.fields(params)
    )


def all_params(*packages: ModuleType) -> Mapping[str, Any]:
    """Return the ``PARAMS`` of all modules below these packages, by module name, sorted.
    Only modules whose names end in ``params`` are imported."""
    modules = {name: importlib.import_module(name) for name in sorted(_module_names(packages))}
    return {name: module.PARAMS for name, module in modules.items() if hasattr(module, "PARAMS")}


def _module_names(packages: tuple[ModuleType, ...]) -> Iterator[str]:
    """Yield the full names of the modules below ``packages`` whose names end in ``params``."""
    for package in packages:
        for module in pkgutil.walk_packages(package.__path__, prefix=f"{package.__name__}."):
            if module.name.endswith("params"):
                yield module.name
