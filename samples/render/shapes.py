"""Blender geometry of tiles, pieces, hands and clutter.  One Blender unit is 10 mm.

Every maker returns a `bpy` mesh whose origin is where the thing touches its support (z = 0).
Dimensions in arguments are millimetres.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

import bmesh
import bpy
import numpy as np

MM = 0.1
Point2 = tuple[float, float]


def _new(name: str, verts: Iterable[Sequence[float]], faces: Iterable[Sequence[int]]) -> bpy.types.Mesh:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([[c * MM for c in v] for v in verts], [], [list(f) for f in faces])
    mesh.update()
    return mesh


def smooth(mesh: bpy.types.Mesh, angle_deg: float = 35.0) -> bpy.types.Mesh:
    """Shade smooth, but keep edges sharper than `angle_deg`."""
    bm = bmesh.new()
    bm.from_mesh(mesh)
    for face in bm.faces:
        face.smooth = True
    for edge in bm.edges:
        edge.smooth = len(edge.link_faces) == 2 and edge.calc_face_angle(0) < math.radians(angle_deg)
    bm.to_mesh(mesh)
    bm.free()
    return mesh


def rounded_rect(w: float, h: float, r: float, n: int = 5) -> list[Point2]:
    """Counter-clockwise outline of a w by h rectangle about the origin, corner radius r."""
    out: list[Point2] = []
    for k, (sx, sy) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        for i in range(n + 1):
            a = math.radians(90 * k + 90 * i / n)
            out.append((sx * (w / 2 - r) + r * math.cos(a), sy * (h / 2 - r) + r * math.sin(a)))
    return out


def quarter_disc(side: float, radius: float, n: int = 14) -> list[Point2]:
    """Counter-clockwise outline of a quarter of a disc in a square about the origin: straight along east and
    south, round from the south-west to the north-east; `radius` in sides, about the south-east corner."""
    h, r = side / 2, radius * side
    arc = [math.radians(90 + 90 * i / n) for i in range(n + 1)]
    round_part = [(h + r * math.cos(a), -h + r * math.sin(a)) for a in arc]
    return [(h, -h), *round_part]


def slab(
    name: str, outline: list[Point2], height: float, edge: float, uv_wh: tuple[float, float]
) -> bpy.types.Mesh:
    """A plate with a printed top (material 1, u east v north over uv_wh) and plain sides (0)."""
    n = len(outline)
    pts = np.array(outline)
    inner = pts - edge * pts / np.maximum(np.linalg.norm(pts, axis=1, keepdims=True), 1e-6)
    inset = np.clip(inner, -(np.array(uv_wh) / 2 - edge), np.array(uv_wh) / 2 - edge)
    verts = [(x, y, 0.0) for x, y in pts] + [(x, y, height - edge) for x, y in pts]
    verts += [(x, y, height) for x, y in inset]
    faces = [[i, (i + 1) % n, n + (i + 1) % n, n + i] for i in range(n)]
    faces += [[n + i, n + (i + 1) % n, 2 * n + (i + 1) % n, 2 * n + i] for i in range(n)]
    faces += [list(range(2 * n, 3 * n)), list(range(n - 1, -1, -1))]
    mesh = _new(name, verts, faces)
    layer = mesh.uv_layers.new(name="UVMap")
    for poly in mesh.polygons:
        printed = poly.index >= n and poly.index != len(faces) - 1
        poly.material_index = int(printed)
        for li in poly.loop_indices:
            co = mesh.vertices[mesh.loops[li].vertex_index].co
            layer.data[li].uv = (co.x / MM / uv_wh[0] + 0.5, co.y / MM / uv_wh[1] + 0.5)
    return mesh


def _chaikin(points: list[Point2], rounds: int) -> list[Point2]:
    for _ in range(rounds):
        out: list[Point2] = []
        for (ax, ay), (bx, by) in zip(points, points[1:] + points[:1], strict=True):
            out += [
                (0.75 * ax + 0.25 * bx, 0.75 * ay + 0.25 * by),
                (0.25 * ax + 0.75 * bx, 0.25 * ay + 0.75 * by),
            ]
        points = out
    return points


def extruded(name: str, outline: list[Point2], depth: float, bevel: float) -> bpy.types.Mesh:
    """A wooden silhouette: `outline` (x, z) mm standing on z = 0, `depth` thick along y, bevelled."""
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "2D"
    curve.fill_mode = "BOTH"
    curve.extrude = (depth / 2 - bevel) * MM
    curve.bevel_depth = bevel * MM
    curve.bevel_resolution = 2
    curve.offset = -bevel * MM
    spline = curve.splines.new("POLY")
    spline.points.add(len(outline) - 1)
    for p, (x, z) in zip(spline.points, outline, strict=True):
        p.co = (x * MM, z * MM, 0, 1)
    spline.use_cyclic_u = True
    obj = bpy.data.objects.new(name, curve)
    bpy.context.scene.collection.objects.link(obj)
    mesh = bpy.data.meshes.new_from_object(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    bpy.data.objects.remove(obj)
    turn = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]], float)
    co = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.vertices.foreach_get("co", co)
    co = co.reshape(-1, 3) @ turn.T.astype(np.float32)
    co[:, 2] -= co[:, 2].min()
    mesh.vertices.foreach_set("co", co.ravel())
    mesh.update()
    return smooth(mesh, 40)


def meeple() -> bpy.types.Mesh:
    """A follower, 16 x 16 x 10 mm, standing; our own curve of the classic silhouette."""
    half = [
        (0.0, 16.0),
        (1.7, 15.9),
        (2.9, 14.6),
        (3.0, 12.9),
        (2.2, 11.4),
        (2.0, 10.6),
        (3.2, 10.2),
        (5.6, 9.5),
        (7.9, 8.2),
        (8.2, 6.9),
        (7.2, 6.0),
        (5.4, 6.2),
        (4.0, 6.0),
        (4.4, 4.4),
        (5.6, 2.2),
        (6.6, 0.7),
        (6.3, 0.0),
        (5.2, 0.0),
        (2.3, 0.0),
        (1.5, 0.2),
        (0.8, 2.4),
        (0.0, 3.3),
    ]
    outline = half + [(-x, z) for x, z in reversed(half[1:-1])]
    return extruded("meeple", _chaikin(outline, 2), 10.0, 0.7)


HUT_HIGH = 11.5 / 12
"""How high a hut is, in its widths."""


def hut(wide_mm: float) -> bpy.types.Mesh:
    """A hut as deep as wide and nearly as high, standing: a plain gabled house sawn from a wooden bar."""
    half, walls, high = wide_mm / 2, wide_mm / 2, HUT_HIGH * wide_mm
    outline = [(-half, 0.0), (half, 0.0), (half, walls), (0.0, high), (-half, walls)]
    return extruded("hut", outline, wide_mm, wide_mm / 24)


def jeep() -> bpy.types.Mesh:
    """A ranger's jeep in white wood, 25 x 13 x 14 mm: side view cut out, wheels as bulges."""
    body = [
        (-12.3, 3.0),
        (-12.5, 7.6),
        (-11.0, 8.2),
        (-10.6, 12.6),
        (-9.6, 14.0),
        (1.2, 14.0),
        (2.3, 13.3),
        (4.2, 8.9),
        (10.8, 8.3),
        (12.4, 7.2),
        (12.5, 3.4),
        (11.6, 2.6),
        (10.9, 2.3),
        (10.4, 0.9),
        (9.2, 0.0),
        (6.4, 0.0),
        (5.2, 0.9),
        (4.6, 2.4),
        (-3.6, 2.4),
        (-4.3, 0.9),
        (-5.4, 0.0),
        (-8.3, 0.0),
        (-9.5, 0.9),
        (-10.1, 2.4),
    ]
    return extruded("jeep", _chaikin(body, 2), 13.0, 0.6)


