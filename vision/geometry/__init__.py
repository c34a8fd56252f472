"""Plane geometry: quads, homographies and lattices, without networks or appearance."""

from vision.geometry.homography import apply_homography, homography
from vision.geometry.lattice import Lattice
from vision.geometry.lattice_frame import LatticeFrame
from vision.geometry.ortho import Ortho, ortho_view

__all__ = ["Lattice", "LatticeFrame", "Ortho", "apply_homography", "homography", "ortho_view"]
