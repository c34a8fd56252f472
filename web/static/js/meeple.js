// Shapes of the pieces. Each colour has its own mark on the chest, so that players need not tell colours apart.

import { s } from "./dom.js";

const BODY =
  "M12 1.5c-2.5 0-4.1 1.7-4.1 3.9 0 1 .3 1.8.8 2.5C6 8.8 2 10.3 1.2 12c-.5 1 .1 2.1 1.2 2.1h4.5c-.4 2.2-1.9 4.5-3.3 6.7-.6 1 .1 1.9 1.1 1.9h4.6c.6 0 1.1-.3 1.4-.8L12 19.4l1.3 2.5c.3.5.8.8 1.4.8h4.6c1 0 1.7-.9 1.1-1.9-1.4-2.2-2.9-4.5-3.3-6.7h4.5c1.1 0 1.7-1.1 1.2-2.1-.8-1.7-4.8-3.2-7.5-4.1.5-.7.8-1.5.8-2.5 0-2.2-1.6-3.9-4.1-3.9z";

const HUT = "M12 2.2 22.6 11.4c.7.6.3 1.6-.6 1.6h-1.6v8.2c0 .8-.5 1.3-1.3 1.3H4.9c-.8 0-1.3-.5-1.3-1.3V13H2c-.9 0-1.3-1-.6-1.6z";
const DISC = "M12 3a9 9 0 1 1 0 18a9 9 0 1 1 0-18z";
const BODIES = { meeple: BODY, hut: HUT, other: DISC };
const MARK_DOWN = { hut: 3 }; // offset of the mark, relative to that on a meeple's chest

const MARKS = {
  red: "M12 9.4l2.9 5H9.1z",
  blue: "M12 9.6a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z",
  yellow: "M9.7 9.9h4.6v4.5H9.7z",
  green: "M12 9l2.9 3.2-2.9 3.2-2.9-3.2z",
  black: "M11.1 9.4h1.8v1.8h1.8V13h-1.8v1.8h-1.8V13H9.3v-1.8h1.8z",
  violet: "M9.2 10.2h5.6v1.5H9.2zM9.2 12.9h5.6v1.5H9.2z",
};

// An open safari car from the side: body, canopy on posts, spare wheel at the back, two zebra stripes.
const CAR = "M2.6 10.6h12.2l1.4.5h4c1.2 0 1.9.7 1.9 1.8v3.9H2.6z";
const CANOPY = "M3.6 4.2h11.2c.6 0 .9.4.9.8s-.3.8-.9.8H3.6c-.6 0-.9-.4-.9-.8s.3-.8.9-.8z";
const POSTS = "M4.3 5.8v5M9.4 5.8v5M14 5.8l1.8 5";
const STRIPES = "M9 11l-1.4 5.5M11.6 11l-1.4 5.5M14.2 11l-1.4 5.5";

/** Return a meeple as an inline picture for text; `title` is its accessible name. */
export const meepleIcon = (color, about) => pieceIcon("meeple", color, about);

/** Return a piece of this kind as an inline picture for text. */
export function pieceIcon(kind, color, { title } = {}) {
  const icon = s("svg", { class: `meeple ink-${color}`, viewBox: "0 0 24 24", "aria-hidden": title ? null : "true", role: title ? "img" : null });
  if (title) icon.append(s("title", {}, title));
  icon.append(...pieceShape(kind, color));
  return icon;
}

/** Return the shapes of a piece in a 24 x 24 box. */
export function pieceShape(kind, color) {
  const shapes = [s("path", { class: "meeple-body", d: BODIES[kind] ?? BODY })];
  if (MARKS[color]) shapes.push(s("path", { class: "meeple-mark", d: MARKS[color], transform: MARK_DOWN[kind] ? `translate(0 ${MARK_DOWN[kind]})` : null }));
  return shapes;
}

/** Return the dark outline that keeps a piece visible on any art. */
export const pieceRim = (kind) => s("path", { class: "piece-outline", d: BODIES[kind] ?? BODY });

/** Return a ranger's jeep in a 24 x 24 box. */
export function jeepShape() {
  const wheel = (x) => [
    s("circle", { class: "jeep-wheel", cx: x, cy: 17.2, r: 3.1 }),
    s("circle", { class: "jeep-hub", cx: x, cy: 17.2, r: 1.2 }),
  ];
  return [
    s("path", { class: "piece-outline jeep-rim", d: `${CAR}${CANOPY}` }),
    s("rect", { class: "jeep-wheel", x: 1, y: 10.2, width: 2, height: 5, rx: 1 }),
    s("path", { class: "jeep-post", d: POSTS }),
    s("path", { class: "jeep-body", d: CAR }),
    s("path", { class: "jeep-stripe", d: STRIPES }),
    s("path", { class: "jeep-canopy", d: CANOPY }),
    s("circle", { class: "jeep-lamp", cx: 20.8, cy: 12.9, r: 0.9 }),
    ...wheel(6.4),
    ...wheel(17.6),
  ];
}
