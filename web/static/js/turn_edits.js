// Edits of the history in the sheet of a turn: a new turn before it, its position, its player.

import { h } from "./dom.js";
import { meepleIcon } from "./meeple.js";
import { W, namesOf } from "./words.js";

/**
 * Return the part of a turn's sheet that edits the history. send(body) sends an edit, onInsert() asks for a new turn.
 * `seated`: the turn itself determines its player.
 */
export function turnEdits(number, turn, { state, send, onInsert, seated = false }) {
  const names = namesOf(state);
  const others = state.players.filter(({ color }) => color !== turn.player);
  const button = (label, onclick, more = {}) => h("button", { type: "button", class: "plain", onclick, ...more }, label);
  return h("details", { class: "edits" },
    h("summary", {}, W.edit.title),
    h("div", { class: "edit-ways" },
      button(W.edit.insert, onInsert),
      number > 1 ? button(W.edit.earlier, () => send({ move_to: number - 1 })) : "",
      number < state.turns.length ? button(W.edit.later, () => send({ move_to: number + 1 })) : ""),
    seated ? "" : h("p", { class: "hint" }, W.edit.whose),
    seated ? "" : h("div", { class: "edit-ways" }, ...others.map(({ color }) =>
      h("button", { type: "button", class: "plain", onclick: () => send({ player: color }) }, meepleIcon(color), ` ${names[color]}`))),
    h("button", { type: "button", class: "quiet alarm", onclick: () => send({ remove: true }) }, W.fix.remove));
}
