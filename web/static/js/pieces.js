// Pieces on the board: standing and lying meeples, huts, rangers in their jeeps, animal tokens.

import { inSize } from "./art.js";
import { s } from "./dom.js";
import { SIZE } from "./geometry.js";
import { jeepShape, pieceRim, pieceShape } from "./meeple.js";

const MEEPLE = 36; // of a tile's 100 units; on a real table about 35
const HUT = 30;
const JEEP = 56;
const TOKEN = 30;

/** Return a key that identifies a piece across states. */
export const pieceKey = (piece) =>
  [piece.kind, piece.color, piece.cell, piece.feature, piece.corner, piece.animal, piece.pose].join(" ");

/** Return the SVG group of a piece. `tokens` maps animals to their art; `label` is its accessible name. */
export function pieceGroup(piece, tokens, label) {
  const [x, y] = piece.at.map((n) => n * SIZE);
  const shape = { ranger, token, hut }[piece.kind] ?? meeple;
  return s(
    "g",
    { class: `piece piece-${piece.kind} ink-${piece.color ?? "white"}`, transform: `translate(${x} ${y})` },
    s("title", {}, label),
    s("g", { class: "body" }, ...shape(piece, tokens)),
  );
}

function meeple(piece) {
  const lying = piece.pose === "lying";
  // A standing piece has its feet a little south of the spot, so that it looks upright.
  const place = lying ? `rotate(90) scale(${MEEPLE / 24}) translate(-12 -12)` : `scale(${MEEPLE / 24}) translate(-12 -17)`;
  return [
    s("g", { class: "piece-size" },
      s("ellipse", { class: "piece-shadow", cx: lying ? 2 : 3, cy: lying ? 3 : 6, rx: lying ? MEEPLE * 0.5 : MEEPLE * 0.4, ry: lying ? MEEPLE * 0.4 : MEEPLE * 0.16 }),
      s("g", { transform: place }, pieceRim("meeple"), ...pieceShape("meeple", piece.color))),
  ];
}

function hut(piece) {
  return [
    s("g", { class: "piece-size" },
      s("ellipse", { class: "piece-shadow", cx: 3, cy: HUT * 0.36, rx: HUT * 0.5, ry: HUT * 0.18 }),
      s("g", { transform: `scale(${HUT / 24}) translate(-12 -14)` }, pieceRim("hut"), ...pieceShape("hut", piece.color))),
  ];
}

function ranger() {
  return [
    s("rect", { class: "camp", x: -SIZE * 0.44, y: -SIZE * 0.44, width: SIZE * 0.88, height: SIZE * 0.88, rx: 12 }),
    s("g", { class: "piece-size" },
      s("ellipse", { class: "piece-shadow", cx: 2, cy: JEEP * 0.36, rx: JEEP * 0.46, ry: JEEP * 0.12 }),
      s("g", { transform: `scale(${JEEP / 24}) translate(-12 -12)` }, ...jeepShape())),
  ];
}

function token(piece, tokens) {
  const half = TOKEN / 2;
  const art = tokens[piece.animal];
  if (art) return [s("circle", { class: "token-disc", r: half + 1.5 }), s("image", { class: "upright", href: inSize(art, "small"), x: -half, y: -half, width: TOKEN, height: TOKEN })];
  return [s("circle", { class: "token-disc", r: half }), s("text", { class: "token-word upright", y: 2.5 }, piece.animal ?? "?")];
}
