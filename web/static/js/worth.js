// Whether this phone shows the worth of features that are a surprise of the final scoring.

const STORE = "tilesight-worth";

/** A switch as the settings have them. */
export const worth = {
  on: { ends: localStorage.getItem(STORE) === "yes" },
  turn(what, on) {
    this.on[what] = on;
    localStorage.setItem(STORE, on ? "yes" : "no");
  },
};
