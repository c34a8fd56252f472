// Box of a form that lets `tilesight learn` use a game's pictures. It is off at first.

import { h } from "./dom.js";
import { W } from "./words.js";

/** Return the box as a label; its `control` is the checkbox. */
export const labelsBox = () => h("label", { class: "labels-box" },
  h("input", { type: "checkbox", name: "keep-labels" }), h("span", {}, W.labels.keep, h("small", {}, W.labels.why)));
