// Tools for the host of a tournament: create it, enter players, pair a round, print.

import { h } from "../dom.js";
import { W } from "../words.js";
import { hostsTools } from "./tournament_tools.js";

const ROUNDS = 5;
const TIES = ["buchholz_cut_1", "buchholz", "direct", "difference"]; // as the hub chooses them
const SIZES = [2, 3, 4, 5, 6];

const labelled = (text, field) => h("label", { class: "cup-field" }, h("span", {}, text), field);

/** Return a random token. */
const randomToken = () => Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(36)).join("-");

/** Return the form that creates a tournament. Sending it twice creates only one. */
export function tournamentForm(begin) {
  const once = randomToken();
  const send = (event) => {
    event.preventDefault();
    const given = new FormData(event.target);
    const tieBreaks = [...new Set(given.getAll("tie").filter(Boolean))];
    begin(
      { name: given.get("name"), rounds: Number(given.get("rounds")), table_size: Number(given.get("size")), system: given.get("system"), tie_breaks: tieBreaks, once },
      entrantsIn(given));
  };
  return h("section", {}, h("h2", {}, W.cup.begin),
    h("form", { class: "cup-form", "data-draft": "new", onsubmit: send },
      labelled(W.cup.name, h("input", { name: "name", required: true, maxlength: 60, autocomplete: "off" })),
      labelled(W.cup.rounds, h("input", { name: "rounds", type: "number", min: 1, max: 99, value: ROUNDS, required: true })),
      labelled(W.cup.size, h("select", { name: "size" }, ...SIZES.map((size) => h("option", { value: size }, String(size))))),
      labelled(W.cup.system, h("select", { name: "system" }, ...Object.entries(W.cup.systems).map(([value, text]) => h("option", { value }, text)))),
      h("fieldset", { class: "cup-ties" }, h("legend", {}, W.cup.ties),
        ...TIES.map((chosen, at) => h("select", { name: "tie", "aria-label": W.cup.tie(at + 1) },
          h("option", { value: "" }, "–"),
          ...Object.entries(W.cup.tieBreaks).map(([value, text]) => h("option", { value, selected: value === chosen }, text))))),
      namesField(false), seedingField(),
      h("button", { class: "main" }, W.cup.make)));
}

const namesField = (required) => labelled(W.cup.names, h("textarea", { name: "names", rows: 6, required }));

const seedingField = () => labelled(W.cup.seeding, h("select", { name: "seeding" },
  ...Object.entries(W.cup.seedings).map(([value, text]) => h("option", { value }, text))));

/** Return the names of a form with their seeds: a number after a comma, or all by lot. */
function entrantsIn(given) {
  const lines = given.get("names").split("\n").map((line) => line.trim()).filter(Boolean).map((line) => /^(.*?)(?:\s*[,;\t]\s*(\d{1,4}))?$/.exec(line));
  const names = lines.map(([, name]) => name);
  if (given.get("seeding") === "listed") return { names, seeds: lines.map(([, , seed]) => (seed ? Number(seed) : null)) };
  const lots = crypto.getRandomValues(new Uint32Array(names.length));
  const seeds = [];
  [...lots.keys()].sort((a, b) => lots[a] - lots[b]).forEach((name, at) => (seeds[name] = at + 1));
  return { names, seeds };
}

/** Return the form that enters players, one name per line. */
function entrantsForm(told, act) {
  const send = (event) => {
    event.preventDefault();
    const entrants = entrantsIn(new FormData(event.target));
    if (entrants.names.length) act("/entrants", entrants, event.target);
  };
  return h("details", { class: "cup-enter" }, h("summary", {}, W.cup.add),
    h("form", { class: "cup-form", "data-draft": "enter", onsubmit: send },
      namesField(true), told.rounds.length ? h("input", { type: "hidden", name: "seeding", value: "listed" }) : seedingField(),
      h("button", { class: "main" }, W.cup.enter)));
}

/** Print one part of the page. The browser's own print command prints both, on separate pages. */
function printPart(part) {
  document.body.dataset.print = part;
  addEventListener("afterprint", () => delete document.body.dataset.print, { once: true });
  print();
}

/** Return the host's tools for the current state of a tournament. */
export function desk(told, act) {
  const last = told.rounds.at(-1);
  const next = (last?.number ?? 0) + 1;
  const ready = (!last || last.complete) && told.entrants.filter((one) => one.plays).length > 1;
  const waiting = last ? last.tables.filter((table) => !table.bye && !table.points).length : 0;
  const bare = last?.tables.every((table) => !table.points);
  return h("section", { class: "cup-desk", "aria-label": W.cup.host },
    h("div", { class: "cup-tools" },
      next <= told.rounds_planned ? h("button", { id: "pair", class: "main", type: "button", disabled: !ready, onclick: () => act("/pair", { round: next }) }, W.cup.pair(next)) : "",
      last ? h("button", { id: "print", type: "button", onclick: () => printPart("pairings") }, W.cup.print) : "",
      last ? h("button", { type: "button", onclick: () => printPart("slips") }, W.cup.printSlips) : "",
      last ? h("button", { type: "button", onclick: () => printPart("standings") }, W.cup.printStandings) : "",
      bare ? h("button", { id: "unpair", type: "button", "data-round": last.number, onclick: () => confirm(W.cup.reallyUnpair(last.number)) && act("/unpair", { round: last.number }) }, W.cup.unpair) : "",
      waiting ? h("span", { class: "cup-soft" }, W.cup.missing(waiting)) : ""),
    told.over || (told.system === "round_robin" && last) ? "" : entrantsForm(told, act),
    ...hostsTools(told, last, act));
}