def lathe(name: str, profile: list[Point2], segments: int = 48) -> bpy.types.Mesh:
    """A turned body from a profile (radius, z) mm."""
    verts = [
        (r * math.cos(a), r * math.sin(a), z)
        for r, z in profile
        for a in (2 * math.pi * k / segments for k in range(segments))
    ]
    faces = [
        [
            i * segments + k,
            i * segments + (k + 1) % segments,
            (i + 1) * segments + (k + 1) % segments,
            (i + 1) * segments + k,
        ]
        for i in range(len(profile) - 1)
        for k in range(segments)
    ]
    return smooth(_new(name, verts, faces), 50)


def tube(
    name: str, path: list[tuple[float, float, float]], radii: list[float], segments: int = 16
) -> bpy.types.Mesh:
    """A round bar along a path of points with radii, closed at both ends."""
    p = np.array(path, float)
    tangent = np.gradient(p, axis=0)
    tangent /= np.linalg.norm(tangent, axis=1, keepdims=True)
    up = np.array([0, 0, 1.0]) if abs(tangent[:, 2]).max() < 0.9 else np.array([0, 1.0, 0])
    side = np.cross(tangent, up)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    other = np.cross(side, tangent)
    verts = [
        tuple(p[i] + radii[i] * (math.cos(a) * side[i] + math.sin(a) * other[i]))
        for i in range(len(p))
        for a in (2 * math.pi * k / segments for k in range(segments))
    ]
    faces = [
        [
            i * segments + k,
            i * segments + (k + 1) % segments,
            (i + 1) * segments + (k + 1) % segments,
            (i + 1) * segments + k,
        ]
        for i in range(len(p) - 1)
        for k in range(segments)
    ]
    faces += [list(range(segments - 1, -1, -1)), list(range((len(p) - 1) * segments, len(p) * segments))]
    return smooth(_new(name, verts, faces), 50)


