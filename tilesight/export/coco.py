"""COCO: one JSON file of object annotations (cocodataset.org, 'Data format'), and the pictures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tilesight.export.labels import LabelledPicture, names_in

ANNOTATIONS = "annotations.json"


def write_coco(pictures: Sequence[LabelledPicture], out: Path) -> None:
    """Write ``annotations.json`` into the folder ``out``, for pictures that lie in its ``images``.

    A category is a face or a kind of piece; its ``supercategory`` is ``tile`` or ``piece``. A tile's
    ``segmentation`` begins at its own north-west corner. ``attributes`` of an annotation have its provenance.
    """
    names = names_in(pictures)
    number = {name: i for i, (_, name) in enumerate(names, 1)}
    annotations: list[dict[str, Any]] = []
    for image, picture in enumerate(pictures, 1):
        for label in picture.labels:
            annotations.append(
                {
                    "id": len(annotations) + 1,
                    "image_id": image,
                    "category_id": number[label.name],
                    "segmentation": [[value for point in label.corners_px for value in point]],
                    "area": round(label.area, 2),
                    "bbox": [round(value, 2) for value in label.box],
                    "iscrowd": 0,
                    "attributes": label.attributes(),
                }
            )
    document = {
        "info": {"description": "Tilesight export", "version": "1"},
        "licenses": [],
        "images": [
            {
                "id": image,
                "file_name": picture.name,
                "width": picture.size_wh[0],
                "height": picture.size_wh[1],
                **({} if picture.turn is None else {"turn": picture.turn}),
            }
            for image, picture in enumerate(pictures, 1)
        ],
        "categories": [
            {"id": i, "name": name, "supercategory": sort} for i, (sort, name) in enumerate(names, 1)
        ],
        "annotations": annotations,
    }
    (out / ANNOTATIONS).write_text(json.dumps(document, ensure_ascii=False) + "\n", encoding="utf-8")
