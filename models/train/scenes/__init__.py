"""Synthetic tables, drawn fast: random boards, rooms, cameras and pieces, with exact truth."""

from models.train.scenes.camera import Camera, look_at, random_camera
from models.train.scenes.layout import (
    Layout,
    PieceSpec,
    TileSpec,
    lay_by_hand,
    lay_in_turn,
    random_cells,
    random_layout,
)
from models.train.scenes.render import make_scene, render_layout
from models.train.scenes.scene import Room, Scene, ScenePiece, SceneTile, random_room

__all__ = [
    "Camera",
    "Layout",
    "PieceSpec",
    "Room",
    "Scene",
    "ScenePiece",
    "SceneTile",
    "TileSpec",
    "lay_by_hand",
    "lay_in_turn",
    "look_at",
    "make_scene",
    "random_camera",
    "random_cells",
    "random_layout",
    "random_room",
    "render_layout",
]
