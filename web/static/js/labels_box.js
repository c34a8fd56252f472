// Boxes of a form, off at first: whether `tilesight learn` may use a game's pictures, and whether the players have discs.

import { h } from "./dom.js";
import { W } from "./words.js";

const box = (name, words, why) => h("label", { class: "labels-box" },
  h("input", { type: "checkbox", name }), h("span", {}, words, h("small", {}, why)));

/** Return the box as a label; its `control` is the checkbox. */
export const labelsBox = () => box("keep-labels", W.labels.keep, W.labels.why);

/** Return the box for players who have discs or the like for meeples. */
export const discsBox = () => box("discs", W.labels.discs, W.labels.discsWhy);
