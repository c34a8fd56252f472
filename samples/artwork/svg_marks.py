"""SVG elements as text: one function each, numbers in tile sides."""

from math import cos, sin

from samples.artwork.geometry import Point


def mark(tag: str, body: str = "", /, **attributes: str | float) -> str:
    """One element; ``stroke_width=0.01`` becomes ``stroke-width="0.01"``."""
    text = "".join(f' {name.replace("_", "-")}="{_text(value)}"' for name, value in attributes.items())
    return f"<{tag}{text}>{body}</{tag}>" if body else f"<{tag}{text}/>"


def _text(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.4f}".rstrip("0").rstrip(".")


def moved(at: Point, turn: float = 0.0, scale: float | Point = 1.0) -> str:
    """A transform: scaled, turned by degrees clockwise, then moved."""
    across, down = scale if isinstance(scale, tuple) else (scale, scale)
    place = f"translate({_text(at[0])} {_text(at[1])})"
    return f"{place} rotate({_text(turn)}) scale({_text(across)} {_text(down)})"


def dot(at: Point, rx: float, ry: float | None = None, **attributes: str | float) -> str:
    """An ellipse, or a circle where `ry` is missing."""
    return mark("ellipse", cx=at[0], cy=at[1], rx=rx, ry=rx if ry is None else ry, **attributes)


def curve(*points: Point) -> str:
    """Path data: a straight line through two points, else quadratic curves, every second point a bend."""
    start = f"M{_pair(points[0])}"
    if len(points) == 2:
        return f"{start}L{_pair(points[1])}"
    return start + "".join(
        f"Q{_pair(bend)} {_pair(end)}" for bend, end in zip(points[1::2], points[2::2], strict=True)
    )


def polygon(points: list[Point]) -> str:
    """Path data of a closed polygon."""
    return "M" + "L".join(_pair(point) for point in points) + "Z"


def stroke(data: str, colour: str, width: float, **attributes: str | float) -> str:
    """A path that is drawn and not filled."""
    return mark("path", d=data, fill="none", stroke=colour, stroke_width=width, **attributes)


def _pair(point: Point) -> str:
    return f"{_text(point[0])} {_text(point[1])}"


def polar(radius: float, angle: float) -> Point:
    """The point at an angle (radians, clockwise from east) about the origin."""
    return (radius * cos(angle), radius * sin(angle))
