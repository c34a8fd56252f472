// Tables without a computer: the host creates one, prints its codes for the phone and the players, and closes it.

import { byId, h } from "../dom.js";
import { W, called, colorName, fillWords } from "../words.js";
import { key, meet, refusal } from "./who.js";

let told = { games: [], tables: [] };

function say(text) {
  byId("said").textContent = text;
  byId("said").hidden = !text;
}

/** Send a request to the hub; show the error and return null if it fails. */
async function ask(path, body) {
  const headers = { ...(key() && { "X-Table-Key": key() }), "Content-Type": "application/json" };
  try {
    const answer = await fetch(path, body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers });
    if (answer.ok) {
      say("");
      return answer;
    }
    const { error } = await answer.json();
    say(W.phones.refused[error.code] ?? refusal(error));
  } catch {
    say(W.club.lost);
  }
  return null;
}

const gameName = (game) => W.phones.games[game] ?? game;
const dot = (color) => h("span", { class: "lobby-dot", style: `background: var(--${color}, ${color})` });
const button = (text, onclick, kind) => h("button", { type: "button", class: kind, onclick }, text);

/** Return a QR code for an address, with its purpose. */
async function code(address, title, help) {
  const answer = await ask(`/api/qr.svg?text=${encodeURIComponent(address)}`);
  const figure = h("figure", { class: "phones-code" });
  figure.innerHTML = answer ? await answer.text() : "";
  figure.querySelector("svg")?.setAttribute("role", "img");
  figure.querySelector("svg")?.setAttribute("aria-label", title);
  figure.append(h("figcaption", {}, title), h("p", {}, help), h("a", { href: address }, address));
  return figure;
}

/** Show the sheet to lay on a table, with the codes for its phone and its players. */
async function showSheet(table) {
  const codes = [
    await code(table.camera_url, W.phones.camera, W.phones.cameraHelp),
    await code(table.url, W.phones.players, W.phones.playersHelp),
  ];
  byId("sheet").replaceChildren(
    h("h2", {}, table.id),
    h("p", {}, `${gameName(table.game)}: ${table.players.map(called).join(", ")}`),
    h("div", { class: "phones-codes" }, ...codes),
    h("div", { class: "phones-tools" },
      button(W.phones.print, () => print(), "main"),
      button(W.page.close, () => (byId("sheet").hidden = true))));
  byId("sheet").hidden = false;
  byId("sheet").scrollIntoView();
}

async function close(table) {
  if (!await ask(`/api/phone-tables/${encodeURIComponent(table.id)}/close`, {})) return;
  byId("sheet").hidden = true;
  await look();
}

function card(table) {
  const players = table.players.map((player) => h("span", { class: "lobby-player" }, dot(player.color), called(player)));
  return h("li", { "data-id": table.id },
    h("h3", {}, table.id),
    h("p", { class: "lobby-quiet" }, gameName(table.game)),
    h("p", { class: "lobby-players" }, ...players),
    h("div", { class: "phones-tools" },
      button(W.phones.codes, () => showSheet(table), "main"),
      h("a", { class: "button", href: `/table/${encodeURIComponent(table.id)}${location.hash}` }, W.lobby.open),
      button(W.phones.close, () => close(table))));
}

/** Return name fields for as many players as may play; the fewest possible are required. */
function places(game) {
  return game.colors.slice(0, game.most).map((color, at) => {
    const select = h("select", { "aria-label": W.lobby.color },
      ...game.colors.map((one) => h("option", { value: one, selected: one === color }, colorName(one))));
    const shown = dot(color);
    select.addEventListener("change", () => (shown.style.background = `var(--${select.value}, ${select.value})`));
    const name = h("input", { "aria-label": W.phones.playerName(at + 1), maxlength: 30, autocomplete: "off", required: at < game.fewest });
    return h("div", { class: "phones-player" }, shown, select, name);
  });
}

function drawForm() {
  const name = h("input", { id: "name", maxlength: 60, required: true, autocomplete: "off", placeholder: W.phones.example });
  const game = h("select", { id: "game" }, ...told.games.map((one) => h("option", { value: one.game }, gameName(one.game))));
  const seats = h("fieldset", {});
  const draw = () => {
    const names = [...seats.querySelectorAll("input")].map((input) => input.value);
    const chosen = told.games.find((one) => one.game === game.value);
    seats.replaceChildren(h("legend", {}, W.lobby.who), ...places(chosen));
    seats.querySelectorAll("input").forEach((input, at) => (input.value = names[at] ?? ""));
  };
  game.addEventListener("change", draw);
  draw();
  byId("new").replaceChildren(h("h2", {}, W.phones.new), h("p", { class: "lobby-quiet" }, W.phones.how),
    h("label", {}, W.phones.name, name), h("label", {}, W.phones.game, game), seats,
    h("button", { type: "submit", class: "main" }, W.phones.make));
  byId("new").onsubmit = (event) => {
    event.preventDefault();
    const players = [...seats.querySelectorAll(".phones-player")]
      .map((row) => ({ color: row.querySelector("select").value, name: row.querySelector("input").value.trim() }))
      .filter((player) => player.name);
    make({ name: name.value.trim(), game: game.value, players });
  };
}

async function make(asked) {
  const answer = await ask("/api/phone-tables", asked);
  if (!answer) return;
  const table = await answer.json();
  await look();
  drawForm();
  await showSheet(table);
}

async function look() {
  const answer = await ask("/api/phone-tables");
  if (!answer) return;
  told = await answer.json();
  byId("open").replaceChildren(told.tables.length
    ? h("ul", { class: "phones-list" }, ...told.tables.map(card))
    : h("p", { class: "lobby-quiet" }, W.phones.none));
}

fillWords();
document.title = W.phones.title;
byId("back").href = `/${location.hash}`;
await meet();
await look();
if (told.games.length) {
  drawForm();
  byId("new").hidden = false;
}
