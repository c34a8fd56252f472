"""One table in Blender: tiles, pieces and hands put where the layout says, and rendered.

The stage keeps the scene between pictures (only what changed is exchanged), returns linear light
and says exactly what is to be seen: corners, contact points, boxes, visible shares.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Euler, Matrix, Vector

from . import layout, lens, materials, shapes
from .layout import HUT_MM, THICK_MM, TILE_MM, TOKEN_MM, TOKEN_THICK_MM, Cell, Pose
from .shapes import MM


@dataclass(frozen=True)
class TileAt:
    """A laid tile: printed face, cell and clockwise rotation."""

    design: str
    cell: Cell
    rot: int


@dataclass(frozen=True)
class PieceAt:
    """A piece on the table; `point_mm` its contact point, `cell` None beside the board. An animal tile has no
    colour but an `animal`, and covers `corner` of its cell unless it lies on a feature; a meeple at a
    watering hole names that corner."""

    kind: str
    color: str | None
    pose: str
    cell: Cell | None
    feature: str | None
    point_mm: tuple[float, float, float]
    yaw_deg: float
    corner: str | None = None
    animal: str | None = None


def fresh(samples: int, threads: int) -> None:
    """An empty scene with Cycles set up for a few samples and a denoiser."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.render.use_persistent_data = True
    scene.render.threads_mode = "FIXED"
    scene.render.threads = threads
    scene.render.resolution_percentage = 100
    scene.render.film_transparent = False
    scene.render.image_settings.file_format = "OPEN_EXR"
    scene.render.image_settings.color_mode = "RGB"
    scene.render.image_settings.color_depth = "32"
    scene.view_settings.view_transform = "Raw"
    c = scene.cycles
    c.device = "CPU"
    c.samples = samples
    c.use_adaptive_sampling = True
    c.adaptive_threshold = 0.04
    c.adaptive_min_samples = max(4, samples // 2)
    c.use_denoising = True
    c.denoiser = "OPENIMAGEDENOISE"
    c.denoising_input_passes = "RGB_ALBEDO_NORMAL"
    c.denoising_prefilter = "FAST"
    c.max_bounces, c.diffuse_bounces, c.glossy_bounces = 3, 2, 2
    c.transmission_bounces, c.transparent_max_bounces = 2, 2
    c.caustics_reflective = c.caustics_refractive = False
    c.sample_clamp_indirect = 4.0
    c.use_light_tree = False
    c.filter_width = 1.2


class Stage:
    """The table and the objects on it."""

    def __init__(
        self,
        camera: lens.Camera,
        art: Callable[[str], Path],
        start: tuple[str, ...] = (),
        back: Callable[[str], Path | None] | None = None,
        hut_mm: float = HUT_MM,
    ) -> None:
        """``art`` gives the picture of a face, ``back`` that of a deck's back (one is drawn where
        there is none); the faces of ``start`` are one piece."""
        self.camera = camera
        self.art = art
        self.start = start
        self.back = back
        self.hut_mm = hut_mm
        self.scene = bpy.context.scene
        self.meshes: dict[str, bpy.types.Mesh] = {}
        self.faces: dict[str, bpy.types.Material] = {}
        self.tiles: dict[Cell, tuple[TileAt, bpy.types.Object, Pose]] = {}
        self.pieces: dict[PieceAt, bpy.types.Object] = {}
        self.loose: list[bpy.types.Object] = []
        self.card = materials.principled("cardboard", (0.52, 0.45, 0.36), roughness=0.85)
        self._aim()

    def _aim(self) -> None:
        cam = bpy.data.cameras.new("camera")
        w, h = self.camera.overscan_wh()
        cam.sensor_fit = "HORIZONTAL"
        cam.angle = 2 * math.atan(w / 2 / self.camera.f_px)
        cam.clip_start, cam.clip_end = 0.1, 2000
        obj = bpy.data.objects.new("camera", cam)
        right, down, forward = self.camera.R
        eye = self.camera.eye_mm * MM
        obj.matrix_world = Matrix(
            [[right[i], -down[i], -forward[i], eye[i]] for i in range(3)] + [[0, 0, 0, 1]]
        )
        self.scene.collection.objects.link(obj)
        self.scene.camera = obj
        self.scene.render.resolution_x, self.scene.render.resolution_y = w, h

    # things ---------------------------------------------------------------------------------

    def mesh(self, key: str, make: Callable[[], bpy.types.Mesh]) -> bpy.types.Mesh:
        """A mesh made once."""
        if key not in self.meshes:
            self.meshes[key] = make()
        return self.meshes[key]

    def put(
        self,
        mesh: bpy.types.Mesh,
        mats: Iterable[bpy.types.Material],
        x_mm: float,
        y_mm: float,
        z_mm: float = 0.0,
        yaw_deg: float = 0.0,
        tilt: tuple[float, float] = (0.0, 0.0),
    ) -> bpy.types.Object:
        """Put an object of `mesh` with its own materials (by slot) on the stage."""
        obj = bpy.data.objects.new(mesh.name, mesh)
        mats = list(mats)
        while len(mesh.materials) < len(mats):
            mesh.materials.append(None)
        for slot, mat in zip(obj.material_slots, mats, strict=False):
            slot.link = "OBJECT"
            slot.material = mat
        obj.location = Vector((x_mm, y_mm, z_mm)) * MM
        obj.rotation_euler = Euler((*tilt, math.radians(yaw_deg)))
        self.scene.collection.objects.link(obj)
        return obj

    def drop(self, obj: bpy.types.Object) -> None:
        """Take an object away."""
        bpy.data.objects.remove(obj)

    def _face(self, design: str) -> bpy.types.Material:
        if design not in self.faces:
            self.faces[design] = materials.printed("face-" + design, materials.load(self.art(design)))
        return self.faces[design]

    def tile_object(
        self, design: str, pose: Pose, rot: int, z_mm: float = 0.0, tilt: tuple[float, float] = (0.0, 0.0)
    ) -> bpy.types.Object:
        """One 45 mm tile with `design` printed on it, turned clockwise by `rot`."""
        mesh = self.mesh(
            "tile",
            lambda: shapes.slab(
                "tile", shapes.rounded_rect(TILE_MM, TILE_MM, 1.6), THICK_MM, 0.12, (TILE_MM, TILE_MM)
            ),
        )
        return self.put(
            mesh, (self.card, self._face(design)), pose.x_mm, pose.y_mm, z_mm, pose.yaw_deg - rot, tilt
        )

    def _start_object(self) -> bpy.types.Object:
        if "start" not in self.faces:
            parts = []
            for design in self.start:
                image = materials.load(self.art(design))
                pixels = np.empty(image.size[0] * image.size[1] * 4, np.float32)
                image.pixels.foreach_get(pixels)
                parts.append(pixels.reshape(image.size[1], image.size[0], 4)[::-1, :, :3])
            self.faces["start"] = materials.printed(
                "face-start", materials.picture("start", np.concatenate(parts, 1))
            )
        mesh = self.mesh(
            "start",
            lambda: shapes.slab(
                "start",
                shapes.rounded_rect(3 * TILE_MM, TILE_MM, 1.6),
                THICK_MM,
                0.12,
                (3 * TILE_MM, TILE_MM),
            ),
        )
        return self.put(mesh, (self.card, self.faces["start"]), 0, 0)

    def piece_object(self, piece: PieceAt) -> bpy.types.Object:
        """A meeple, a hut, a jeep or an animal tile on its contact point."""
        x, y, z = piece.point_mm
        if piece.kind == "token":
            mesh = self.mesh(
                "animal-tile",
                lambda: shapes.slab(
                    "animal-tile",
                    shapes.quarter_disc(TOKEN_MM, 0.92),
                    TOKEN_THICK_MM,
                    0.1,
                    (TOKEN_MM, TOKEN_MM),
                ),
            )
            face = self._face(f"token-{piece.animal}")
            return self.put(mesh, (self.card, face), x, y, z, piece.yaw_deg)
        if piece.kind == "ranger":
            mesh = self.mesh("jeep", shapes.jeep)
            return self.put(mesh, (materials.paint(piece.color),), x, y, z, piece.yaw_deg)
        if piece.kind == "hut":
            mesh = self.mesh("hut", lambda: shapes.hut(self.hut_mm))
            tall_mm, deep_mm = shapes.HUT_HIGH * self.hut_mm, self.hut_mm
        else:
            mesh = self.mesh("meeple", shapes.meeple)
            tall_mm, deep_mm = 16.0, 10.0
        obj = self.put(mesh, (materials.paint(piece.color),), x, y, z, piece.yaw_deg)
        if piece.pose == "lying":
            yaw = math.radians(piece.yaw_deg)
            # on its back: half its depth above the board, its middle over the contact point
            right, back = tall_mm / 2 * math.sin(yaw), tall_mm / 2 * math.cos(yaw)
            obj.location = Vector((x + right, y - back, z + deep_mm / 2)) * MM
            obj.rotation_euler = Euler((-math.pi / 2, 0, yaw))
        return obj

    def show(
        self, tiles: Mapping[Cell, TileAt], poses: Mapping[Cell, Pose], pieces: Iterable[PieceAt]
    ) -> None:
        """Bring the table to this state; what is already right stays untouched."""
        for cell in [c for c, (tile, _, _) in self.tiles.items() if tiles.get(c) != tile]:
            self.drop(self.tiles.pop(cell)[1])
        for cell, tile in tiles.items():
            if cell in self.tiles:
                continue
            if tile.design in self.start:
                shared = [self.tiles[c][1] for c in self.tiles if self.tiles[c][0].design in self.start]
                obj = shared[0] if shared else self._start_object()
            else:
                obj = self.tile_object(tile.design, poses[cell], tile.rot)
            self.tiles[cell] = (tile, obj, poses[cell])
        wanted = set(pieces)
        for piece in [p for p in self.pieces if p not in wanted]:
            self.drop(self.pieces.pop(piece))
        for piece in sorted(wanted - set(self.pieces), key=repr):
            self.pieces[piece] = self.piece_object(piece)

    # pictures -------------------------------------------------------------------------------

    def render(self, seed: int) -> np.ndarray:
        """Path-trace the stage: linear float32 [h, w, 3] through the lens, before the sensor."""
        self.scene.cycles.seed = seed
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "linear.exr"
            self.scene.render.filepath = str(path)
            bpy.ops.render.render(write_still=True)
            image = bpy.data.images.load(str(path))
            image.colorspace_settings.name = "Non-Color"
            w, h = image.size
            pixels = np.empty(w * h * 4, np.float32)
            image.pixels.foreach_get(pixels)
            bpy.data.images.remove(image)
        return lens.distort(self.camera, pixels.reshape(h, w, 4)[::-1, :, :3])

    # what is to be seen ---------------------------------------------------------------------

    def _seen(self, points_mm: np.ndarray, own: bpy.types.Object) -> np.ndarray:
        graph = bpy.context.evaluated_depsgraph_get()
        eye = Vector(self.camera.eye_mm * MM)
        seen = np.zeros(len(points_mm), bool)
        for i, p in enumerate(points_mm):
            way = Vector(p * MM) - eye
            hit, at, _, _, obj, _ = self.scene.ray_cast(graph, eye, way.normalized())
            seen[i] = not hit or obj == own or (at - eye).length > way.length - 0.05
        return seen

    def _inside(self, px: np.ndarray) -> np.ndarray:
        w, h = self.camera.size_wh
        return (px[:, 0] >= 0) & (px[:, 0] <= w - 1) & (px[:, 1] >= 0) & (px[:, 1] <= h - 1)

    def truth_tiles(self) -> list[dict[str, Any]]:
        """The laid tiles as JSON objects (docs/formats.md, 'Photographs with truth')."""
        out = []
        grid = (
            np.stack(np.meshgrid(np.linspace(-0.47, 0.47, 12), np.linspace(-0.47, 0.47, 12)), -1).reshape(
                -1, 2
            )
            * TILE_MM
        )
        for cell, (tile, obj, pose) in self.tiles.items():
            turned = Pose(pose.x_mm, pose.y_mm, pose.yaw_deg - tile.rot)
            own = np.array([[*p, THICK_MM] for p in layout.corners(turned)])
            points = np.array([[*turned.at(u, v), THICK_MM] for u, v in grid])
            inside = self._inside(self.camera.project(points))
            seen = self._seen(points, obj) & inside
            out.append(
                {
                    "tile": tile.design,
                    "cell": list(cell),
                    "rot": tile.rot,
                    "corners_px": self.camera.project(own).round(2).tolist(),
                    "in_frame": round(float(inside.mean()), 3),
                    "visible": round(float(seen.mean()), 3),
                }
            )
        return out

    def truth_piece(self, piece: PieceAt, obj: bpy.types.Object) -> dict[str, Any]:
        """One piece as a JSON object (docs/formats.md, 'Photographs with truth')."""
        bpy.context.view_layer.update()
        verts = np.array([obj.matrix_world @ v.co for v in obj.data.vertices]) / MM
        px = self.camera.project(verts)
        w, h = self.camera.size_wh
        x0, y0 = np.clip(px.min(0), 0, [w - 1, h - 1])
        x1, y1 = np.clip(px.max(0), 0, [w - 1, h - 1])
        lo, hi = px.min(0), px.max(0)
        gx, gy = np.meshgrid(np.linspace(lo[0], hi[0], 16), np.linspace(lo[1], hi[1], 16))
        spots = np.stack([gx.ravel(), gy.ravel()], 1)
        graph = bpy.context.evaluated_depsgraph_get()
        eye = Vector(self.camera.eye_mm * MM)
        inverse = obj.matrix_world.inverted()
        alone = seen = 0
        for way, inside in zip(self.camera.rays(spots), self._inside(spots), strict=True):
            local = (inverse.to_3x3() @ Vector(way)).normalized()
            if not obj.ray_cast(inverse @ eye, local)[0]:
                continue
            alone += 1
            hit = self.scene.ray_cast(graph, eye, Vector(way))
            seen += bool(inside and hit[0] and hit[4] == obj)
        point = self.camera.project(np.array([piece.point_mm]))[0]
        return {
            "kind": piece.kind,
            "color": piece.color,
            "pose": piece.pose,
            "cell": list(piece.cell) if piece.cell is not None else None,
            "feature": piece.feature,
            "point_px": point.round(2).tolist(),
            "bbox_px": [round(float(v), 2) for v in (x0, y0, x1, y1)],
            "visible": round(seen / alone, 3) if alone else 0.0,
            **({"corner": piece.corner} if piece.corner else {}),
            **({"animal": piece.animal} if piece.animal else {}),
        }

    def truth(self) -> dict[str, Any]:
        """Camera, tiles and pieces of the present state (docs/formats.md, 'Photographs with truth')."""
        return {
            "size_wh": list(self.camera.size_wh),
            "K": self.camera.K,
            "dist": [self.camera.k1, self.camera.k2, 0.0, 0.0, 0.0],
            "tiles": self.truth_tiles(),
            "pieces": [
                self.truth_piece(p, o)
                for p, o in self.pieces.items()
                if p.cell is not None or self._inside(self.camera.project(np.array([p.point_mm])))[0]
            ],
        }
