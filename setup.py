"""The build steps that pyproject.toml cannot say: one package in the wheel, and the sample sessions' films.

The repository keeps its packages side by side; a wheel installs one, `tilesight`, and the others as its
subpackages (`tilesight.engine`), so that a user's own `models` is not shadowed. Imports of them are rewritten
as their modules are copied. An editable install takes the repository as it is.

A wheel built from the sdist has the very films that lie there; in a clone they are made of `samples/`.
"""

import ast
import json
import shutil
import sys
from pathlib import Path

from setuptools import find_namespace_packages, setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))  # an isolated build does not have it there

from tilesight.sessions.samples import DEMOS, PACKAGED  # noqa: E402

INNER = ("calibration", "engine", "models", "vision", "web")
"""Packages that a wheel has inside of `tilesight`."""
EDITABLE = "editable_wheel" in sys.argv
BESIDE = ("README.md", "truth.game.jsonl")
"""What goes with a session's pictures. Not truth.json, which says where every corner lies, and
manifest.json, which holds the hashes of the pictures as they are in the clone."""
NOTE = "\nHere the pictures are a film (frames.avif), and of the other files only these are there: %s.\n"


class BuildOnePackage(build_py):
    """`build_py` with imports of one package, then the sample sessions; an editable install has its imports
    as they are, and its sessions in `samples/`."""

    def build_module(self, module: str, module_file: str, package: str) -> object:
        built = super().build_module(module, module_file, package)
        if not self.editable_mode:
            path = Path(self.get_module_outfile(self.build_lib, package.split("."), module))
            path.write_text(with_inner_imports(path.read_text("utf-8")), "utf-8")
        return built

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            write_samples(Path(self.build_lib))


class SdistWithSamples(sdist):
    """`sdist`, with the sample sessions as the wheel has them."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        super().make_release_tree(base_dir, files)
        write_samples(Path(base_dir))


def with_inner_imports(text: str) -> str:
    """The source of a module that imports `tilesight.engine` where `text` imports `engine`."""
    lines = text.splitlines(keepends=True)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] in INNER:
            was, now = f"from {node.module}", f"from tilesight.{node.module}"
        elif isinstance(node, ast.Import) and (name := node.names[0].name).split(".")[0] in INNER:
            if len(node.names) > 1 or "." in name:
                raise SystemExit(f"line {node.lineno}: import one package, or import from a module")
            was, now = f"import {name}", f"from tilesight import {name}"
        else:
            continue
        line = lines[node.lineno - 1]
        assert line[node.col_offset :].startswith(was), line
        lines[node.lineno - 1] = line[: node.col_offset] + now + line[node.col_offset + len(was) :]
    return "".join(lines)


def packages() -> dict[str, object]:
    """`packages` and `package_dir` of `setup`: folders without modules, with art and pages, are packages."""
    found = find_namespace_packages(
        str(ROOT), include=[f"{name}*" for name in (*INNER, "tilesight")], exclude=["models.train*"]
    )
    if EDITABLE:
        return {"packages": found}
    names = [f"tilesight.{name}" if name.split(".")[0] in INNER else name for name in found]
    return {"packages": sorted(names), "package_dir": {f"tilesight.{name}": name for name in INNER}}


def write_samples(out: Path) -> None:
    """The sample sessions, in the package tilesight in `out`."""
    there = ROOT / "tilesight" / PACKAGED
    if there.is_dir():  # an unpacked sdist
        shutil.copytree(there, out / "tilesight" / PACKAGED, dirs_exist_ok=True)
        return
    for name in DEMOS:
        write_packaged(ROOT / "samples" / name, out / "tilesight" / PACKAGED / name)


def write_packaged(folder: Path, out: Path) -> None:
    """The session in `folder` written to `out`, its pictures as a film. The sessions still replay exactly
    (tests/tilesight/test_wheel.py), at a ninth of the bytes."""
    from tilesight.sessions.film import FILM, write_film

    out.mkdir(parents=True, exist_ok=True)
    for name in ("session.json", *BESIDE):
        shutil.copyfile(folder / name, out / name)
    frames = json.loads((folder / "session.json").read_text("utf-8"))["frames"]
    write_film([folder / frame["file"] for frame in frames], out / FILM)
    with (out / "README.md").open("a", encoding="utf-8") as readme:
        readme.write(NOTE % ", ".join(("session.json", *BESIDE)))


setup(**packages(), cmdclass={"build_py": BuildOnePackage, "sdist": SdistWithSamples})
