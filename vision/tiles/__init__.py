"""Recognition of tile faces: face, rotation and exact corners of each tile."""

from vision.tiles.board_reader import BoardReader
from vision.tiles.closeup import read_closeup
from vision.tiles.gallery import Gallery, GalleryError
from vision.tiles.gallery_file import load_gallery

__all__ = ["BoardReader", "Gallery", "GalleryError", "load_gallery", "read_closeup"]
