// Sheet on the position in which the camera found a game under way: players enter the parts that no camera sees.

import { h } from "./dom.js";
import { meepleIcon } from "./meeple.js";
import { openSheet } from "./sheet.js";
import { W } from "./words.js";

/** Open the sheet for `state.opening`. onCorrect(body) sends the entries. */
export function openOpening({ state, pack, onCorrect }) {
  const { opening, players } = state;
  const tokens = Object.keys(pack.tokens).length > 0;
  const rows = players.map((player) => row(player, opening, tokens));
  const begin = h("button", { type: "submit", class: "plain save" }, W.opening.begin);
  const send = async (event) => {
    event.preventDefault();
    begin.disabled = true;
    try {
      await onCorrect({ opened: entries(rows, tokens) });
      sheet.close();
    } catch {
      begin.disabled = false;
    }
  };
  const form = h("form", { class: "opening-form", onsubmit: send },
    h("p", { class: "hint" }, W.opening.why(opening.tiles)), ...rows.map((one) => one.room), begin);
  const sheet = openSheet(W.opening.title, [form]);
}

/** Return a player's row: points, animal tiles in hand, and whether it is their turn. */
function row({ color, name }, opening, tokens) {
  const hand = opening.hands[color] ?? [];
  const points = number(`points-${color}`, opening.scores[color] ?? 0, 9999);
  const held = number(`hand-${color}`, hand.length, 60);
  const turn = h("input", { type: "radio", name: "to", value: color, checked: opening.to === color });
  const room = h("fieldset", { class: "opening-player" },
    h("legend", {}, meepleIcon(color), ` ${name}`),
    h("label", {}, W.opening.points, points),
    tokens ? h("label", {}, W.opening.hand, held) : "",
    h("label", { class: "opening-turn" }, turn, W.opening.toPlay));
  return { color, room, points, held, turn, hand };
}

function number(name, value, most) {
  return h("input", { type: "number", class: "search", name, value, min: 0, max: most, step: 1, required: true, inputmode: "numeric" });
}

/** Return the entries. A hand whose size did not change keeps its known tiles. */
function entries(rows, tokens) {
  const hands = rows.map(({ color, held, hand }) => [color, held.valueAsNumber === hand.length ? hand : Array(held.valueAsNumber).fill("?")]);
  return {
    to: rows.find(({ turn }) => turn.checked)?.color ?? null,
    scores: Object.fromEntries(rows.map(({ color, points }) => [color, points.valueAsNumber])),
    ...(tokens ? { hands: Object.fromEntries(hands) } : {}),
  };
}
