// Verdict on a camera's picture, with remedies; and the picture with its tiles outlined.

import { h, s } from "./dom.js";
import { W, list } from "./words.js";

/**
 * Return the sentences on a picture's framing: one if all is well, otherwise a description and a remedy for each
 * fault. With `turns` > 0 the game has begun, so the remedy for a missing board is not to lay it out.
 */
function verdict(framing, turns = 0) {
  const words = W.framing;
  const seen = framing.tiles ? words.sees(framing.tiles) : framing.board ? words.board : "";
  if (!framing.faults.length) return [words.good(seen)];
  return [seen && `${seen}.`, ...remedies(framing, turns)].filter(Boolean);
}

/** Return the remedies, one sentence per fault, the most important first. */
export function remedies(framing, turns = 0) {
  const words = W.framing;
  const remedy = {
    far: () => words.far(Math.round(framing.side_px), framing.wanted_px),
    glare: () => words.glare(words.places[framing.glare_at]),
    no_tiles: () => (turns ? words.outOfView : words.faults.no_tiles),
    cut_off: () => words.cutOff(list(framing.cut_off.map((edge) => words.edges[edge]))),
  };
  return framing.faults.map((fault) => remedy[fault]?.() ?? words.faults[fault]);
}

/** Element with the verdict. Changes are announced to screen readers. */
export class Verdict {
  constructor() {
    this.element = h("div", { class: "verdict", role: "status" });
    this.told = "";
  }

  show(framing, turns = 0) {
    const told = framing ? verdict(framing, turns) : [];
    if (told.join() === this.told) return;
    this.told = told.join();
    this.element.dataset.good = Boolean(framing && !framing.faults.length);
    this.element.replaceChildren(...told.map((line) => h("p", {}, line)));
  }

  say(text) {
    this.told = text;
    this.element.dataset.good = "";
    this.element.replaceChildren(...(text ? [h("p", {}, text)] : []));
  }
}

/** Return outlines of the tiles and dots for the pieces of a picture, as SVG elements to draw over it. */
export const outlines = (picture) => [
  ...picture.tiles.map((tile) => s("polygon", { class: tile.read ? "framed" : "framed framed-unread", points: tile.corners_px.map((point) => point.join(",")).join(" ") })),
  ...picture.pieces.map(({ point_px: [cx, cy] }) => s("circle", { class: "framed-piece", cx, cy, r: picture.size_wh[0] / 90 })),
];

/** Return the picture at `address` with its tiles outlined. */
export function framedPicture(picture, address) {
  const [width, height] = picture.size_wh;
  return s("svg", { class: "framed-picture", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": W.camera.picture(picture.tiles.length) },
    s("image", { href: address, width, height }), ...outlines(picture));
}
