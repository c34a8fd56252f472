"""YOLO: a text file for each picture with one line for each label, and ``data.yaml`` with the classes."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from tilesight.export.labels import Label, LabelledPicture, names_in


def write_yolo(pictures: Sequence[LabelledPicture], out: Path, *, oriented: bool) -> None:
    """Write ``labels/NAME.txt``, ``data.yaml`` and ``attributes.csv`` into the folder ``out``.

    A line is the class and four numbers, the box's middle and size; with ``oriented`` it is the class and
    the four corners (YOLO-OBB). All are shares of the picture's width and height. The format has no
    attributes: ``attributes.csv`` has those of each line.
    """
    names = names_in(pictures)
    number = {name: i for i, (_, name) in enumerate(names)}
    folder = out / "labels"
    folder.mkdir()
    with (out / "attributes.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(("file", "line", "class", "provenance", "confidence", "attributes"))
        for picture in pictures:
            name = f"{Path(picture.name).stem}.txt"
            lines = []
            for line, label in enumerate(picture.labels, 1):
                values = _values(label, picture.size_wh, oriented=oriented)
                lines.append(" ".join([str(number[label.name]), *(f"{value:.6f}" for value in values)]))
                about = label.attributes()
                words = label.name, about.pop("provenance"), about.pop("confidence", "")
                table.writerow((name, line, *words, json.dumps(about)))
            (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    classes = "".join(f"  {i}: {json.dumps(name)}\n" for i, (_, name) in enumerate(names))
    text = f"path: .\ntrain: images\nval: images\nnames:\n{classes}"
    (out / "data.yaml").write_text(text, encoding="utf-8")


def _values(label: Label, size_wh: tuple[int, int], *, oriented: bool) -> Iterator[float]:
    """Yield the numbers of a label's line, 0 to 1."""
    width, height = size_wh
    if oriented:
        for x, y in label.corners_px:
            yield from (x / width, y / height)
        return
    left, top, across, down = label.box
    yield from ((left + across / 2) / width, (top + down / 2) / height, across / width, down / height)
