// Schematic drawing of a tile: what is on it, its paths, and what is connected. For designs without art of ours.

import { s } from "./dom.js";

const ORDER = ["n", "e", "s", "w"];
const GROUND = { grassland: "#b6c95f", savanna: "#dcc17a" };
const FIELD = "#9cc45b";
const AREAS = { city: ["#c98a4b", "#4d2c12"], forest: ["#3f7440", "#1d3d20"], bush: ["#5f8a42", "#2c4a1c"] };
const WAYS = { road: ["#fbf3dd", "#6d5b3c", 11], trail: ["#c1874c", "#6b431c", 11], river: ["#4c9bd1", "#1f5f8f", 15] };

// Areas on one edge, two adjacent ones (north and east), two opposite ones (north and south), or three (all but
// south), each with its inner border, which is drawn as a wall.
const SHAPES = {
  one: ["M0 0H100C84 34 16 34 0 0Z", "M0 0C16 34 84 34 100 0"],
  corner: ["M0 0H100V100C84 60 40 16 0 0Z", "M100 100C84 60 40 16 0 0"],
  band: ["M0 0H100C80 30 80 70 100 100H0C20 70 20 30 0 0Z", "M100 0C80 30 80 70 100 100M0 0C20 30 20 70 0 100"],
  three: ["M0 0H100V100C84 66 16 66 0 100Z", "M100 100C84 66 16 66 0 100"],
  all: ["M0 0H100V100H0Z", ""],
};

/** Return the shape of an area on these edges, and its rotation. */
function areaShape(edges) {
  const at = edges.map((edge) => ORDER.indexOf(edge)).sort();
  if (at.length === 1) return ["one", 90 * at[0]];
  if (at.length === 4) return ["all", 0];
  if (at.length === 3) return ["three", 90 * ((6 - at.reduce((sum, one) => sum + one) + 2) % 4)];
  if ((at[1] - at[0]) === 2) return ["band", 90 * at[0]];
  return ["corner", 90 * (at[1] - at[0] === 3 ? 3 : at[0])];
}

function area({ kind, edges, spot, marks = {} }) {
  const [fill, wall] = AREAS[kind];
  if (!edges.length) return [s("circle", { cx: 100 * spot[0], cy: 100 * spot[1], r: 17, fill, stroke: wall, "stroke-width": 4 })];
  const [name, turn] = areaShape(edges);
  const [inside, border] = SHAPES[name];
  const shape = s("g", { transform: `rotate(${turn} 50 50)` }, s("path", { d: inside, fill }), s("path", { d: border, fill: "none", stroke: wall, "stroke-width": 5 }));
  return [shape, ...(marks.pennants ? [pennant(middleOf(edges))] : [])];
}

/** Return a position for a mark well inside an area. */
function middleOf(edges) {
  if (edges.length !== 1 && edges.length !== 3 && !(edges.length === 2 && beside(edges))) return [50, 50];
  const way = { n: [0, -1], e: [1, 0], s: [0, 1], w: [-1, 0] };
  const reach = edges.length === 1 ? 38 : edges.length === 2 ? 26 : 12;
  return [0, 1].map((i) => 50 + reach * edges.reduce((sum, edge) => sum + way[edge][i], 0));
}

const beside = ([one, other]) => (ORDER.indexOf(other) - ORDER.indexOf(one) + 4) % 4 !== 2;

/** Return a pennant: this part of the city counts twice. */
function pennant([x, y]) {
  return s("g", { class: "schema-pennant", transform: `translate(${x} ${y})` },
    s("path", { d: "M-10 -11H10V0C10 8 4 11 0 13C-4 11 -10 8 -10 0Z", fill: "#2d5fb0", stroke: "#fff", "stroke-width": 2.5 }),
    s("path", { d: "M-2.5 -7H2.5V-2.5H7V2.5H2.5V8H-2.5V2.5H-7V-2.5H-2.5Z", fill: "#fff" }));
}

const IN = (edge, reach) => ({ n: [50, 50 - reach], e: [50 + reach, 50], s: [50, 50 + reach], w: [50 - reach, 50] })[edge];

/** Return a path between edges, or from one edge to its end. */
function way({ kind, edges, ends_in: ends, spot }, design) {
  const [fill, rim, width] = WAYS[kind];
  const lake = kind === "river" && design.features.find((one) => one.kind === "lake");
  const from = (edge) => IN(edge, 52).join(" ");
  let d;
  if (edges.length === 2) d = `M${from(edges[0])}Q50 50 ${from(edges[1])}`;
  else if (lake) d = edges.map((edge) => `M${from(edge)}L${lakeAt(lake).join(" ")}`).join("");
  else if (edges.length === 1) d = `M${from(edges[0])}L${IN(edges[0], ends === "city" ? 18 : ends === "monastery" ? 14 : kind === "river" && !ends ? 0 : 4).join(" ")}`;
  else d = edges.map((edge) => `M${from(edge)}L50 50`).join("") || `M${100 * spot[0] - 8} ${100 * spot[1]}h16`;
  const line = (stroke, size) => s("path", { d, fill: "none", stroke, "stroke-width": size, "stroke-linecap": "round" });
  return [line(rim, width + 5), line(fill, width)];
}

