"""Writes `manifest.json` of a folder of samples: origin, licence and the hash of every file.

python -m samples.render.manifest samples/first-light samples/boards
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path


def manifest(folder: Path) -> dict[str, object]:
    """What is in `folder`; every file but the manifest and the README with size and SHA-256."""
    files = {}
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        if path.name in ("manifest.json", "README.md"):
            continue
        data = path.read_bytes()
        files[path.relative_to(folder).as_posix()] = {
            "bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
        }
    return {
        "tilesight": 1,
        "origin": "rendered",
        "made_by": "samples/render (path-traced with bpy 4.5, then a camera model); no photograph is in it",
        "license": "Apache-2.0",
        "art": _art_of(folder),
        "files": files,
    }


def _art_of(folder: Path) -> str:
    """Whose pictures are on the tiles: the pack's, or those of the folder itself."""
    if (folder / "faces").is_dir():
        return (
            f"faces/, another drawing of pack {_pack_of(folder)}, by this project; the animals are from"
            " Microsoft's Fluent Emoji (flat), MIT licence, see engine/packs/savanna/CREDITS.md"
        )
    return f"pack {_pack_of(folder)}, by this project"


def _pack_of(folder: Path) -> str:
    """The pack that the folder's truth names."""
    entries = json.loads((folder / "truth.json").read_text())
    return str(entries[0]["pack"])


def main(folders: list[str]) -> int:
    """Write the manifests."""
    for name in folders:
        folder = Path(name)
        (folder / "manifest.json").write_text(json.dumps(manifest(folder), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
