// Tournaments of a club: all of them, or one with its round, its standings and what the host does.

import { byId, h } from "../dom.js";
import { W, fillWords, phrase } from "../words.js";
import { desk, newTournament } from "./tournament_desk.js";
import { round, standings } from "./tournament_tables.js";

const LOOK_MS = 4000;
const key = new URLSearchParams(location.hash.slice(1)).get("key") ?? "";
const number = Number(location.pathname.split("/")[2]) || null;
let shown = "";

function say(text) {
  byId("said").textContent = text;
  byId("said").hidden = !text;
}

/** Ask the hub; null where it refuses or does not answer, which is said. */
async function ask(path, body) {
  const how = body && { method: "POST", headers: { "X-Table-Key": key, "Content-Type": "application/json" }, body: JSON.stringify(body) };
  try {
    const answer = await fetch(`/api/tournaments${path}`, how);
    const told = await answer.json();
    say(answer.ok ? "" : W.cup.refused[told.error.code] ?? W.club.refused[told.error.code] ?? phrase(told.error.message));
    return answer.ok ? told : null;
  } catch {
    say(W.club.lost);
    return null;
  }
}

/** Change the tournament, then show it as it is now. */
async function act(path, body = {}) {
  if (await ask(`/${number}${path}`, body)) await look(true);
}

function drawOne(told) {
  byId("title").textContent = document.title = told.name;
  const last = told.rounds.at(-1);
  byId("stand").textContent = told.over ? W.cup.over : last ? W.cup.round(last.number, told.rounds_planned) : "";
  const doing = key ? act : null;
  byId("place").replaceChildren(
    ...(doing ? [desk(told, doing)] : []),
    ...(last ? [round(told, last, doing, true)] : []),
    standings(told, doing),
    ...told.rounds.slice(0, -1).reverse().map((one) => round(told, one, doing, false)));
}

function drawAll({ tournaments }) {
  const cards = tournaments.map((one) =>
    h("li", {}, h("a", { class: "button", href: `/tournament/${one.id}${location.hash}` }, one.name)));
  const begin = async (body) => {
    const told = await ask("", body);
    if (told) location.href = `/tournament/${told.id}${location.hash}`;
  };
  byId("place").replaceChildren(
    cards.length ? h("ul", { class: "cup-list" }, ...cards) : h("p", { class: "lobby-quiet" }, W.cup.none),
    ...(key ? [newTournament(begin)] : []));
}

/** Show what is there now. Nothing is drawn anew while it stays, nor while somebody writes unless `done`. */
async function look(done = false) {
  const told = await ask(number ? `/${number}` : "");
  const text = JSON.stringify(told);
  const writes = document.querySelector("#place details[open] form") ?? document.activeElement?.closest("#place form");
  if (!told || text === shown || (writes && shown && !done)) return;
  shown = text;
  if (number) drawOne(told);
  else drawAll(told);
}

fillWords();
byId("back").href = `/${location.hash}`;
look();
setInterval(() => document.visibilityState === "visible" && look(), LOOK_MS);
