// Pairings of a round with their results, and the standings.

import { h } from "../dom.js";
import { W } from "../words.js";
import { clockWords } from "./card.js";

const PARTS = { 250: "¼", 500: "½", 750: "¾", 333: "⅓", 667: "⅔" };

/** Return a number of points as text, with fractions such as ½. */
function points(value) {
  const whole = Math.trunc(Math.abs(value));
  const part = PARTS[Math.round((Math.abs(value) - whole) * 1000)];
  if (part) return `${value < 0 ? "−" : ""}${whole || ""}${part}`;
  return value.toLocaleString(W.code, { maximumFractionDigits: 2 });
}

const nameOf = (told, entrant) => told.entrants[entrant - 1].name;

/** Return the score of a seat: that of the result, else that of the game in progress. */
function score(told, table, at) {
  if (table.points) return table.absent.includes(table.seats[at]) ? W.cup.absentShort : String(table.points[at]);
  const name = nameOf(told, table.seats[at]).toLowerCase();
  const live = Object.entries(table.at?.scores ?? {}).find(([one]) => one.toLowerCase() === name);
  return live ? String(live[1] ?? "–") : "–";
}

/** Return the origin of a table's result or scores in words. */
function origin(table) {
  if (table.points) return table.source === "referee" ? W.cup.byReferee : W.cup.byTable(table.source.split("/")[0]);
  if (table.bound && !table.bound.named) return W.cup.otherNames(table.bound.table);
  if (table.bound && !table.bound.started) return W.cup.boundTo(table.bound.table);
  if (!table.at) return table.bound ? W.cup.boundTo(table.bound.table) : W.cup.waits;
  if (table.at.connection === "lost") return W.club.silent;
  if (table.at.connection === "away") return W.club.away;
  return W.cup.playsAt(table.at.table, W.lobby.turns(table.at.turns));
}

/** Return the line on a second finished game of the same players. A referee chooses the game that counts. */
const rival = (game) => W.cup.rival(game.table, Object.entries(game.scores).map(([name, score]) => `${name} ${score ?? "–"}`).join(", "));

/** Return the form in which a referee reports the points of a table. */
function resultForm(told, one, table, act) {
  const fields = table.seats.map((entrant, at) => {
    const id = `${one.number}-${entrant}`;
    return h("div", { class: "cup-seat" },
      h("label", { for: `points-${id}` }, nameOf(told, entrant)),
      h("input", { id: `points-${id}`, name: `points-${entrant}`, type: "number", inputmode: "numeric", required: true, min: -10000, max: 10000, value: table.points ? table.points[at] : null }),
      h("label", { class: "cup-absent" }, h("input", { name: `absent-${entrant}`, type: "checkbox", checked: table.absent.includes(entrant) }), W.cup.absent));
  });
  const send = (event) => {
    event.preventDefault();
    const given = new FormData(event.target);
    const scores = table.seats.map((entrant) => ({
      entrant, points: Number(given.get(`points-${entrant}`)), absent: given.has(`absent-${entrant}`),
    }));
    act("/result", { round: one.number, table: table.table, scores }, event.target);
  };
  const of = `${one.number}/${table.seats}`;
  return h("details", { class: "cup-report", "data-of": of },
    h("summary", {}, table.points ? W.cup.change : W.cup.report),
    h("form", { "data-draft": of, onsubmit: send }, ...fields, h("button", { class: "main" }, W.cup.save)));
}

function pairing(told, one, table, act) {
  const seats = table.seats.map((entrant, at) =>
    h("li", { "data-won": table.won?.[at] === 1 }, h("span", { class: "name" }, nameOf(told, entrant)),
      table.bye ? h("span", { class: "cup-soft" }, W.cup.bye) : h("strong", {}, score(told, table, at))));
  return h("article", { class: "cup-table", "data-table": table.table, "data-open": String(!table.bye && !table.points) },
    table.bye ? h("h3", {}, "–") : h("h3", {}, h("span", { class: "cup-word" }, W.cup.table("").trim(), " "), String(table.table)),
    h("ol", {}, ...seats),
    table.bye ? "" : h("p", { class: "cup-soft" }, origin(table)),
    table.at && !table.points && clockWords(table.at.wrong) ? h("p", { class: "cup-soft" }, clockWords(table.at.wrong)) : "",
    table.rival ? h("p", { class: "cup-soft" }, rival(table.rival)) : "",
    act?.start && !table.bye && !table.points ? h("button", { type: "button", class: "cup-at", "aria-label": `${W.cup.startAt}: ${table.seats.map((entrant) => nameOf(told, entrant)).join(" – ")}`, onclick: () => act.start(table.table) }, W.cup.startAt) : "",
    act && !table.bye ? resultForm(told, one, table, act) : "");
}

/** Return the time that is left in a round as text, such as 42:07; with a minus after its end. */
function clockText({ left_s, since_s }, now_s) {
  const left = Math.ceil(left_s - (since_s === null ? 0 : now_s - since_s));
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes, seconds] = [Math.floor(Math.abs(left) / 3600), Math.floor(Math.abs(left) / 60) % 60, Math.abs(left) % 60];
  return `${left < 0 ? "−" : ""}${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds)}`;
}

/** Show a countdown in an element; `data-out` says whether its time is over. */
export function showClock(element, clock, now_s) {
  const text = clockText(clock, now_s);
  element.textContent = clock.since_s === null ? `${text} ${W.cup.paused}` : text;
  element.dataset.out = String(text.startsWith("−"));
}

/** Return a round as details: open if it is the latest, closed otherwise. */
export function round(told, one, act, latest) {
  const tables = h("div", { class: "cup-tables" }, ...one.tables.map((table) => pairing(told, one, table, act)));
  const title = W.cup.round(one.number, told.rounds_planned);
  return latest
    ? h("section", { class: "cup-round", "aria-label": title }, h("h2", {}, title), tables)
    : h("details", { class: "cup-earlier", "data-of": one.number }, h("summary", {}, title), tables);
}

/** Return the standings with all tie-breaks; before the first round, the list of entrants. */
export function standings(told) {
  if (!told.rounds.length) {
    return h("section", {}, h("h2", {}, W.cup.entrants(told.entrants.length)),
      h("ul", { class: "cup-entrants" }, ...told.entrants.map((one) => h("li", {}, one.name))));
  }
  const head = [W.cup.rank, W.cup.player, W.cup.points, W.cup.played, ...told.tie_breaks.map((name) => W.cup.tieBreaks[name])];
  const lines = told.standings.map((line) => {
    const one = told.entrants[line.entrant - 1];
    const left = !one.withdrawn || told.over ? "" : h("span", { class: "cup-soft" }, ` ${W.cup.gone}`);
    return h("tr", {}, h("td", {}, String(line.rank)), h("th", { scope: "row" }, one.name, left),
      h("td", {}, h("strong", {}, points(line.points))), h("td", {}, String(line.played)),
      ...line.tie_breaks.map((value) => h("td", {}, points(value))));
  });
  return h("section", { class: "cup-standings" }, h("h2", { id: "standings" }, W.cup.standings),
    h("div", { class: "cup-wide", tabindex: 0, role: "region", "aria-labelledby": "standings" },
      h("table", {}, h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, ...lines))));
}