def box(name: str, w: float, d: float, h: float, bevel: float) -> bpy.types.Mesh:
    """A box w x d x h standing on z = 0 with rounded edges."""
    bm = bmesh.new()
    bmesh.ops.create_cube(bm, size=1.0)
    for v in bm.verts:
        v.co = (v.co.x * w * MM, v.co.y * d * MM, (v.co.z + 0.5) * h * MM)
    if bevel:
        bmesh.ops.bevel(bm, geom=list(bm.edges), offset=bevel * MM, segments=3, profile=0.5, affect="EDGES")
    mesh = bpy.data.meshes.new(name)
    bm.to_mesh(mesh)
    bm.free()
    return smooth(mesh, 30)


def plane(name: str, w: float, d: float, uv_mm: float) -> bpy.types.Mesh:
    """A flat rectangle about the origin whose texture repeats every `uv_mm`."""
    mesh = _new(
        name, [(-w / 2, -d / 2, 0), (w / 2, -d / 2, 0), (w / 2, d / 2, 0), (-w / 2, d / 2, 0)], [[0, 1, 2, 3]]
    )
    layer = mesh.uv_layers.new(name="UVMap")
    for li, loop in enumerate(mesh.loops):
        co = mesh.vertices[loop.vertex_index].co
        layer.data[li].uv = (co.x / MM / uv_mm, co.y / MM / uv_mm)
    return mesh


Bone = list[tuple[float, float, float, float]]

