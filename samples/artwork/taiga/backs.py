"""Backs of the deck `taiga`: pictures on a hide, signs cut into stone, a camp around its fire."""

from math import cos, pi, sin

from samples.artwork.geometry import Point
from samples.artwork.raster import Plane
from samples.artwork.savanna.backs import MIDDLE, drawn, four, mottled, ring
from samples.artwork.svg_marks import curve, dot, mark, moved, polar, polygon, stroke

OCHRE, SOOT, BONE = "#8f2f1c", "#2a1c14", "#f3e3c0"
ANTLERS = (
    "M.068 -.083Q.052 -.118 .07 -.147M.057 -.108Q.04 -.114 .034 -.134M.062 -.128Q.048 -.136 .046 -.152"
    "M.074 -.083Q.09 -.112 .116 -.124M.085 -.101Q.1 -.1 .11 -.106M.1 -.113Q.104 -.128 .116 -.142"
)


def regular() -> Plane:
    """A tile of the regular deck: a hide, deer running round a spiral sun, hands blown into the corners."""
    return drawn(
        _hide(),
        _stitches() + four(_hand()) + mark("g", ring(4, 0.3, _deer()), transform=moved(MIDDLE)) + _sun(),
    )


def menhir() -> Plane:
    """A menhir tile: stone with lichen, a ring of standing stones, spirals cut into the rock."""
    ground = mottled(
        "menhir back",
        "#6b767a",
        ("#535f64", 3, 0.5),
        ("#8d9896", 4, 0.35),
        ("#869068", 7, 0.2),
        ("#b9ad6a", 11, 0.12),
    )
    frame = _cut("M.055 .055H.945V.945H.055Z", 0.012)
    corners = four(mark("g", _cut(_spiral(0.085, 2.5), 0.011), transform=moved((-0.345, -0.345), 45)))
    stones = mark("g", ring(8, 0.275, _stone()), transform=moved(MIDDLE))
    inner = ring(4, 0.075, _cut(_spiral(0.062, 2.0), 0.01), turn=45)
    middle = mark("g", inner + _circle(0.165), transform=moved(MIDDLE))
    return drawn(ground, frame + corners + stones + middle)


def start() -> Plane:
    """The start tile: the same hide, four tents about a fire."""
    tents = mark("g", ring(4, 0.24, _tent()), transform=moved(MIDDLE))
    herds = mark(
        "g",
        ring(4, 0.455, mark("g", _deer(), transform=moved((0, 0), 0, 0.64)), turn=45),
        transform=moved(MIDDLE),
    )
    return drawn(_hide(), _stitches() + herds + tents + _fire())


def _hide() -> Plane:
    return mottled("hide", "#cfa262", ("#a9753a", 2, 0.9), ("#e3c48c", 3, 0.7), ("#8a5a2b", 6, 0.4))


def _stitches() -> str:
    """A dark seam around the hide, sewn with sinew."""
    seam = stroke("M.024 .024H.976V.976H.024Z", "#5a3517", 0.05) + stroke(
        "M.05 .05H.95V.95H.05Z", SOOT, 0.006
    )
    stitch = "".join(
        stroke(
            curve((0.075 * i - 0.014, -0.436), (0.075 * i + 0.014, -0.472)),
            BONE,
            0.011,
            stroke_linecap="round",
        )
        for i in range(-5, 6)
    )
    return seam + four(stitch)


def _spiral(reach: float, rounds: float, steps: int = 60) -> str:
    """A spiral about the origin, from its middle outwards."""
    points: list[Point] = [
        polar(reach * i / steps, 2 * pi * rounds * i / steps - pi / 2) for i in range(steps + 1)
    ]
    return "M" + "L".join(f"{u:.4f} {v:.4f}" for u, v in points)


def _sun() -> str:
    """Four arms that wind out of one middle, and rays."""
    arm = stroke(_spiral(0.12, 0.75), OCHRE, 0.021, stroke_linecap="round")
    rays = ring(
        20, 0.163, mark("path", d=polygon([(-0.012, 0.02), (0.0, -0.026), (0.012, 0.02)]), fill=OCHRE)
    )
    return four(arm) + mark("g", rays, transform=moved(MIDDLE))


def _hand() -> str:
    """A hand held against the hide while paint was blown over it; the corner to the north-west."""
    fingers = (
        (-1.05, 0.05, 0.013),
        (-0.42, 0.062, 0.0135),
        (-0.1, 0.07, 0.0135),
        (0.2, 0.066, 0.013),
        (0.5, 0.052, 0.012),
    )

    def silhouette(fill: str, wider: float) -> str:
        parts = [dot((0, 0.012), 0.034 + wider, 0.038 + wider, fill=fill)]
        for angle, reach, half in fingers:
            tip = (reach * 1.18 * sin(angle), 0.01 - reach * 1.18 * cos(angle))
            root = (0.02 * sin(angle), 0.012 - 0.02 * cos(angle))
            parts.append(stroke(curve(root, tip), fill, 2 * (half + wider) * 0.82, stroke_linecap="round"))
        return "".join(parts)

    blown = "".join(
        mark("g", silhouette(OCHRE, wider), opacity=strength)
        for wider, strength in ((0.036, 0.12), (0.028, 0.16), (0.02, 0.25), (0.012, 0.45), (0.006, 0.6))
    )
    return mark("g", blown + silhouette("#e2c38b", 0.0), transform=moved((-0.315, -0.315), -45, 1.12))


