// Small board on which one of several places is tapped.

import { h, s } from "./dom.js";
import { SIZE } from "./geometry.js";
import { tileGroup } from "./tile_drawing.js";
import { quarterTurns, spin, spinCell } from "./turned.js";
import { designOf, tileName } from "./words.js";

const MARGIN = 0.35; // around the board, in tiles

/**
 * Return the board of `state` with a dot for each of `places` ([{at: [x, y] in cells, label}]). onPick(place) is
 * called for a tap.
 */
export function pickMap(state, pack, places, onPick) {
  const shown = [...state.board.map((laid) => spinCell(laid.cell).map((n) => n + 0.5)), ...places.map(({ at }) => spin(at))];
  const [xs, ys] = [0, 1].map((i) => shown.map((point) => point[i]));
  const [left, top] = [Math.min(...xs) - 0.5 - MARGIN, Math.min(...ys) - 0.5 - MARGIN];
  const [width, height] = [Math.max(...xs) + 0.5 + MARGIN - left, Math.max(...ys) + 0.5 + MARGIN - top];
  const tiles = state.board.map((laid) => tileGroup(laid, designOf(pack, laid), tileName(designOf(pack, laid))));
  const dots = places.map((place) => {
    const pick = () => onPick(place);
    const key = (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      pick();
    };
    const [x, y] = spin(place.at);
    return s("g", { class: "pick-dot", role: "button", tabindex: 0, "aria-label": place.label, transform: `translate(${x * SIZE} ${y * SIZE})`, onclick: pick, onkeydown: key },
      s("circle", { class: "pick-reach", r: 34 }), s("circle", { class: "pick-mark", r: 17 }));
  });
  return h("div", { class: "pick-map" },
    s("svg", { viewBox: `${left * SIZE} ${top * SIZE} ${width * SIZE} ${height * SIZE}`, style: `min-width: ${width * 38}px` },
      s("g", { class: "pick-board", transform: `rotate(${90 * quarterTurns()})` }, ...tiles), ...dots));
}
