// Drawing of one tile: the pack's art, or a drawing from the geometry.

import { artFor, inSize } from "./art.js";
import { s } from "./dom.js";
import { SIZE } from "./geometry.js";

const points = (list, closed) => `M${list.map(([u, v]) => `${u * SIZE} ${v * SIZE}`).join("L")}${closed ? "Z" : ""}`;
const MIDDLE = { n: [0.5, 0], e: [1, 0.5], s: [0.5, 1], w: [0, 0.5] };

const THUMB_PX = 52;

/** Return the SVG group of a tile on its cell. `design` may be unknown; `size` is a size from `sizeFor`. */
export function tileGroup(laid, design, label, size = "") {
  const [x, y] = laid.cell;
  const face = s("g", { transform: `rotate(${laid.rot} ${SIZE / 2} ${SIZE / 2})` });
  if (design?.art) {
    face.append(
      s("rect", { class: "tile-under", width: SIZE, height: SIZE, rx: 3 }),
      s("image", { class: "tile-art", "data-art": design.art, href: inSize(design.art, size), width: SIZE, height: SIZE, preserveAspectRatio: "none" }),
    );
  } else {
    // A nested SVG clips what reaches over the tile's border.
    face.append(s("svg", { width: SIZE, height: SIZE }, ...drawing(design, laid.rot)));
  }
  return s(
    "g",
    { class: "tile", transform: `translate(${x * SIZE} ${y * SIZE})` },
    s("title", {}, label),
    s("g", { class: "body" },
      s("rect", { class: "tile-shadow", x: 1.5, y: 3, width: SIZE, height: SIZE, rx: 4 }),
      face,
      s("rect", { class: "tile-edge", x: 0.4, y: 0.4, width: SIZE - 0.8, height: SIZE - 0.8, rx: 3 })),
  );
}

/** Return a small rotated picture of a face, with a dot at `point`, which is in the face's own frame of reference. */
export function tileThumb(tile, design, rot, point) {
  const face = design?.art
    ? [s("image", { href: artFor(design.art, THUMB_PX), width: SIZE, height: SIZE, preserveAspectRatio: "none" })]
    : design ? drawing(design, rot) : [s("text", { class: "land-word", x: SIZE / 2, y: SIZE / 2 }, tile)];
  const dot = point ? [s("circle", { class: "thumb-dot", cx: point[0] * SIZE, cy: point[1] * SIZE, r: 13 })] : [];
  return s("svg", { class: "thumb", viewBox: `0 0 ${SIZE} ${SIZE}`, "aria-hidden": "true" }, s("g", { transform: `rotate(${rot} ${SIZE / 2} ${SIZE / 2})` }, ...face, ...dot));
}

function drawing(design, rot) {
  const shapes = [s("rect", { class: "land", width: SIZE, height: SIZE, rx: 3 })];
  const words = [];
  for (const feature of design?.features ?? []) {
    const [u, v] = feature.spot;
    const draw = { bush: bush, trail: trail, baobab: baobab }[feature.kind];
    if (design.foreign) shapes.push(...described(feature));
    else if (draw) shapes.push(...draw(feature));
    const said = [...feature.animals.map((animal) => animal.slice(0, 3)), feature.birds ? `${feature.birds} b.` : ""].join(" ").trim();
    if (said) words.push(s("g", { transform: `translate(${u * SIZE} ${v * SIZE}) rotate(${-rot})` }, s("text", { class: "land-word upright", y: 3 }, said)));
  }
  if (design?.foreign) words.push(...unknownEdges(design, rot));
  return [...shapes, ...words];
}

const WAYS = { road: "way-road", trail: "way-road", river: "way-river", meeting: "way-end" };
const CORNERS = { n: [[0, 0], [1, 0]], e: [[1, 0], [1, 1]], s: [[1, 1], [0, 1]], w: [[0, 1], [0, 0]] };

/** Return the drawing of a foreign tile's feature. Only its edges are known, so paths and areas run to its spot. */
function described({ kind, edges, spot }) {
  if (!edges.length) return kind === "meeting" ? [] : [s("circle", { class: `point-${kind}`, cx: spot[0] * SIZE, cy: spot[1] * SIZE, r: 14 })];
  if (kind === "meeting") return [s("circle", { class: "way-end", cx: SIZE / 2, cy: SIZE / 2, r: 9 }), ...edges.map((edge) => s("path", { class: "way-meets", d: points([MIDDLE[edge], spot], false) }))];
  if (WAYS[kind]) return edges.map((edge) => s("path", { class: WAYS[kind], d: points([MIDDLE[edge], edges.length > 1 ? [0.5, 0.5] : spot], false) }));
  const inner = edges.length > 1 ? [0.5, 0.5] : spot;
  return ["city", "forest", "bush"].includes(kind) ? edges.map((edge) => s("path", { class: `area-${kind}`, d: points([...CORNERS[edge], inner], true) })) : [];
}

/** Return question marks on the edges of which nothing is known. */
function unknownEdges({ edges }, rot) {
  return Object.entries(edges).filter(([, kind]) => kind === "?").map(([edge]) => {
    const [u, v] = MIDDLE[edge].map((at) => 0.5 + (at - 0.5) * 0.74);
    return s("g", { transform: `translate(${u * SIZE} ${v * SIZE}) rotate(${-rot})` }, s("text", { class: "land-word unknown upright", y: 6 }, "?"));
  });
}

function bush(feature) {
  const region = feature.region ?? [...feature.edges.map((edge) => MIDDLE[edge]), feature.spot];
  return [s("path", { class: "land-bush", d: points(region, true) })];
}

function trail(feature) {
  const along = feature.path ?? [MIDDLE[feature.edges[0]], feature.spot, ...feature.edges.slice(1).map((edge) => MIDDLE[edge])];
  const d = points(along, false);
  return [s("path", { class: "land-trail-edge", d }), s("path", { class: "land-trail", d })];
}

function baobab(feature) {
  return [s("circle", { class: "land-baobab", cx: feature.spot[0] * SIZE, cy: feature.spot[1] * SIZE, r: 15 })];
}
