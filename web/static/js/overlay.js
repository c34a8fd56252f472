// Look of a stream's overlay, taken from the page's address (?layout=, ?theme=).

import { inTheme } from "./night.js";

export const LAYOUTS = ["bar", "board", "card"];
export const THEMES = ["dark", "light", "clear"];

/** Whether this page is an overlay. */
export const isOverlay = document.body.dataset.screen === "overlay";

/** Apply layout and theme. The first of each list is used where the address names none. */
export function takeLook() {
  const asked = new URLSearchParams(location.search);
  const [layout, theme] = [["layout", LAYOUTS], ["theme", THEMES]].map(([name, known]) => (known.includes(asked.get(name)) ? asked.get(name) : known[0]));
  Object.assign(document.body.dataset, { layout, theme });
  inTheme(document, theme === "light" ? "light" : "dark");
}

/** Whether this page draws the board. */
export const showsBoard = () => !isOverlay || document.body.dataset.layout === "board";
