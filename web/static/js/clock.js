// Clock: how long each player took for their turns, by the table's time. Each phone can show or hide it.

import { nowS } from "./server_time.js";
import { keep, recall } from "./store.js";

const STORE = "tilesight-clock";
const asked = new URLSearchParams(location.search).get("clock") === "1"; // a big screen has no settings

/** A switch for the settings. */
export const clock = {
  on: { shown: asked || recall(STORE) === "yes" },
  turn(what, on) {
    this.on[what] = on;
    keep(STORE, on ? "yes" : "no");
    showClocks();
  },
};

let now = null; // the displayed state

/** Show the times of a state in all elements with data-clock, and keep them running. */
export function showClocks(state = now) {
  now = state;
  for (const face of document.querySelectorAll("[data-clock]")) {
    const text = state?.clock && clock.on.shown ? timeOf(state, face.dataset.clock) : "";
    if (face.textContent !== text) face.textContent = text;
  }
}
setInterval(showClocks, 1000);

function timeOf({ clock: { spent_s: spent, since_s: since, until_s: until, longest_s: longest }, player }, color) {
  const thinking = since !== null && player === color ? Math.max(0, (until ?? nowS()) - since) : 0;
  const seconds = Math.floor((spent[color] ?? 0) + (thinking < longest ? thinking : 0));
  const [minutes, rest] = [Math.floor(seconds / 60), `${seconds % 60}`.padStart(2, "0")];
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${`${minutes % 60}`.padStart(2, "0")}:${rest}`;
}
