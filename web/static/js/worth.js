// Whether this phone shows the points of features that are a surprise of the final scoring.

const STORE = "tilesight-worth";

/** A switch for the settings. */
export const worth = {
  on: { ends: localStorage.getItem(STORE) === "yes" },
  turn(what, on) {
    this.on[what] = on;
    localStorage.setItem(STORE, on ? "yes" : "no");
  },
};
