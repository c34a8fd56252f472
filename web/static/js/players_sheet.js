// Who plays: names, colours and turn order of a game that has begun, and in the first round one player more.

import { h } from "./dom.js";
import { meepleIcon } from "./meeple.js";
import { openSheet } from "./sheet.js";
import { W, phrase, sentenceCase } from "./words.js";

/** Open the sheet; onSave(players) sends them. `fixedOrder`: the rules say who plays, and in which order. */
export function openPlayers(state, { fixedOrder = false, onSave }) {
  const players = state.players.map(({ color, name }) => ({ color, name }));
  const began = new Set(state.turns.map((turn) => turn.player));
  const rows = h("ol", { class: "seats" });
  const problem = h("p", { class: "seats-problem", role: "alert", hidden: true });
  const more = h("button", { type: "button", class: "plain", onclick: () => join() }, W.lobby.morePlayers);
  const form = h("form", { onsubmit: save },
    h("p", { class: "hint" }, fixedOrder ? W.players.fixed : W.players.why),
    rows, fixedOrder ? "" : more, problem,
    h("button", { type: "submit", class: "plain save" }, W.player.save));
  const sheet = openSheet(W.players.title, [form]);
  draw();

  function draw(focus = null) {
    rows.replaceChildren(...players.map(row));
    more.hidden = players.length === state.colors.length;
    if (focus !== null) rows.children[focus]?.querySelector("input").focus();
  }

  function row(player, at) {
    const label = (text) => `${text}: ${player.name}`;
    const tool = (sign, text, disabled, onclick) => h("button", { type: "button", class: "tool", "aria-label": label(text), disabled, onclick }, sign);
    return h("li", {}, meepleIcon(player.color),
      h("select", { class: "search", "aria-label": label(W.lobby.color), onchange: (event) => recolor(player, event.target.value) },
        ...state.colors.map((color) => h("option", { value: color, selected: color === player.color }, sentenceCase(W.colors[color] ?? color)))),
      h("input", { type: "text", class: "search", "aria-label": W.lobby.name, maxlength: 30, required: true, autocomplete: "off", value: player.name, onchange: (event) => (player.name = event.target.value.trim()) }),
      fixedOrder ? "" : tool("↑", W.lobby.earlierSeat, at === 0, () => move(at)),
      fixedOrder ? "" : tool("✕", W.lobby.remove, players.length < 2 || began.has(player.color), () => {
        players.splice(at, 1);
        draw();
      }));
  }

  /** Somebody plays another colour: who had it gets this one's. The turns stay the colours'. */
  function recolor(player, color) {
    const other = players.find((one) => one.color === color);
    if (other) [player.name, other.name] = [other.name, player.name];
    else player.color = color;
    draw();
  }

  function move(at) {
    [players[at - 1], players[at]] = [players[at], players[at - 1]];
    draw(at - 1);
  }

  function join() {
    const free = state.colors.find((color) => !players.some((player) => player.color === color));
    players.push({ color: free, name: sentenceCase(W.colors[free] ?? free) });
    draw(players.length - 1);
  }

  async function save(event) {
    event.preventDefault();
    try {
      await onSave(players);
      sheet.close();
    } catch (error) {
      problem.hidden = false;
      problem.textContent = W.players.refused[error.code] ?? sentenceCase(phrase(error.message));
    }
  }
}
