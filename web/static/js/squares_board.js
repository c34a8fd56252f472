// Board of squares: its landscape, the figures with their directions, and the path of each figure's move.

import { inSize } from "./art.js";
import { s } from "./dom.js";
import { pieceShape } from "./meeple.js";
import { W, animalName } from "./words.js";

const TURN = { n: 0, e: 90, s: 180, w: 270 };
const AHEAD = { n: [0, -1], e: [1, 0], s: [0, 1], w: [-1, 0] };
const MARGIN = 0.55;

/** Return column and row of a square, from the north-west, counted from 0. */
export const placeOf = (cell, across) => [cell.charCodeAt(0) - 97, across - Number(cell.slice(1))];
const squareName = (column, row, across) => String.fromCharCode(97 + column) + (across - row);
const middle = (cell, across) => placeOf(cell, across).map((at) => at + 0.5);

/** Return a figure in words: "lion on b2, looking north". */
export function figureWords(figure, names) {
  return figure.facing
    ? W.squares.standsLooking(animalName(figure.name), figure.cell, W.squares.sides[figure.facing])
    : W.squares.stands(W.squares.cameraOf(names[figure.name] ?? figure.name), figure.cell);
}

/**
 * Return the board as SVG. `parts` are its pictures, `figures` the pieces on it, `guide` the moves to draw as arrows,
 * `wrong` the squares with a ring, `lit` the highlighted squares. onSquare(cell), if given, is called for a tap on
 * any square.
 */
export function squaresBoard({ terrain, parts = [], figures, art, names, guide = [], wrong = [], lit = [], last = [], label, onSquare }) {
  const across = terrain.length;
  const box = `${-MARGIN} ${-MARGIN} ${across + 2 * MARGIN} ${across + 2 * MARGIN}`;
  const first = guide.findIndex((step) => !step.done);
  return s("svg", { class: parts.length ? "squares painted" : "squares", viewBox: box, preserveAspectRatio: "xMidYMin meet", role: onSquare ? "group" : "img", "aria-label": label ?? W.squares.label(figures.filter((one) => one.facing).length) },
    s("defs", {}, s("marker", { id: "way-tip", viewBox: "0 0 10 10", refX: 6, refY: 5, markerWidth: 3.2, markerHeight: 3.2, orient: "auto" }, s("path", { class: "way-tip", d: "M0 0L10 5L0 10z" }))),
    ...parts.map(part),
    ...terrain.flatMap((row, y) => [...row].flatMap((kind, x) => square(kind, x, y, parts.length > 0))),
    ...terrain.flatMap((_, i) => [
      s("text", { class: "square-name", x: i + 0.5, y: across + 0.36 }, String.fromCharCode(97 + i)),
      s("text", { class: "square-name", x: -0.28, y: i + 0.61 }, `${across - i}`),
    ]),
    ...last.map((cell) => mark("square-last", cell, across)),
    ...lit.map((cell) => mark("square-lit", cell, across)),
    ...[...figures].sort((a, b) => Number(!!b.facing) - Number(!!a.facing)).map((one) => figure(one, across, art, names)),
    ...guide.flatMap((step, i) => (step.done ? [] : way(step, across, i === first))),
    ...wrong.map((cell) => {
      const [cx, cy] = middle(cell, across);
      return s("circle", { class: "square-wrong", cx, cy, r: 0.53 });
    }),
    ...(onSquare ? terrain.flatMap((row, y) => [...row].map((_, x) => touch(squareName(x, y, across), x, y, figures, names, onSquare))) : []));
}

function part({ art, at: [x, y], side, rot }) {
  const middle = side / 2;
  return s("image", { href: inSize(art, "medium"), x, y, width: side, height: side, transform: `rotate(${rot} ${x + middle} ${y + middle})` });
}

function square(kind, x, y, painted) {
  const drawn = [s("rect", { class: "square", "data-kind": kind, x, y, width: 1, height: 1 })];
  if (painted) return drawn;
  if (kind === "F") drawn.push(s("path", { class: "square-trees", d: `M${x + 0.3} ${y + 0.2}l.2.4h-.4zM${x + 0.68} ${y + 0.42}l.2.4h-.4z` }));
  if (kind === "L") drawn.push(s("path", { class: "square-waves", d: `M${x + 0.2} ${y + 0.4}q.15-.14.3 0t.3 0M${x + 0.2} ${y + 0.62}q.15-.14.3 0t.3 0` }));
  return drawn;
}

function mark(name, cell, across) {
  const [x, y] = placeOf(cell, across);
  return s("rect", { class: name, x: x + 0.04, y: y + 0.04, width: 0.92, height: 0.92, rx: 0.08 });
}

function figure(one, across, art, names) {
  const [x, y] = middle(one.cell, across);
  const title = s("title", {}, figureWords(one, names));
  if (!one.facing) {
    return s("g", { class: `figure pawn ink-${one.name}`, "data-name": one.name, "data-cell": one.cell, transform: `translate(${x} ${y})` }, title,
      s("circle", { class: "pawn-ring", r: 0.4 }), s("g", { transform: "translate(-.33 -.35) scale(.0275)" }, ...pieceShape("meeple", one.name)));
  }
  const href = art[one.name];
  return s("g", { class: "figure", "data-name": one.name, "data-cell": one.cell, "data-facing": one.facing, transform: `translate(${x} ${y})` }, title,
    s("g", { transform: `rotate(${TURN[one.facing]})` },
      href ? s("image", { href: inSize(href, "small"), x: -0.42, y: -0.42, width: 0.84, height: 0.84 }) : s("path", { class: "figure-plain", d: "M0-.42L.4-.1V.42H-.4V-.1z" })),
    href ? null : s("text", { class: "square-name", y: 0.2 }, animalName(one.name).slice(0, 3)));
}

/** Return the arrow of one move: to the next square, or around if the figure only turns, with its new direction. */
function way({ from, to }, across, now) {
  const [x, y] = middle(from.cell, across);
  const [u, v] = middle(to.cell, across);
  const [dx, dy] = AHEAD[to.facing];
  const nose = `M${u + dx * 0.47 - dy * 0.16} ${v + dy * 0.47 + dx * 0.16}L${u + dx * 0.62} ${v + dy * 0.62}L${u + dx * 0.47 + dy * 0.16} ${v + dy * 0.47 - dx * 0.16}z`;
  const line = from.cell === to.cell
    ? s("circle", { class: "way-turn", cx: x, cy: y, r: 0.47, "stroke-dasharray": "2.2 .75", transform: `rotate(${TURN[to.facing] - 70} ${x} ${y})` })
    : s("line", { class: "way-line", x1: x, y1: y, x2: u - (u - x) * 0.14, y2: v - (v - y) * 0.14, "marker-end": "url(#way-tip)" });
  return [s("g", { class: "way", "data-now": now ? "true" : "false", "data-name": to.name }, line, s("path", { class: "way-nose", d: nose }))];
}

function touch(cell, x, y, figures, names, onSquare) {
  const here = figures.filter((one) => one.cell === cell).map((one) => figureWords(one, names));
  const key = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onSquare(cell);
  };
  return s("rect", { class: "square-touch", x, y, width: 1, height: 1, role: "button", tabindex: 0, "data-square": cell, "aria-label": here.length ? here.join(", ") : cell, onclick: () => onSquare(cell), onkeydown: key });
}