const lakeAt = ({ spot }) => spot.map((at) => 50 + (100 * at - 50) * 0.4);

const LAND = {
  monastery: () => s("g", { class: "schema-monastery", transform: "translate(50 49)", stroke: "#3c1d10", "stroke-width": 2.5, "stroke-linejoin": "round" },
    s("path", { d: "M-20 20V-2L0 -18L20 -2V20Z", fill: "#f2e2c4" }), s("path", { d: "M-24 0L0 -20L24 0", fill: "none", stroke: "#a5382a", "stroke-width": 6 }),
    s("path", { d: "M-5 20V8H5V20", fill: "#6b3b1c" }), s("path", { d: "M0 -20V-34M-5 -29H5", fill: "none", "stroke-width": 3.5 })),
  lake: (feature) => s("ellipse", { class: "schema-lake", cx: lakeAt(feature)[0], cy: lakeAt(feature)[1], rx: 21, ry: 17, fill: WAYS.river[0], stroke: WAYS.river[1], "stroke-width": 2.5 }),
  baobab: ({ spot }) => s("g", { transform: `translate(${100 * spot[0]} ${100 * spot[1]})`, stroke: "#3a2410", "stroke-width": 2 }, s("path", { d: "M-4 14V0H4V14Z", fill: "#7a5230" }), s("circle", { cy: -6, r: 12, fill: "#5d7a38" })),
};

/** Return fish and menhirs, small, beside the centre of their feature. */
function marksOf({ kind, marks = {}, spot }) {
  const [x, y] = kind === "lake" ? lakeAt({ spot }) : spot.map((at) => 100 * at);
  const fish = Array.from({ length: marks.fish ?? 0 }, (_, i) => s("g", { transform: `translate(${x - 7 * (marks.fish - 1) + 14 * i} ${y})`, fill: "#fff", stroke: "#123b58", "stroke-width": 1.2 },
    s("path", { d: "M-6 0C-3 -5 3 -5 6 0C3 5 -3 5 -6 0ZM-6 0L-9.5 -3.5V3.5Z" })));
  const menhir = marks.menhir ? [s("path", { transform: `translate(${x} ${y})`, d: "M-7 13C-9 -4 -4 -15 2 -14C8 -12 8 2 7 13Z", fill: "#cfcac0", stroke: "#3d3a35", "stroke-width": 2.2 })] : [];
  return [...fish, ...menhir];
}

/** Return a small square at the place where several roads end. */
function crossing(features) {
  const meeting = features.filter((one) => one.kind === "road" && one.ends_in === "crossing").length > 1;
  return meeting ? [s("rect", { class: "schema-crossing", x: 41, y: 41, width: 18, height: 18, rx: 3, fill: "#8d6f47", stroke: "#4a3720", "stroke-width": 2.5 })] : [];
}

/**
 * Return the drawing of a design ({edges, features: [{kind, edges, spot, ends_in, marks, says}]}). words(feature)
 * returns the labels of a feature.
 */
export function schematic(design, words = () => []) {
  const { features } = design;
  const ground = Object.values(design.edges).find((kind) => GROUND[kind]) ?? features.find((one) => GROUND[one.kind])?.kind;
  const of = (kinds) => features.filter(({ kind }) => kind in kinds);
  const texts = features.flatMap((feature) => words(feature).map((text, row) => s("text", {
    x: Math.min(Math.max(100 * feature.spot[0], 26), 74), y: Math.min(Math.max(100 * feature.spot[1] + 4, 13), 93) + 13 * row, "text-anchor": "middle",
    "font-size": 13, "font-weight": 700, fill: "#1c140b", stroke: "#fff", "stroke-width": 3, "paint-order": "stroke",
  }, text)));
  return s("svg", { class: "schema", viewBox: "0 0 100 100", "aria-hidden": "true" },
    s("rect", { width: 100, height: 100, fill: GROUND[ground] ?? FIELD }),
    ...of(AREAS).flatMap(area), ...of(WAYS).sort((a, b) => (a.kind === "river" ? 0 : 1) - (b.kind === "river" ? 0 : 1)).flatMap((one) => way(one, design)),
    ...crossing(features), ...of(LAND).map((one) => LAND[one.kind](one)), ...features.flatMap(marksOf), ...texts);
}
