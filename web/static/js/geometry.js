// Cells, quarter turns and outlines. A cell is [x, y], x to the east, y to the south; one cell is SIZE units wide.

export const SIZE = 100;
const EDGES = ["n", "e", "s", "w"];
const STEPS = { n: [0, -1], e: [1, 0], s: [0, 1], w: [-1, 0] };
const OPPOSITE = { n: "s", e: "w", s: "n", w: "e" };

export const cellKey = ([x, y]) => `${x},${y}`;

/** Return the edge of the board at which a tile's own edge is, after the tile was rotated clockwise. */
export const turnEdge = (edge, rot) => EDGES[(EDGES.indexOf(edge) + rot / 90) % 4];

/** Return a point of a tile (0..1) in its cell, after the tile was rotated clockwise. */
export function turnPoint([u, v], rot) {
  for (let turns = (rot / 90) % 4; turns > 0; turns -= 1) [u, v] = [1 - v, u];
  return [u, v];
}

/** Return the outline around a set of cells as SVG path data, without the borders between them. */
export function outline(cells) {
  const inside = new Set(cells.map(cellKey));
  const next = new Map();
  const corners = { n: [[0, 0], [1, 0]], e: [[1, 0], [1, 1]], s: [[1, 1], [0, 1]], w: [[0, 1], [0, 0]] };
  for (const [x, y] of cells) {
    for (const edge of EDGES) {
      const [dx, dy] = STEPS[edge];
      if (inside.has(cellKey([x + dx, y + dy]))) continue;
      const [from, to] = corners[edge].map(([u, v]) => cellKey([x + u, y + v]));
      // Two borders start at a point where two corners of the set touch: keep both.
      next.set(from, [...(next.get(from) ?? []), to]);
    }
  }
  let data = "";
  while (next.size) {
    const start = next.keys().next().value;
    let at = start;
    const loop = [];
    do {
      loop.push(at);
      const ways = next.get(at);
      const to = ways.pop();
      if (!ways.length) next.delete(at);
      at = to;
    } while (at !== start && next.has(at));
    data += `M${loop.map((key) => key.split(",").map((n) => n * SIZE).join(" ")).join("L")}Z`;
  }
  return data;
}

/**
 * Return the parts of one feature on these cells as [{cell, rot, part, sides}]. They are found by following its edges
 * from `featureId` on the first cell. `laidAt` maps cell keys to laid tiles; faceOf(laid) returns the face.
 */
export function featureParts(laidAt, faceOf, cells, featureId) {
  const allowed = new Set(cells.map(cellKey));
  const found = new Map();
  const walk = (cell, id) => {
    const laid = laidAt.get(cellKey(cell));
    const part = laid && faceOf(laid)?.features.find((feature) => feature.id === id);
    const key = `${cellKey(cell)} ${id}`;
    if (!part || found.has(key) || !allowed.has(cellKey(cell))) return;
    found.set(key, { cell, rot: laid.rot, part, sides: faceOf(laid).sides ?? {} });
    for (const [own, names] of Object.entries(faceOf(laid).sides ?? {})) {
      const edge = turnEdge(own, laid.rot);
      const beyond = [cell[0] + STEPS[edge][0], cell[1] + STEPS[edge][1]];
      const other = laidAt.get(cellKey(beyond));
      // On the other side of the edge, features come in the opposite order.
      const facing = [...(other ? faceOf(other)?.sides?.[turnEdge(OPPOSITE[edge], 360 - other.rot)] ?? [] : [])].reverse();
      names.forEach((name, i) => {
        const meets = name === id && faceOf(other)?.features.find((feature) => feature.id === facing[i]);
        if (meets?.kind === part.kind) walk(beyond, meets.id);
      });
    }
  };
  if (cells.length && featureId) walk(cells[0], featureId);
  return [...found.values()];
}

const CLOCKWISE = { n: (t) => [t, 0], e: (t) => [1, t], s: (t) => [1 - t, 1], w: (t) => [0, 1 - t] };