def _deer() -> str:
    """A running deer as painted in a cave, its feet towards the middle."""
    body = (
        "M-.098 -.052Q-.094 -.07 -.07 -.069Q-.03 -.062 .012 -.068Q.03 -.072 .044 -.09L.056 -.101"
        "Q.066 -.108 .078 -.1L.1 -.088Q.106 -.081 .096 -.079L.078 -.077Q.066 -.06 .058 -.042"
        "Q.05 -.03 .03 -.029Q-.02 -.026 -.06 -.026Q-.09 -.028 -.098 -.052Z"
    )
    legs = (
        "M.046 -.036L.074 -.014L.102 -.016M.034 -.032L.05 -.002L.074 .012"
        "M-.078 -.036L-.098 -.012L-.128 -.008M-.066 -.03L-.076 .002L-.1 .018"
    )
    tail = "M-.096 -.06L-.112 -.064"
    deer = (
        stroke(legs, SOOT, 0.011, stroke_linecap="round", stroke_linejoin="round")
        + mark("path", d=body, fill=OCHRE, stroke=SOOT, stroke_width=0.008, stroke_linejoin="round")
        + stroke(ANTLERS + tail, SOOT, 0.0068, stroke_linecap="round")
        + stroke("M-.07 -.05Q-.03 -.044 .02 -.05M-.055 -.038Q-.02 -.034 .02 -.039", SOOT, 0.004, opacity=0.6)
        + dot((0.08, -0.091), 0.0035, fill=BONE)
    )
    return mark("g", deer, transform=moved((0, 0.062), 0, 1.12))


def _cut(data: str, width: float) -> str:
    """A line cut into stone: dark, with light on its lower edge."""
    glint = stroke(data, "#aab6b6", width, stroke_linecap="round", stroke_linejoin="round", opacity=0.55)
    return glint + stroke(data, "#2b343b", width * 0.62, stroke_linecap="round", stroke_linejoin="round")


def _circle(radius: float) -> str:
    return _cut(f"M-{radius} 0A{radius} {radius} 0 1 1 {radius} 0A{radius} {radius} 0 1 1 -{radius} 0", 0.013)


def _stone() -> str:
    """A standing stone, its foot towards the middle, moss on it."""
    body = (
        "M-.042 .06Q-.05 -.01 -.036 -.07Q-.022 -.1 .006 -.098"
        "Q.03 -.092 .04 -.06Q.05 0 .044 .06Q0 .072 -.042 .06Z"
    )
    return (
        dot((0.0, 0.062), 0.066, 0.022, fill="#1f272c", opacity=0.55)
        + mark("path", d=body, fill="#a9b0ad", stroke="#252d32", stroke_width=0.007)
        + mark(
            "path",
            d="M-.034 .05Q-.042 -.01 -.03 -.066Q-.018 -.088 -.006 -.088Q-.022 -.02 -.012 .056Z",
            fill="#cdd2cc",
        )
        + mark("path", d="M.02 .058Q.012 .03 .026 .012Q.04 .008 .045 .02Q.047 .04 .043 .058Z", fill="#7f8f3f")
        + stroke("M.012 -.06L.02 -.03L.012 -.006", "#4a5459", 0.005, stroke_linecap="round")
        + mark("g", stroke(_spiral(0.014, 1.5, 24), "#4a5459", 0.0045), transform=moved((0.008, 0.02)))
    )


def _tent() -> str:
    """A tent of hides on poles, its foot towards the middle."""
    return (
        dot((0, 0.085), 0.125, 0.022, fill=SOOT, opacity=0.35)
        + stroke(
            "M-.012 -.128L.016 -.09M.014 -.13L-.014 -.09M0 -.134V-.09", SOOT, 0.009, stroke_linecap="round"
        )
        + mark(
            "path",
            d="M-.108 .085L-.014 -.1H.014L.108 .085Q0 .104 -.108 .085Z",
            fill="#b5652f",
            stroke=SOOT,
            stroke_width=0.008,
        )
        + mark("path", d="M-.108 .085L-.014 -.1H0L-.034 .093Q-.07 .092 -.108 .085Z", fill="#d58a47")
        + mark("path", d="M-.026 .094L0 .0L.026 .094Z", fill=SOOT)
        + stroke("M-.064 .02Q0 .036 .064 .02M-.044 -.02Q0 -.006 .044 -.02", BONE, 0.007)
    )


def _fire() -> str:
    """A fire from above: stones around it, flames that point outwards, embers."""
    hearth = ring(12, 0.096, dot((0, 0), 0.021, 0.017, fill="#7d7a72", stroke=SOOT, stroke_width=0.004))
    flames = "".join(
        ring(
            count,
            0.0,
            mark(
                "path",
                d=f"M-{half} 0Q-{half} -{reach * 0.45} 0 -{reach}Q{half} -{reach * 0.45} {half} 0Z",
                fill=fill,
            ),
            turn=turn,
        )
        for count, reach, half, fill, turn in (
            (8, 0.088, 0.026, "#c8321c", 0),
            (8, 0.074, 0.022, "#ef7d22", 22.5),
            (8, 0.054, 0.016, "#ffc83d", 0),
            (4, 0.03, 0.012, "#fff3c4", 45),
        )
    )
    return mark("g", dot((0, 0), 0.1, fill=SOOT, opacity=0.7) + hearth + flames, transform=moved(MIDDLE))


TAIGA_BACKS = {"regular": "regular", "menhir": "menhir", "start": "start"}
"""Value of "backs" in ``pack.json``: the picture of each deck, and of the start tile."""
TAIGA = {"regular": regular, "menhir": menhir, "start": start}
"""Pictures on the backs, each with the function that draws it."""
