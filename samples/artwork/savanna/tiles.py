"""The land tiles of the house deck, one layout each.

Which edges, joins, animals, birds and counts a tile has is the published game's; every line, place and shape
is ours.
"""

from samples.artwork.savanna.layout import GENTLE, Baobab, Bush, Layout, Trail, shore

LAYOUTS: tuple[Layout, ...] = (
    Layout("CS1", "CS1*2", baobab=Baobab((0.5, 0.48), 0.72)),
    Layout(
        "CS2",
        "CS2-E",
        trails=(Trail("w", ((0.25, 0.56), (0.45, 0.68)), (0.17, 0.52), (0.52, 0.72), "savanna"),),
        baobab=Baobab((0.7, 0.28), 0.46),
    ),
    Layout(
        "CS3",
        "CS3-E CS3-G*2 CS3-Z",
        trails=(Trail("w", ((0.3, 0.44), (0.56, 0.52)), (0.25, 0.46), (0.63, 0.5), "savanna"),),
        animal_radius=0.18,
    ),
    Layout(
        "CS4",
        "CS4-M CS4-E CS4-L",
        trails=(Trail("we", ((0.3, 0.38), (0.65, 0.42)), (0.72, 0.43), (0.31, 0.34)),),
        baobab=Baobab((0.56, 0.74), 0.44),
    ),
    Layout(
        "CS5",
        "CS5-L",
        trails=(Trail("we", ((0.34, 0.58), (0.64, 0.42)), (0.76, 0.42), (0.37, 0.52)),),
        animal_radius=0.18,
    ),
    Layout(
        "CS6",
        "CS6-M*2 CS6-E CS6-L",
        trails=(Trail("es", ((0.66, 0.56), (0.54, 0.7)), (0.86, 0.5), (0.56, 0.67)),),
        baobab=Baobab((0.3, 0.3), 0.48),
        animal_radius=0.155,
    ),
    Layout(
        "CS7",
        "CS7-E CS7-G*2 CS7-L CS7-Z",
        trails=(Trail("es", ((0.62, 0.44), (0.43, 0.6)), (0.49, 0.84), (0.46, 0.46)),),
        animal_radius=0.18,
    ),
    Layout(
        "CS8",
        "CS8-MM",
        trails=(
            Trail("ne", ((0.54, 0.25), (0.74, 0.44)), (0.87, 0.49), (0.61, 0.28)),
            Trail("s", ((0.45, 0.8), (0.34, 0.66)), (0.49, 0.88), (0.31, 0.62), "savanna"),
        ),
        animal_radius=0.15,
    ),
    Layout(
        "CS9",
        "CS9-MM",
        trails=(
            Trail("n", ((0.55, 0.18), (0.66, 0.34)), (0.52, 0.12), (0.69, 0.39), "savanna"),
            Trail("w", ((0.2, 0.57), (0.36, 0.7)), (0.13, 0.52), (0.4, 0.74), "savanna"),
        ),
        animal_radius=0.155,
    ),
    Layout(
        "CS10",
        "CS10-LL CS10-ZZ",
        trails=(
            Trail("n", ((0.55, 0.16), (0.62, 0.3)), (0.51, 0.1), (0.64, 0.34), "savanna"),
            Trail("w", ((0.18, 0.56), (0.32, 0.68)), (0.11, 0.51), (0.35, 0.71), "savanna"),
        ),
        baobab=Baobab((0.78, 0.74), 0.42),
        animal_radius=0.145,
    ),
    Layout(
        "CS11",
        "CS11-GG CS11-ZZ*2",
        trails=(
            Trail("ns", ((0.57, 0.3), (0.54, 0.6)), (0.51, 0.84), (0.6, 0.29)),
            Trail("w", ((0.13, 0.55), (0.19, 0.64)), (0.085, 0.5), (0.22, 0.7), "savanna"),
        ),
        baobab=Baobab((0.79, 0.68), 0.42),
        animal_radius=0.15,
    ),
    Layout(
        "CS12",
        "CS12-Z",
        trails=(Trail("ns", ((0.44, 0.3), (0.42, 0.65)), (0.455, 0.25), (0.4, 0.68)),),
        bushes=(Bush("e", shore("e", 0.31, "CS12"), (0.86, 0.68), birds=((0.85, 0.33),)),),
        baobab=Baobab((0.2, 0.3), 0.41),
        animal_radius=0.16,
    ),
    Layout(
        "CS13",
        "CS13-G CS13-Z",
        trails=(Trail("ns", ((0.4, 0.3), (0.37, 0.62)), (0.46, 0.86), (0.34, 0.46)),),
        bushes=(Bush("e", shore("e", 0.34, "CS13"), (0.85, 0.34), birds=((0.84, 0.66),)),),
        animal_radius=0.18,
    ),
    Layout(
        "CS14",
        "CS14-M CS14-ME CS14-ZZ",
        trails=(Trail("w", ((0.3, 0.34), (0.52, 0.32), (0.76, 0.4)), (0.12, 0.46), (0.38, 0.28), "b0"),),
        bushes=(Bush("e", shore("e", 0.35, "CS14"), (0.86, 0.3), animal=(0.83, 0.64)),),
        baobab=Baobab((0.36, 0.72), 0.44),
        animal_radius=0.15,
    ),
    Layout(
        "CS15",
        "CS15-ME",
        trails=(Trail("ws", ((0.26, 0.46), (0.44, 0.66)), (0.49, 0.87), (0.35, 0.48)),),
        bushes=(Bush("e", shore("e", 0.37, "CS15"), (0.85, 0.7), animal=(0.82, 0.35)),),
        animal_radius=0.16,
    ),
    Layout(
        "CS16",
        "CS16-Z",
        trails=(Trail("s", ((0.46, 0.76), (0.55, 0.56), (0.78, 0.52)), (0.485, 0.88), (0.46, 0.62), "b0"),),
        bushes=(Bush("e", shore("e", 0.33, "CS16"), (0.86, 0.72), birds=((0.85, 0.3),)),),
        baobab=Baobab((0.22, 0.26), 0.44),
        animal_radius=0.155,
    ),
    Layout(
        "CS17",
        "CS17-G",
        trails=(Trail("s", ((0.43, 0.74), (0.48, 0.52), (0.78, 0.4)), (0.48, 0.88), (0.42, 0.58), "b0"),),
        bushes=(Bush("e", shore("e", 0.35, "CS17"), (0.86, 0.72), birds=((0.85, 0.24),)),),
        animal_radius=0.175,
    ),
    Layout(
        "CS18",
        "CS18-EL",
        trails=(Trail("n", ((0.44, 0.25), (0.5, 0.44), (0.77, 0.5)), (0.48, 0.11), (0.43, 0.39), "b0"),),
        bushes=(Bush("e", shore("e", 0.36, "CS18"), (0.86, 0.3), animal=(0.82, 0.68)),),
        animal_radius=0.16,
    ),
    Layout(
        "CS19",
        "CS19-EGG",
        trails=(
            Trail("nw", ((0.45, 0.26), (0.24, 0.44)), (0.12, 0.49), (0.4, 0.29)),
            Trail("s", ((0.47, 0.8), (0.56, 0.66), (0.77, 0.58)), (0.495, 0.9), (0.46, 0.66), "b0"),
        ),
        bushes=(
            Bush("e", shore("e", 0.34, "CS19"), (0.86, 0.76), animal=(0.83, 0.28), birds=((0.86, 0.52),)),
        ),
        animal_radius=0.15,
    ),
    Layout(
        "CS20",
        "CS20-M*2 CS20-G CS20-L CS20-Z",
        bushes=(Bush("e", shore("e", 0.46, "CS20"), (0.82, 0.74), animal=(0.77, 0.37)),),
        animal_radius=0.18,
    ),
    Layout(
        "CS21",
        "CS21-E CS21-L CS21-Z CS21-0",
        bushes=(Bush("e", shore("e", 0.38, "CS21"), (0.84, 0.71), animal=(0.81, 0.35)),),
        baobab=Baobab((0.32, 0.52), 0.58),
        animal_radius=0.165,
    ),
    Layout(
        "CS22",
        "CS22-L",
        bushes=(
            Bush("n", shore("n", 0.35, "CS22", near=GENTLE), (0.65, 0.12), animal=(0.32, 0.18)),
            Bush("e", shore("e", 0.34, "CS22", far=GENTLE), (0.87, 0.37), birds=((0.84, 0.68),)),
        ),
        animal_radius=0.165,
    ),
    Layout(
        "CS23",
        "CS23-MEE",
        trails=(
            Trail("w", ((0.2, 0.6), (0.4, 0.6), (0.48, 0.44), (0.46, 0.24)), (0.1, 0.53), (0.34, 0.63), "b0"),
        ),
        bushes=(
            Bush("n", shore("n", 0.34, "CS23", near=GENTLE), (0.64, 0.12), animal=(0.31, 0.17)),
            Bush("e", shore("e", 0.34, "CS23", far=GENTLE), (0.87, 0.39), animal=(0.83, 0.69)),
        ),
        animal_radius=0.15,
    ),
    Layout(
        "CS24",
        "CS24-EEL",
        trails=(Trail("ns", ((0.49, 0.3), (0.53, 0.66)), (0.525, 0.8), (0.5, 0.36)),),
        bushes=(
            Bush("e", shore("e", 0.32, "CS24"), (0.87, 0.3), animal=(0.84, 0.64)),
            Bush("w", shore("w", 0.32, "CS24"), (0.13, 0.7), animal=(0.16, 0.36)),
        ),
        animal_radius=0.15,
    ),
    Layout(
        "CS25",
        "CS25-ML*2 CS25-L",
        bushes=(
            Bush("e", shore("e", 0.33, "CS25"), (0.87, 0.78), animal=(0.83, 0.33), birds=((0.84, 0.57),)),
            Bush("w", shore("w", 0.33, "CS25"), (0.14, 0.27), animal=(0.17, 0.62)),
        ),
        baobab=Baobab((0.5, 0.44), 0.46),
        animal_radius=0.155,
    ),
    Layout(
        "CS26",
        "CS26-EE CS26-EG CS26-EZ CS26-LL CS26-LZ",
        trails=(Trail("w", ((0.2, 0.62), (0.4, 0.64), (0.56, 0.44)), (0.1, 0.54), (0.34, 0.66), "b0"),),
        bushes=(
            Bush(
                "ne",
                {"e": ((0.88, 0.86), (0.76, 0.68), (0.62, 0.54), (0.44, 0.4), (0.24, 0.24), (0.12, 0.12))},
                (0.86, 0.64),
                animal=(0.66, 0.3),
                birds=((0.35, 0.13), (0.87, 0.15)),
            ),
        ),
        animal_radius=0.165,
    ),
    Layout(
        "CS27",
        "CS27-MG CS27-ML",
        trails=(Trail("s", ((0.44, 0.8), (0.41, 0.62), (0.52, 0.36)), (0.485, 0.89), (0.39, 0.65), "b0"),),
        bushes=(
            Bush(
                "ne",
                {"e": ((0.9, 0.88), (0.78, 0.76), (0.66, 0.56), (0.46, 0.44), (0.22, 0.3), (0.11, 0.14))},
                (0.87, 0.66),
                animal=(0.69, 0.31),
                birds=((0.34, 0.16),),
            ),
        ),
        animal_radius=0.165,
    ),
    Layout(
        "CS28",
        "CS28-G CS28-Z",
        bushes=(
            Bush(
                "ne",
                {"e": ((0.89, 0.87), (0.72, 0.74), (0.6, 0.56), (0.4, 0.38), (0.2, 0.26), (0.1, 0.12))},
                (0.86, 0.64),
                animal=(0.66, 0.33),
                birds=((0.36, 0.13), (0.88, 0.14)),
            ),
        ),
        baobab=Baobab((0.3, 0.68), 0.5),
        animal_radius=0.17,
    ),
    Layout(
        "CS29",
        "CS29-E",
        bushes=(
            Bush(
                "ne",
                {"e": ((0.89, 0.88), (0.7, 0.8), (0.48, 0.68), (0.3, 0.5), (0.2, 0.3), (0.11, 0.13))},
                (0.32, 0.2),
                animal=(0.62, 0.36),
                birds=((0.86, 0.66),),
            ),
        ),
        animal_radius=0.18,
    ),
    Layout(
        "CS30",
        "CS30-G*2 CS30-L CS30-Z",
        bushes=(
            Bush(
                "we",
                {
                    "e": ((0.88, 0.85), (0.7, 0.74), (0.5, 0.76), (0.3, 0.8), (0.12, 0.87)),
                    "w": ((0.12, 0.14), (0.3, 0.2), (0.5, 0.28), (0.7, 0.25), (0.88, 0.15)),
                },
                (0.83, 0.5),
                animal=(0.33, 0.51),
                birds=((0.6, 0.43),),
            ),
        ),
        animal_radius=0.18,
    ),
    Layout(
        "CS31",
        "CS31-LZ",
        trails=(
            Trail("n", ((0.56, 0.14), (0.46, 0.3), (0.5, 0.5)), (0.53, 0.08), (0.42, 0.27), "b0"),
            Trail("s", ((0.45, 0.88), (0.56, 0.74), (0.52, 0.54)), (0.47, 0.92), (0.6, 0.75), "b0"),
        ),
        bushes=(
            Bush(
                "we",
                {
                    "e": ((0.88, 0.84), (0.76, 0.7), (0.6, 0.6), (0.4, 0.62), (0.24, 0.76), (0.12, 0.86)),
                    "w": ((0.11, 0.16), (0.22, 0.3), (0.38, 0.42), (0.6, 0.42), (0.78, 0.26), (0.89, 0.14)),
                },
                (0.82, 0.56),
                birds=((0.16, 0.44), (0.87, 0.33)),
            ),
        ),
        animal_radius=0.15,
    ),
    Layout(
        "CS32",
        "CS32-GG",
        bushes=(
            Bush("n", shore("n", 0.34, "CS32", near=GENTLE), (0.64, 0.11), animal=(0.31, 0.17)),
            Bush("e", shore("e", 0.34, "CS32", near=GENTLE, far=GENTLE), (0.9, 0.31), animal=(0.82, 0.54)),
            Bush("s", shore("s", 0.3, "CS32", far=GENTLE), (0.6, 0.89), birds=((0.34, 0.85),)),
        ),
        animal_radius=0.15,
    ),
    Layout(
        "CS33",
        "CS33-M*2 CS33-G",
        bushes=(
            Bush(
                "nes",
                {"s": ((0.12, 0.86), (0.26, 0.76), (0.42, 0.62), (0.44, 0.42), (0.3, 0.24), (0.13, 0.13))},
                (0.76, 0.74),
                animal=(0.69, 0.37),
                birds=((0.36, 0.12), (0.48, 0.84)),
            ),
        ),
        animal_radius=0.18,
    ),
)

START: tuple[Layout, ...] = (
    Layout(
        "CSS-W",
        "CSS-W:E",
        bushes=(Bush("s", shore("s", 0.44, "CSS-W"), (0.73, 0.84), animal=(0.38, 0.78)),),
        animal_radius=0.175,
        cell=(-1, 0),
    ),
    Layout(
        "CSS-C",
        "CSS-C:G",
        trails=(Trail("s", ((0.46, 0.76), (0.5, 0.55)), (0.475, 0.83), (0.51, 0.44), "savanna"),),
        animal_radius=0.185,
        cell=(0, 0),
    ),
    Layout(
        "CSS-E",
        "CSS-E:M",
        trails=(Trail("e", ((0.8, 0.57), (0.58, 0.56), (0.48, 0.24)), (0.89, 0.53), (0.6, 0.56), "b0"),),
        bushes=(Bush("n", shore("n", 0.34, "CSS-E"), (0.68, 0.15), birds=((0.3, 0.15),)),),
        animal_radius=0.165,
        cell=(1, 0),
    ),
)
