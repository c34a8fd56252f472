// Whether this phone shows the points of features that are a surprise of the final scoring.

import { keep, recall } from "./store.js";

const STORE = "tilesight-worth";

/** A switch for the settings. */
export const worth = {
  on: { ends: recall(STORE) === "yes" },
  turn(what, on) {
    this.on[what] = on;
    keep(STORE, on ? "yes" : "no");
  },
};
