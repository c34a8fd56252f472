// Sheet of all players: names, turn order, wrong colours, and in the first round one player more.

import { h } from "./dom.js";
import { meepleIcon } from "./meeple.js";
import { checkNames, nameField } from "./name_field.js";
import { openSheet } from "./sheet.js";
import { W, colorName, givenName, phrase, renamed, sentenceCase } from "./words.js";

/** Open the sheet. onSave(players) sends them. `fixedOrder`: the rules determine the players and their order. */
export function openPlayers(state, { fixedOrder = false, onSave }) {
  const players = state.players.map(({ color, name }) => ({ color, name, was: color }));
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
      nameField({ class: "search", "aria-label": W.lobby.name, placeholder: colorName(player.color), value: player.name === colorName(player.color) ? "" : player.name, onName: (text) => (player.name = text.trim() || colorName(player.color)) }),
      fixedOrder ? "" : tool("↑", W.lobby.earlierSeat, at === 0, () => move(at)),
      fixedOrder ? "" : tool("✕", W.lobby.remove, players.length < 2 || began.has(player.color), () => {
        players.splice(at, 1);
        draw();
      }));
  }

  /**
   * Change a player's colour. A free colour means that the old one was wrong, so their turns move to it. If another
   * player has it, the two swap colours and the turns stay with the colours.
   */
  function recolor(player, color) {
    const other = players.find((one) => one.color === color);
    const before = player.color;
    if (!other) player.color = color;
    else [player.name, other.name] = [renamed(other.name, color, before), renamed(player.name, before, color)];
    if (!other) player.name = renamed(player.name, before, color);
    draw();
  }

  function move(at) {
    [players[at - 1], players[at]] = [players[at], players[at - 1]];
    draw(at - 1);
  }

  function join() {
    const free = state.colors.find((color) => !players.some((player) => player.color === color));
    players.push({ color: free, name: colorName(free) });
    draw(players.length - 1);
  }

  async function save(event) {
    event.preventDefault();
    if (!checkNames(form, { focus: true })) return;
    try {
      await onSave(players.map(({ color, name, was }) => ({ color, name: givenName(name, color), ...(was && was !== color && { was }) })));
      sheet.close();
    } catch (error) {
      problem.hidden = false;
      problem.textContent = W.players.refused[error.code] ?? sentenceCase(phrase(error.said, error.message));
    }
  }
}
