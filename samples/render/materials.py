"""Blender materials: painted wood, print, cloth, skin. Colours in arguments are sRGB 0..1."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np


def linear(rgb: tuple[float, ...]) -> tuple[float, float, float, float]:
    """An sRGB colour as Blender's scene-linear RGBA."""
    c = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in rgb]
    return (c[0], c[1], c[2], 1.0)


def picture(name: str, rgb: np.ndarray, is_linear: bool = False) -> bpy.types.Image:
    """A Blender image of float [h, w, 3] (row 0 on top), sRGB unless `is_linear`."""
    h, w = rgb.shape[:2]
    image = bpy.data.images.new(name, w, h, float_buffer=is_linear, is_data=False)
    if not is_linear:
        image.colorspace_settings.name = "sRGB"
    rgba = np.ones((h, w, 4), np.float32)
    rgba[..., :3] = rgb[::-1]
    image.pixels.foreach_set(rgba.ravel())
    image.update()
    image.pack()
    return image


def load(path: Path) -> bpy.types.Image:
    """An image file as an sRGB texture."""
    return bpy.data.images.load(str(path), check_existing=True)


def principled(
    name: str,
    rgb: tuple[float, ...] = (0.8, 0.8, 0.8),
    roughness: float = 0.5,
    image: bpy.types.Image | None = None,
    coat: float = 0.0,
    metallic: float = 0.0,
    bump: bpy.types.Image | None = None,
    bump_scale: float = 1.0,
    bump_mm: float = 0.2,
    specular: float = 0.5,
    mottle: float = 0.0,
) -> bpy.types.Material:
    """A Principled material: colour or image by UV, optional repeated bump, optional mottling."""
    mat = bpy.data.materials.new(name)
    mat.use_nodes = True
    tree = mat.node_tree
    node = tree.nodes["Principled BSDF"]
    node.inputs["Base Color"].default_value = linear(rgb)
    node.inputs["Roughness"].default_value = roughness
    node.inputs["Metallic"].default_value = metallic
    node.inputs["Specular IOR Level"].default_value = specular
    node.inputs["Coat Weight"].default_value = coat
    node.inputs["Coat Roughness"].default_value = 0.18
    if image is not None:
        tex = tree.nodes.new("ShaderNodeTexImage")
        tex.image = image
        tex.interpolation = "Linear"
        tree.links.new(tex.outputs["Color"], node.inputs["Base Color"])
    if mottle:
        tex = tree.nodes.new("ShaderNodeTexNoise")
        tex.inputs["Scale"].default_value = 1.4
        mix = tree.nodes.new("ShaderNodeMix")
        mix.data_type = "RGBA"
        mix.inputs[6].default_value = linear(rgb)
        mix.inputs[7].default_value = linear(
            (min(1, rgb[0] * (1 + mottle)), rgb[1] * (1 - mottle / 2), rgb[2] * (1 - mottle / 2))
        )
        tree.links.new(tex.outputs["Fac"], mix.inputs[0])
        tree.links.new(mix.outputs[2], node.inputs["Base Color"])
    if bump is not None:
        coords = tree.nodes.new("ShaderNodeTexCoord")
        scale = tree.nodes.new("ShaderNodeMapping")
        scale.inputs["Scale"].default_value = (bump_scale, bump_scale, 1)
        tex = tree.nodes.new("ShaderNodeTexImage")
        tex.image = bump
        relief = tree.nodes.new("ShaderNodeBump")
        relief.inputs["Distance"].default_value = bump_mm * 0.1
        tree.links.new(coords.outputs["UV"], scale.inputs["Vector"])
        tree.links.new(scale.outputs["Vector"], tex.inputs["Vector"])
        tree.links.new(tex.outputs["Color"], relief.inputs["Height"])
        tree.links.new(relief.outputs["Normal"], node.inputs["Normal"])
    return mat


def printed(name: str, image: bpy.types.Image) -> bpy.types.Material:
    """Printed cardboard with a thin satin coat."""
    return principled(name, image=image, roughness=0.5, coat=0.2, specular=0.4)


PAINT: dict[str, tuple[float, float, float]] = {
    "yellow": (0.95, 0.77, 0.10),
    "red": (0.77, 0.09, 0.10),
    "green": (0.10, 0.50, 0.20),
    "blue": (0.08, 0.25, 0.66),
    "violet": (0.38, 0.15, 0.55),
    "black": (0.075, 0.075, 0.08),
    "white": (0.90, 0.89, 0.86),
}


def paint(color: str) -> bpy.types.Material:
    """Satin paint on a wooden piece."""
    return bpy.data.materials.get("paint-" + color) or principled(
        "paint-" + color, PAINT[color], roughness=0.42, coat=0.12
    )


def world(env_linear: np.ndarray, turn_deg: float) -> None:
    """Light the scene with an equirectangular picture of linear radiance, turned about z."""
    scene = bpy.context.scene
    scene.world = bpy.data.worlds.new("room")
    scene.world.use_nodes = True
    tree = scene.world.node_tree
    env = tree.nodes.new("ShaderNodeTexEnvironment")
    env.image = picture("room", env_linear, is_linear=True)
    coords = tree.nodes.new("ShaderNodeTexCoord")
    turn = tree.nodes.new("ShaderNodeMapping")
    turn.inputs["Rotation"].default_value = (0, 0, turn_deg * 3.141592653589793 / 180)
    tree.links.new(coords.outputs["Generated"], turn.inputs["Vector"])
    tree.links.new(turn.outputs["Vector"], env.inputs["Vector"])
    tree.links.new(env.outputs["Color"], tree.nodes["Background"].inputs["Color"])
