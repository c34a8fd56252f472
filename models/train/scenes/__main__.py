"""Writes synthetic pictures and their truth: `python -m models.train.scenes OUT --n 200 [--seed 1]`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import numpy as np

from models.train.scenes.render import make_scene
from models.train.scenes.scene import Scene, random_room


def entry(scene: Scene, file: str, names: list[str] | None = None) -> dict[str, object]:
    """One entry of truth.json (docs/formats.md, 'Photographs with truth').

    ``names``: design ids by face index.
    """
    h, w = scene.image.shape[:2]
    cam = scene.camera
    return {
        "file": file,
        "size_wh": [w, h],
        "pack": None,
        "light": scene.room,
        "K": cam.K.round(2).tolist(),
        "dist": [*cam.dist.round(5).tolist(), 0.0, 0.0, 0.0],
        "tiles": [
            {
                "tile": names[t.face] if names else f"F{t.face:02d}",
                "cell": list(t.cell),
                "rot": t.rot,
                "corners_px": t.corners_px.round(2).tolist(),
                "in_frame": round(t.in_frame, 3),
                "visible": round(t.visible, 3),
            }
            for t in scene.tiles
        ],
        "pieces": [
            {
                "kind": p.kind,
                "color": p.color,
                "pose": p.pose,
                "cell": None if p.cell is None else list(p.cell),
                "uv": [round(float(v), 4) for v in p.uv],
                "corner": p.corner,
                "feature": p.feature,
                "point_px": [round(v, 2) for v in p.point_px],
                "bbox_px": [round(float(v), 2) for v in p.bbox_px],
                "visible": round(p.visible, 3),
            }
            for p in scene.pieces
        ],
    }


def deck_faces(folder: Path, size_px: int = 192) -> tuple[np.ndarray, list[str]]:
    """The faces of a pack's art folder (n, s, s, 3) and their names; tokens left out."""
    files = sorted(f for f in folder.iterdir() if f.suffix in (".png", ".jpg", ".webp"))
    files = [f for f in files if not f.stem.startswith("token-")]
    if not files:
        raise SystemExit(f"no art in {folder}")
    faces = []
    for f in files:
        img = cv2.imread(str(f), cv2.IMREAD_COLOR)
        if img is None:
            raise SystemExit(f"cannot read {f}")
        faces.append(cv2.resize(img, (size_px, size_px), interpolation=cv2.INTER_AREA))
    return np.stack(faces).astype(np.uint8), [f.stem for f in files]


def main() -> None:
    """Command line."""
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("out", type=Path)
    ap.add_argument("--n", type=int, default=20)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--deck", default=None, help="a pack's id or its art folder; default: random decks")
    ap.add_argument("--size", default="1280x720")
    args = ap.parse_args()
    w, h = (int(v) for v in args.size.split("x"))
    faces, names = None, None
    if args.deck:
        folder = Path(args.deck)
        if not folder.is_dir():
            folder = Path(__file__).resolve().parents[3] / "engine" / "packs" / args.deck / "art"
        if not folder.is_dir():
            raise SystemExit(f"no such deck: {args.deck}")
        faces, names = deck_faces(folder)
    args.out.mkdir(parents=True, exist_ok=True)
    truth = []
    for k in range(args.n):
        rng = np.random.default_rng([args.seed, k])
        scene = make_scene(rng, (w, h), faces, room=random_room(rng))
        file = f"s{args.seed}_{k:04d}.jpg"
        cv2.imwrite(str(args.out / file), scene.image, [cv2.IMWRITE_JPEG_QUALITY, 97])
        truth.append(entry(scene, file, names))
    (args.out / "truth.json").write_text(json.dumps(truth, separators=(",", ":")))


if __name__ == "__main__":
    main()
