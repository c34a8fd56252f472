"""Rooms: the table top, the light and the things that lie about."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import bpy
import numpy as np

from . import materials, shapes, surfaces
from .shapes import MM
from .stage import Stage


@dataclass(frozen=True)
class Room:
    """A table and its light. `top` names a table top, `light` is what truth.json says."""

    name: str
    top: str
    light: str  # day | lamp | ceiling | dim | sun
    warmth: float  # 0 neutral .. 1 warm; paint of the walls and colour of the lamps
    light_from_deg: float  # where the window or lamp is, counter-clockwise from east
    camera_gain: tuple[float, float, float] = (1.0, 1.0, 1.0)  # what white balance leaves over
    key: float = 0.5  # brightness the camera aims at, sRGB 0..1 of the middle of the picture
    noise: float = 1.0
    clutter: tuple[str, ...] = field(default=())


def drawn_room(top: str, light: str, noise: float, rng: np.random.Generator) -> Room:
    """A room with this table top and light; its warmth and side, white balance and brightness are drawn."""
    warm = {"day": 0.1, "lamp": 0.7, "ceiling": 0.2, "dim": 0.55, "sun": 0.3}[light]
    gain = 1 + np.array([0.05, 0.0, -0.09]) * rng.uniform(-0.8, 1.4)
    return Room(
        f"{top}, {light}",
        top,
        light,
        float(np.clip(warm + rng.normal(0, 0.15), 0, 1)),
        float(rng.uniform(0, 360)),
        (float(gain[0]), 1.0, float(gain[2])),
        float({"dim": 0.36, "sun": 0.46}.get(light, 0.5) + rng.normal(0, 0.05)),
        noise,
    )


Top = tuple[np.ndarray, float, float, str]  # picture, mm per repeat, roughness, relief


def _tops(rng: np.random.Generator) -> dict[str, Callable[[], Top]]:
    return {
        "oak": lambda: (
            surfaces.wood(rng, (0.47, 0.32, 0.19), (0.77, 0.60, 0.40), 256, contrast=0.8),
            1000,
            0.42,
            "",
        ),
        "walnut": lambda: (surfaces.wood(rng, (0.20, 0.12, 0.08), (0.43, 0.28, 0.18), 384), 1100, 0.35, ""),
        "pine": lambda: (
            surfaces.wood(rng, (0.73, 0.52, 0.30), (0.90, 0.76, 0.54), 190, seam=0.35, contrast=0.8),
            900,
            0.5,
            "",
        ),
        "painted": lambda: (
            surfaces.wood(rng, (0.66, 0.69, 0.68), (0.80, 0.82, 0.80), 170, seam=0.6, contrast=0.5),
            900,
            0.38,
            "",
        ),
        "linen": lambda: (surfaces.cloth(rng, (0.76, 0.72, 0.63), None), 620, 0.9, "weave"),
        "check": lambda: (
            surfaces.cloth(rng, (0.90, 0.88, 0.84), (0.30, 0.44, 0.58), 120),
            620,
            0.9,
            "weave",
        ),
        "felt": lambda: (surfaces.cloth(rng, (0.15, 0.33, 0.24), None), 460, 0.95, "weave"),
        "leaves": lambda: (
            surfaces.motif(rng, (228, 222, 205), [(112, 140, 92), (168, 120, 74), (196, 160, 60)], "leaves"),
            600,
            0.35,
            "",
        ),
        "tiles": lambda: (
            surfaces.motif(
                rng, (226, 226, 220), [(52, 92, 138), (188, 112, 60), (70, 120, 110)], "tiles", step=192
            ),
            560,
            0.22,
            "",
        ),
        "dots": lambda: (
            surfaces.motif(rng, (196, 92, 82), [(240, 232, 220)], "dots", step=96),
            560,
            0.6,
            "weave",
        ),
        "stone": lambda: (surfaces.stone(rng, (0.62, 0.61, 0.59), (0.30, 0.29, 0.29)), 700, 0.3, ""),
        "dark": lambda: (surfaces.stone(rng, (0.13, 0.13, 0.14), (0.30, 0.29, 0.28)), 700, 0.28, ""),
        # From here on: tables of the boards in samples/house-boards, seen nowhere else.
        "teak": lambda: (surfaces.wood(rng, (0.42, 0.22, 0.09), (0.66, 0.40, 0.20), 140), 1000, 0.4, ""),
        "ash": lambda: (
            surfaces.wood(rng, (0.80, 0.72, 0.60), (0.92, 0.86, 0.76), 300, contrast=0.5),
            1000,
            0.45,
            "",
        ),
        "marble": lambda: (surfaces.stone(rng, (0.88, 0.87, 0.85), (0.55, 0.55, 0.57)), 900, 0.16, ""),
        "terracotta": lambda: (surfaces.stone(rng, (0.58, 0.30, 0.20), (0.44, 0.21, 0.14)), 500, 0.6, ""),
        "gingham": lambda: (
            surfaces.cloth(rng, (0.93, 0.91, 0.88), (0.72, 0.10, 0.12), 52),
            560,
            0.9,
            "weave",
        ),
        "blanket": lambda: (
            surfaces.cloth(rng, (0.36, 0.25, 0.17), (0.60, 0.47, 0.30), 200),
            700,
            0.95,
            "weave",
        ),
        "navy": lambda: (surfaces.cloth(rng, (0.07, 0.10, 0.22), None), 500, 0.9, "weave"),
        "cutting-mat": lambda: (
            surfaces.cutting_mat(rng, (0.05, 0.26, 0.20), (0.72, 0.80, 0.62)),
            300,
            0.55,
            "",
        ),
        "white-mat": lambda: (
            surfaces.cutting_mat(rng, (0.82, 0.83, 0.84), (0.30, 0.34, 0.42)),
            450,
            0.5,
            "",
        ),
        "oilcloth": lambda: (
            surfaces.motif(rng, (240, 214, 120), [(214, 80, 60), (96, 140, 70), (70, 110, 160)], "leaves"),
            480,
            0.25,
            "",
        ),
        "confetti": lambda: (
            surfaces.motif(
                rng, (60, 66, 84), [(235, 196, 90), (214, 96, 110), (120, 190, 200)], "dots", step=64
            ),
            520,
            0.35,
            "",
        ),
    }


def lay_table(
    stage: Stage,
    room: Room,
    rng: np.random.Generator,
    centre_mm: tuple[float, float],
    turn_deg: float,
    size_mm: tuple[float, float] = (1700, 1100),
) -> None:
    """The table top (turned against the board), an edge and the floor below."""
    rgb, repeat_mm, roughness, relief = _tops(rng)[room.top]()
    h, w = rgb.shape[:2]
    image = materials.picture("top", rgb)
    bump = None
    if relief == "weave":
        weave = surfaces.weave_bump(rng)
        bump = materials.picture("weave", np.repeat(weave[..., None], 3, 2), is_linear=True)
    mat = materials.principled(
        "top",
        roughness=roughness,
        image=image,
        bump=bump,
        bump_scale=repeat_mm / 48,
        bump_mm=0.35,
        specular=0.4,
    )
    mesh = shapes.slab("table", shapes.rounded_rect(*size_mm, 14), 28, 2.5, size_mm)
    for loop in mesh.uv_layers[0].data:
        loop.uv = (
            (loop.uv[0] * size_mm[0]) / repeat_mm + 0.37,
            (loop.uv[1] * size_mm[1]) / (repeat_mm * h / w) + 0.21,
        )
    side = materials.principled("table-side", tuple(float(c) * 0.8 for c in rgb.mean((0, 1))), roughness=0.6)
    stage.put(mesh, (side, mat), *centre_mm, -28.0, turn_deg)
    floor = surfaces.wood(rng, (0.30, 0.24, 0.19), (0.48, 0.40, 0.33), 128, (768, 1024))
    below = shapes.plane("floor", 7000, 7000, 1200)
    stage.put(
        below,
        (materials.principled("floor", roughness=0.6, image=materials.picture("floor", floor)),),
        *centre_mm,
        -740.0,
        turn_deg + 90,
    )


def light_up(room: Room, rng: np.random.Generator, centre_mm: tuple[float, float]) -> None:
    """Surroundings and lamps of the room."""
    kind = "day" if room.light == "sun" else room.light
    materials.world(surfaces.room_linear(kind, rng, room.warmth), 90 - room.light_from_deg)
    tint = (1.0, 1 - 0.22 * room.warmth, 1 - 0.55 * room.warmth)
    a = math.radians(room.light_from_deg)
    scene = bpy.context.scene

    def area(size_mm: float, height_mm: float, out_mm: float, watts: float) -> None:
        light = bpy.data.lights.new("lamp", "AREA")
        light.shape, light.size, light.energy, light.color = "DISK", size_mm * MM, watts, tint
        obj = bpy.data.objects.new("lamp", light)
        x, y = centre_mm[0] + out_mm * math.cos(a), centre_mm[1] + out_mm * math.sin(a)
        obj.location = (x * MM, y * MM, height_mm * MM)
        d = np.array([centre_mm[0] - x, centre_mm[1] - y, -height_mm])
        obj.rotation_euler = (
            math.atan2(math.hypot(d[0], d[1]), height_mm),
            0,
            math.atan2(d[1], d[0]) - math.pi / 2,
        )
        scene.collection.objects.link(obj)

    if room.light == "lamp":
        area(190, 720, 420, 26000)
    elif room.light == "dim":
        area(260, 1200, 900, 14000)
    elif room.light == "sun":
        sun = bpy.data.lights.new("sun", "SUN")
        sun.energy, sun.angle, sun.color = 5.5, math.radians(0.6), (1.0, 0.9, 0.76)
        obj = bpy.data.objects.new("sun", sun)
        obj.rotation_euler = (math.radians(52), 0, a - math.pi / 2 + math.pi)
        scene.collection.objects.link(obj)
        # the window's frame: its shadow cuts the sun's patch on the table
        frame = materials.principled("frame", (0.8, 0.8, 0.78))
        far = 1500.0
        top = math.tan(math.radians(38)) * far
        for shift, wide, low, high in (
            (-900, 1200, -900, 3000),
            (60, 46, -900, 3000),
            (1050, 1300, -900, 3000),
            (0, 3000, top + 250, 3000),
            (0, 3000, -900, top - 300),
        ):
            obj = bpy.data.objects.new("frame", shapes.box("frame", wide, 20, high - low, 0))
            obj.data.materials.append(frame)
            obj.location = (
                (centre_mm[0] + far * math.cos(a) - shift * math.sin(a)) * MM,
                (centre_mm[1] + far * math.sin(a) + shift * math.cos(a)) * MM,
                low * MM,
            )
            obj.rotation_euler = (0, 0, a + math.pi / 2)
            obj.visible_camera = obj.visible_diffuse = obj.visible_glossy = False
            scene.collection.objects.link(obj)
