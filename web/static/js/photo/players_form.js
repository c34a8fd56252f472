// Form for the players of a photographed game, before it is kept or continued as a live game.

import { h } from "../dom.js";
import { labelsBox } from "../labels_box.js";
import { meepleIcon } from "../meeple.js";
import { checkNames, nameField, suggestions } from "../name_field.js";
import { openSheet } from "../sheet.js";
import { W, givenName, sentenceCase } from "../words.js";

/**
 * Ask for the players in turn order. `onDone({players, to, camera, keep_labels})` sends them and throws an Error with
 * a text for people. `cameras` (from GET /api/lobby) are offered if the game continues.
 */
export function askPlayers({ title, colors, known, players, people, cameras, onDone }) {
  let order = [...known];
  let to = null;
  const rows = h("div", {});
  const problem = h("p", { class: "photo-problem", role: "alert" });
  const camera = cameras && h("select", { id: "photo-camera" },
    h("option", { value: "phone" }, W.lobby.phone),
    ...cameras.filter((one) => !one.pack).map((one) => h("option", { value: one.source }, one.title)));
  const where = cameras && h("input", { placeholder: W.lobby.wherePlaceholder, "aria-label": W.lobby.where, maxlength: 500 });
  const labels = labelsBox();
  const send = h("button", { type: "submit", class: "plain main save" }, title);
  const draw = () => {
    rows.replaceChildren(...order.map((color, at) => {
      const player = (players[color] ??= { name: "", before: 0 });
      const called = sentenceCase(W.colors[color] ?? color);
      const name = nameField({ value: player.name, placeholder: called, "aria-label": W.photo.nameOf(called), onName: (text) => (player.name = text) });
      const before = h("input", { type: "number", min: 0, max: 999, inputmode: "numeric", value: player.before || "", placeholder: "0", "aria-label": W.photo.beforeOf(called), oninput: () => (player.before = Number.parseInt(before.value, 10) || 0) });
      const turn = cameras && h("input", { type: "radio", name: "photo-turn", checked: to === color, "aria-label": W.photo.toPlay(called), onchange: () => (to = color) });
      return h("div", { class: "photo-seat" }, meepleIcon(color), name, h("label", { class: "photo-before" }, h("span", {}, W.photo.before), before),
        turn ? h("label", { class: "photo-turn" }, turn, h("span", {}, W.turn.toPlay)) : "",
        h("button", { type: "button", class: "tool", disabled: at === 0, "aria-label": `${W.lobby.earlierSeat}: ${called}`, onclick: () => { [order[at - 1], order[at]] = [order[at], order[at - 1]]; draw(); } }, "↑"),
        known.includes(color) ? "" : h("button", { type: "button", class: "tool remove", "aria-label": `${W.lobby.remove}: ${called}`, onclick: () => { order = order.filter((one) => one !== color); draw(); } }, "✕"));
    }), h("div", { class: "photo-colors" }, ...colors.filter((color) => !order.includes(color)).map((color) =>
      h("button", { type: "button", class: "plain", onclick: () => { order.push(color); draw(); } }, meepleIcon(color), `+ ${sentenceCase(W.colors[color] ?? color)}`))));
    send.disabled = order.length < 2;
  };
  const form = h("form", {
    onsubmit: async (event) => {
      event.preventDefault();
      if (!checkNames(form, { focus: true })) return;
      problem.textContent = "";
      send.disabled = true;
      try {
        await onDone({
          players: order.map((color) => ({ color, name: givenName(players[color].name, color), before: players[color].before || 0 })),
          to, camera: cameras ? where.value.trim() || camera.value : null, keep_labels: labels.control.checked,
        });
        close();
      } catch (error) {
        problem.textContent = error.message;
        send.disabled = false;
      }
    },
  }, h("p", { class: "hint" }, cameras ? W.photo.goOnHint : W.photo.keepHint), rows,
  cameras ? h("label", { class: "photo-edition" }, h("span", {}, W.lobby.camera), camera) : "",
  cameras ? h("label", { class: "photo-edition" }, h("span", {}, W.lobby.elsewhere), where) : "", labels, suggestions(people), problem, send);
  const { close } = openSheet(title, [form], {});
  draw();
}
