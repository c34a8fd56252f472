"""JPEG structure: size and number of scans, read from the markers without decoding.

A progressive JPEG may repeat a scan of ten bytes thousands of times, each as costly as decoding the picture;
EXIF data may claim gigabytes. A file whose markers exclude this is cheap to decode.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

CHEAP_AREA_PX = 100_000_000
"""Maximum number of pixels times scans of a cheap JPEG: about a second of decoding."""
SEGMENTS_AT_MOST = 100
"""Maximum number of segments before the first scan of a cheap JPEG."""
EXIF_AT_MOST_BYTES = 16_000_000
"""Maximum number of EXIF entries times bytes of EXIF in a cheap JPEG: each entry may hold a copy of all. The
index of the pictures in one file (MPF), as phones add it, has the same form."""
_SOI, _SOS, _EXIF, _MPF = b"\xff\xd8", b"\xff\xda", b"Exif\0\0", b"MPF\0"
_APP1, _APP2 = 0xE1, 0xE2
_SEQUENTIAL, _PROGRESSIVE = (0xC0, 0xC1), 0xC2
"""Markers of the frames that are decoded by Huffman tables, as all common pictures are."""


@dataclass(frozen=True, slots=True)
class JpegStructure:
    """Structure of a well-formed JPEG.

    ``scans`` is the number of scans at most. ``plain`` is false if the metadata may be costly to read.
    """

    size_wh: tuple[int, int]
    scans: int
    plain: bool

    @property
    def cheap(self) -> bool:
        """Whether decoding takes at most about a second and no more memory than its pixels need."""
        return self.plain and self.size_wh[0] * self.size_wh[1] * self.scans <= CHEAP_AREA_PX


def jpeg_structure(data: bytes) -> JpegStructure | None:
    """Return the structure of a JPEG; None if the bytes are no JPEG or not strictly formed."""
    if data[:2] != _SOI:
        return None
    at, frame, plain, exifs = 2, None, True, 0
    for _ in range(SEGMENTS_AT_MOST):
        if len(data) < at + 4 or data[at] != 0xFF:
            return None
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4])
        content = data[at + 4 : at + 2 + length]
        if marker == _SOS[1]:
            return None if frame is None or not content else _with_scans(data, at, content[0], frame, plain)
        if length < 2 or not (0xC0 <= marker <= 0xCF or 0xDB <= marker <= 0xEF or marker == 0xFE):
            return None
        if marker in (*_SEQUENTIAL, _PROGRESSIVE):
            if frame is not None or len(content) < 6:
                return None
            frame = marker, content
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xCC):
            return None
        elif marker == _APP1 and content.startswith(_EXIF):
            exifs += 1
            plain = plain and exifs == 1 and _is_small_exif(content[len(_EXIF) :])
        elif marker == _APP2 and content.startswith(_MPF):
            plain = plain and _is_small_exif(content[len(_MPF) :])
        at += 2 + length
    return None


def is_cheap_jpeg(data: bytes) -> bool:
    """Return whether a picture is a JPEG that any program may decode without limits of time and memory.

    The pictures that Tilesight writes are.
    """
    structure = jpeg_structure(data)
    return structure is not None and structure.cheap


def _with_scans(
    data: bytes, at: int, components: int, frame: tuple[int, bytes], plain: bool
) -> JpegStructure | None:
    """Return the structure of a JPEG whose first scan, of this number of components, begins at ``at``."""
    marker, content = frame
    height, width, of_frame = struct.unpack(">xHHB", content[:6])
    if not height or not width:
        return None
    # A sequential picture with all components in one scan has no other: decoders end or fail after it.
    whole = marker in _SEQUENTIAL and components == of_frame
    # In the data of a scan, 0xFF is followed by 0x00 or a marker: nothing but scans has these two bytes.
    return JpegStructure((width, height), 1 if whole else data.count(_SOS, at), plain)


def _is_small_exif(exif: bytes) -> bool:
    """Whether reading the entries of EXIF data takes little memory, whatever they claim."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(exif[:4])
    if order is None or len(exif) < 8:
        return False
    (at,) = struct.unpack(f"{order}L", exif[4:8])
    if len(exif) < at + 2:
        return False
    (entries,) = struct.unpack(f"{order}H", exif[at : at + 2])
    return int(entries) * len(exif) <= EXIF_AT_MOST_BYTES
