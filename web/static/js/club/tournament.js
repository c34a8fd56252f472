// Tournaments of a club: the list, or one with its rounds, standings and the host's tools.

import { byId, h } from "../dom.js";
import { W, fillWords, phrase } from "../words.js";
import { nowS, setClock } from "../server_time.js";
import { renewAll } from "./renew.js";
import { desk, tournamentForm } from "./tournament_desk.js";
import { codeOfPage, openStart, openTake } from "./tournament_start.js";
import { round, showClock, standings } from "./tournament_tables.js";
import { key, may, meet, refusal } from "./who.js";

const LOOK_MS = 4000;
const AGAIN_MS = { first: 1000, longest: 15_000 };
const ANSWER_MS = 8000;
const number = Number(location.pathname.split("/")[2]) || null;
let shown = "";
let latest = null;
let isBusy = false;
let code = codeOfPage();

/** Show a message in one of the page's lines; without text, hide the line. */
function say(line, text = "") {
  byId(line).textContent = text;
  byId(line).hidden = !text;
}

/** Return the hub's response; null if there is none, with a message until one arrives. */
async function reach(path, how) {
  try {
    const answer = await fetch(`/api/tournaments${path}`, { ...how, signal: AbortSignal.timeout(ANSWER_MS) });
    setClock(answer);
    const body = await answer.json();
    say("away");
    return { ok: answer.ok, body };
  } catch {
    say("away", W.cup.away);
    return null;
  }
}

/**
 * Send a change to the hub; show the error and return null if it fails. Only one runs at a time: a second tap does
 * nothing.
 */
async function send(path, body) {
  if (isBusy) return null;
  isBusy = true;
  const headers = { "X-Table-Key": key(), "Content-Type": "application/json" };
  const told = await reach(path, { method: "POST", headers, body: JSON.stringify(body) });
  isBusy = false;
  if (told?.ok) say("said");
  else if (!told) say("said", W.cup.unsent);
  else say("said", W.cup.refused[told.body.error.code] ?? refusal(told.body.error));
  return told?.ok ? told.body : null;
}

/** Change the tournament and reload it. `form` is cleared on success and kept on failure. */
async function act(path, body = {}, form = null) {
  if (!(await send(`/${number}${path}`, body))) return;
  form?.reset();
  form?.closest("details")?.removeAttribute("open");
  await look();
}

/** Send a change of the tournament and reload it; return the answer, null after an error. */
async function change(path, body) {
  const answer = await send(`/${number}${path}`, body);
  if (answer) await look();
  return answer;
}

act.start = (table) => openStart(latest, table, change); // the newest state: a button that looks the same is kept

let clock = null;

/** Show the countdown of the round. */
function tick() {
  byId("clock").hidden = !clock;
  if (clock) showClock(byId("clock"), clock, nowS());
}

function drawOne(told) {
  latest = told;
  clock = told.over ? null : told.clock;
  tick();
  byId("title").textContent = document.title = told.name;
  const last = told.rounds.at(-1);
  byId("stand").textContent = told.over ? W.cup.over : last ? W.cup.round(last.number, told.rounds_planned) : "";
  const [hosts, referees] = ["host", "referee"].map((role) => (may(role) ? act : null));
  renewAll(byId("place"), [
    ...(hosts ? [desk(told, hosts)] : []),
    ...(last ? [round(told, last, referees, true)] : []),
    standings(told),
    ...told.rounds.slice(0, -1).reverse().map((one) => round(told, one, referees, false))]);
  if (code) openTake(told, code, change);
  code = null;
}

function drawAll({ tournaments }) {
  const cards = tournaments.map((one) =>
    h("li", {}, h("a", { class: "button", href: `/tournament/${one.id}${location.hash}` }, one.name)));
  const begin = async (body, entrants) => {
    const told = await send("", body);
    if (!told || (entrants.names.length && !(await send(`/${told.id}/entrants`, entrants)))) return;
    location.href = `/tournament/${told.id}${location.hash}`;
  };
  renewAll(byId("place"), [
    cards.length ? h("ul", { class: "cup-list" }, ...cards) : h("p", { class: "lobby-quiet" }, W.cup.none),
    ...(may("host") ? [tournamentForm(begin)] : [])]);
}

/** Reload, and redraw what has changed. Returns whether the hub answered. */
async function look() {
  const told = await reach(number ? `/${number}` : "");
  if (told && !told.ok) say("said", W.cup.refused[told.body.error.code] ?? phrase(told.body.error.said, told.body.error.message));
  const text = told?.ok ? JSON.stringify(told.body) : shown;
  if (text !== shown) (number ? drawOne : drawAll)(told.body);
  shown = text;
  return Boolean(told);
}

/** Reload regularly while the page is visible; less and less often while the hub is unreachable. */
async function watch() {
  let againMs = AGAIN_MS.first;
  for (;;) {
    const waits = document.visibilityState === "hidden" || (await look());
    const pauseMs = waits ? LOOK_MS : againMs;
    againMs = waits ? AGAIN_MS.first : Math.min(2 * againMs, AGAIN_MS.longest);
    await new Promise((then) => setTimeout(then, pauseMs));
  }
}

fillWords();
setInterval(tick, 1000);
await meet();
byId("back").href = `/${location.hash}`;
watch();
