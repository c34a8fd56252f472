"""Label Studio: tasks with predictions to import, and the labelling interface that they need."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

from tilesight import __version__
from tilesight.export.labels import Label, LabelledPicture, names_in

TASKS, CONFIG = "tasks.json", "labeling-config.xml"
SERVED = "/data/local-files/?d="
"""Beginning of the address of a picture that Label Studio reads from its local storage."""


def write_label_studio(pictures: Sequence[LabelledPicture], out: Path, name: str) -> None:
    """Write ``tasks.json`` and ``labeling-config.xml`` into the folder ``out``, which will have ``name``.

    All labels are predictions, which people accept or change. Coordinates are percents of the picture's width
    and height. A task's ``image`` names the picture in Label Studio's local storage, where the folder is
    ``LABEL_STUDIO_LOCAL_FILES_DOCUMENT_ROOT/NAME``.
    """
    tasks = [
        {
            "data": {
                "image": f"{SERVED}{name}/images/{picture.name}",
                **({} if picture.turn is None else {"turn": picture.turn}),
            },
            "predictions": [
                {
                    "model_version": f"tilesight {__version__}",
                    "score": min((label.confidence or 1.0 for label in picture.labels), default=0.0),
                    "result": [
                        _region(label, f"{number}-{at}", picture.size_wh)
                        for at, label in enumerate(picture.labels, 1)
                    ],
                }
            ],
        }
        for number, picture in enumerate(pictures, 1)
    ]
    (out / TASKS).write_text(json.dumps(tasks, ensure_ascii=False) + "\n", encoding="utf-8")
    (out / CONFIG).write_text(labelling_config(names_in(pictures)), encoding="utf-8")


def labelling_config(names: Sequence[tuple[str, str]]) -> str:
    """Return the labelling interface (XML) for the names of tiles and pieces, given as (sort, name)."""
    lines = ["<View>", '  <Image name="image" value="$image"/>']
    for sort, tag in (("tile", "PolygonLabels"), ("piece", "RectangleLabels")):
        lines.append(f'  <{tag} name="{sort}" toName="image">')
        lines += [f"    <Label value={quoteattr(name)}/>" for of, name in names if of == sort]
        lines.append(f"  </{tag}>")
    return "\n".join([*lines, "</View>", ""])


def _region(label: Label, region: str, size_wh: tuple[int, int]) -> dict[str, Any]:
    """Return one region of a prediction."""
    width, height = size_wh
    value: dict[str, Any]
    if label.sort == "tile":
        kind = "polygonlabels"
        points = [[100 * x / width, 100 * y / height] for x, y in label.corners_px]
        value = {"points": points, "closed": True}
    else:
        kind = "rectanglelabels"
        left, top, across, down = label.box
        value = {"x": 100 * left / width, "y": 100 * top / height, "rotation": 0}
        value |= {"width": 100 * across / width, "height": 100 * down / height}
    sure = {} if label.confidence is None else {"score": round(label.confidence, 4)}
    return {
        "id": region,
        "type": kind,
        "from_name": label.sort,
        "to_name": "image",
        "original_width": width,
        "original_height": height,
        "image_rotation": 0,
        "value": {**value, kind: [label.name]},
        **sure,
        "meta": label.attributes(),
    }
