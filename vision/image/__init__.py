"""Images: decoding, and correction of a camera's lens and colours."""

from vision.image.camera_profile import Camera
from vision.image.color_profile import PieceColors
from vision.image.decode import decode_image, read_frame
from vision.image.decoder import FrameError
from vision.image.lens import Lens, Straightener

__all__ = ["Camera", "FrameError", "Lens", "PieceColors", "Straightener", "decode_image", "read_frame"]