/** Return the parts of features on these places ([{cell, feature}]), as `featureParts` does. */
export function partsOn(laidAt, faceOf, places) {
  return places.flatMap(({ cell, feature }) => {
    const laid = laidAt.get(cellKey(cell));
    const face = laid && faceOf(laid);
    const part = face?.features.find((one) => one.id === feature);
    return part ? [{ cell, rot: laid.rot, part, sides: face.sides ?? {} }] : [];
  });
}

/**
 * Return SVG path data of one part of a feature. If its face has neither an area nor a path, it runs from its spot to
 * its edges; if it reaches none, around its spot. `onto` converts a point of the cell (0..1) to the drawing; without
 * it, the drawing is the board.
 */
export function partPath({ cell, rot, part, sides }, onto = ([u, v]) => [(cell[0] + u) * SIZE, (cell[1] + v) * SIZE]) {
  const line = (points, closed) => `M${points.map((point) => onto(turnPoint(point, rot)).map((at) => at.toFixed(1)).join(" ")).join("L")}${closed ? "Z" : ""}`;
  if (part.region ?? part.path) return line(part.region ?? part.path, Boolean(part.region));
  const ends = Object.entries(sides).flatMap(([edge, names]) =>
    names.flatMap((name, i) => (name === part.id ? [CLOCKWISE[edge]((i + 0.5) / names.length)] : [])));
  return ends.length ? ends.map((end) => line([part.spot, end], false)).join("") : line(around(part.spot), true);
}

/** Return the corners of an octagon around a point of a tile. */
const around = ([u, v]) => Array.from({ length: 8 }, (_, i) => [u + 0.16 * Math.cos((i * Math.PI) / 4), v + 0.16 * Math.sin((i * Math.PI) / 4)]);

/** Return the function that converts points of a tile (0..1) to the picture where its corners (nw, ne, se, sw) are. */
export function ontoQuad([[x0, y0], [x1, y1], [x2, y2], [x3, y3]]) {
  // The homography of the unit square (Heckbert, Fundamentals of Texture Mapping, 1989, 2.2.3).
  const [dx1, dy1, dx2, dy2] = [x1 - x2, y1 - y2, x3 - x2, y3 - y2];
  const [sx, sy] = [x0 - x1 + x2 - x3, y0 - y1 + y2 - y3];
  const det = dx1 * dy2 - dx2 * dy1;
  const [g, h] = [(sx * dy2 - dx2 * sy) / det, (dx1 * sy - sx * dy1) / det];
  const [a, b, d, e] = [x1 - x0 + g * x1, x3 - x0 + h * x3, y1 - y0 + g * y1, y3 - y0 + h * y3];
  return ([u, v]) => {
    const w = g * u + h * v + 1;
    return [(a * u + b * v + x0) / w, (d * u + e * v + y0) / w];
  };
}

const NEAR = 0.12; // maximum distance of a tap from a path or a spot, in tile sides

/** Return the id of the feature at a point of a cell with a rotated face; null if there is none. */
export function featureAt(design, rot, point) {
  if (!design || !point) return null;
  const own = turnPoint(point, (360 - rot) % 360);
  const away = (feature) => (feature.path ? feature.path.slice(1).map((end, i) => toSegment(own, feature.path[i], end)) : [Math.hypot(own[0] - feature.spot[0], own[1] - feature.spot[1])]);
  const thin = design.features.filter((feature) => !feature.region).map((feature) => [Math.min(...away(feature)), feature.id]).sort((a, b) => a[0] - b[0]);
  if (thin.length && thin[0][0] <= NEAR) return thin[0][1];
  return design.features.find((feature) => feature.region && isInside(own, feature.region))?.id ?? null;
}

function toSegment([x, y], [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const along = Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}

function isInside([x, y], region) {
  let inside = false;
  region.forEach(([ax, ay], i) => {
    const [bx, by] = region.at(i - 1);
    if (ay > y !== by > y && x < ax + ((y - ay) * (bx - ax)) / (by - ay)) inside = !inside;
  });
  return inside;
}