HAND: dict[str, list[Bone]] = {
    # points (x, y, z, radius) mm; the tile under the finger tips is centred near the origin,
    # the arm leaves towards -y, the thumb is on -x
    "press": [
        [(-4, -150, 66, 25), (-2, -128, 60, 22), (-2, -104, 54, 21)],
        [(2, -128, 60, 19), (-18, -92, 52, 15), (-26, -64, 48, 11)],
        [(2, -128, 60, 20), (-2, -90, 56, 15), (-6, -58, 53, 11)],
        [(4, -128, 60, 20), (12, -92, 54, 15), (13, -62, 50, 11)],
        [(6, -128, 58, 19), (24, -98, 48, 14), (30, -72, 43, 10)],
        [(-26, -64, 48, 10.5), (-25, -30, 50, 9), (-20, -10, 32, 8), (-14, 2, 10.5, 6.6)],
        [(-6, -58, 53, 10.5), (-4, -18, 55, 9), (-1, 4, 36, 8), (3, 16, 10.5, 6.8)],
        [(13, -62, 50, 10.5), (16, -24, 52, 8.8), (18, 0, 34, 7.8), (19, 12, 10.5, 6.5)],
        [(30, -72, 43, 9.5), (35, -42, 45, 7.8), (38, -22, 34, 7), (40, -8, 20, 5.8)],
        [(-14, -118, 52, 17), (-40, -84, 42, 12.5), (-44, -54, 26, 10), (-36, -30, 11.5, 8)],
    ],
    "pinch": [
        [(-4, -150, 78, 25), (-2, -128, 74, 22), (-2, -104, 68, 21)],
        [(2, -128, 74, 19), (-14, -92, 66, 15), (-20, -64, 60, 11)],
        [(2, -128, 74, 20), (-2, -90, 68, 15), (-3, -58, 62, 11)],
        [(4, -128, 74, 20), (12, -92, 64, 15), (14, -64, 56, 11)],
        [(6, -128, 70, 19), (24, -98, 57, 14), (28, -74, 48, 10)],
        [(-20, -64, 60, 10.5), (-15, -26, 58, 9), (-8, 2, 40, 8), (-2, 10, 18, 6.6)],
        [(-3, -58, 62, 10.5), (2, -20, 58, 9), (8, 4, 40, 8), (10, 10, 19, 6.8)],
        [(14, -64, 56, 10.5), (20, -34, 44, 8.8), (20, -24, 26, 7.8), (14, -38, 18, 6.8)],
        [(28, -74, 48, 9.5), (34, -50, 36, 7.8), (32, -42, 20, 7), (26, -54, 14, 6)],
        [(-14, -118, 64, 17), (-34, -80, 52, 12.5), (-27, -44, 34, 10), (-8, -13, 17, 8)],
    ],
}


def hand(kind: str, left: bool = False) -> bpy.types.Mesh:
    """A hand of rounded bones (`press`: finger tips on a tile, `pinch`: two fingers and thumb)."""
    bm = bmesh.new()
    for bone in HAND[kind]:
        pts = np.array(bone, float)
        for a, b in itertools.pairwise(pts):
            n = max(2, int(np.linalg.norm(b[:3] - a[:3]) / 3.0))
            for t in np.linspace(0, 1, n):
                q = a * (1 - t) + b * t
                ball = bmesh.ops.create_icosphere(bm, subdivisions=2, radius=q[3] * MM)
                shift = (-q[0] if left else q[0], q[1], q[2])
                bmesh.ops.translate(bm, verts=ball["verts"], vec=[c * MM for c in shift])
    rough = bpy.data.meshes.new("hand-balls")
    bm.to_mesh(rough)
    bm.free()
    obj = bpy.data.objects.new("hand-balls", rough)
    bpy.context.scene.collection.objects.link(obj)
    remesh = obj.modifiers.new("skin", "REMESH")
    remesh.mode = "VOXEL"
    remesh.voxel_size = 0.13
    relax = obj.modifiers.new("relax", "SMOOTH")
    relax.factor, relax.iterations = 0.5, 9
    mesh = bpy.data.meshes.new_from_object(obj.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    bpy.data.objects.remove(obj)
    for poly in mesh.polygons:
        poly.use_smooth = True
    return mesh


def sleeve(kind: str, rng: np.random.Generator) -> bpy.types.Mesh:
    """A wrinkled sleeve from the wrist of `hand(kind)` backwards, 420 mm long, with a cuff."""
    z0 = HAND[kind][0][0][2]
    path, radii = [], []
    for k in range(60):
        t = k / 59
        y = -136 - 420 * t
        path.append((-4 - 10 * t + 2 * math.sin(5 * t), y, z0 + 18 * math.sin(1.9 * t) * (1 - 0.3 * t)))
        wrinkle = 1.3 * math.sin(k * 1.1 + rng.uniform(-0.6, 0.6)) * math.exp(-2 * t) + rng.normal(0, 0.35)
        radii.append(31 + 20 * t + wrinkle + (2.0 if k < 5 else 0))
    return tube("sleeve", path, radii, 40)
