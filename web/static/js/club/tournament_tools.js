// Tools of a tournament's host beside its rounds: players, seats, the clock, files, and slips to print.

import { h } from "../dom.js";
import { W } from "../words.js";

const labelled = (text, field) => h("label", { class: "cup-field" }, h("span", {}, text), field);

/** Return the list of players, each with what the host may change. */
function players(told, act) {
  const next = told.rounds.length + 1;
  const button = (text, name, onclick) => h("button", { type: "button", "aria-label": `${text}: ${name}`, onclick }, text);
  const rename = ({ entrant, name }) => {
    const given = prompt(W.cup.newName(name), name)?.trim();
    if (given && given !== name) act("/rename", { entrant, name: given });
  };
  const note = (one) => (one.withdrawn ? W.cup.gone : one.skips ? W.cup.skipsNext : "");
  const line = (one) => h("li", {},
    h("span", { class: "name" }, one.name, h("span", { class: "cup-soft" }, ` ${note(one)}`)),
    button(W.cup.rename, one.name, () => rename(one)),
    told.over ? "" : one.withdrawn
      ? button(W.cup.reinstate, one.name, () => act("/reinstate", { entrant: one.entrant }))
      : button(W.cup.leave, one.name, () => confirm(W.cup.reallyLeave(one.name)) && act("/withdraw", { entrant: one.entrant })),
    told.over || one.withdrawn || next > told.rounds_planned ? "" : one.skips
      ? button(W.cup.unskip, one.name, () => act("/skip", { entrant: one.entrant, round: next, points: null }))
      : button(W.cup.skip(next), one.name, () => confirm(W.cup.reallySkip(one.name, next)) && act("/skip", { entrant: one.entrant, round: next, points: 0.5 })));
  return h("details", { class: "cup-players", "data-of": "players" }, h("summary", {}, W.cup.players), h("ul", {}, ...told.entrants.map(line)));
}

/** Return the form that swaps the seats of two players of the round. */
function swap(told, last, act) {
  const free = last.tables.filter((table) => !table.points).flatMap((table) => table.seats.map((entrant) => [entrant, table.table]));
  if (free.length < 2) return "";
  const choice = (name, chosen) => labelled(W.cup.swaps[name], h("select", { name },
    ...free.map(([entrant, table], at) => h("option", { value: entrant, selected: at === chosen }, `${told.entrants[entrant - 1].name} (${W.cup.table(table)})`))));
  const send = (event) => {
    event.preventDefault();
    const given = new FormData(event.target);
    act("/swap", { round: last.number, one: Number(given.get("one")), other: Number(given.get("other")) }, event.target);
  };
  return h("details", { "data-of": "swap" }, h("summary", {}, W.cup.swap),
    h("form", { class: "cup-form", "data-draft": `swap-${free}`, onsubmit: send }, choice("one", 0), choice("other", 1), h("button", { class: "main" }, W.cup.swapNow)));
}

/** Return the tools of the round's countdown. */
function clock(told, act) {
  const minutes = h("input", { type: "number", min: 1, max: 1440, required: true, value: told.clock ? Math.round(told.clock.length_s / 60) : 50 });
  const tool = (text, action) => h("button", { type: "button", onclick: () => act("/clock", { action }) }, text);
  const start = (event) => {
    event.preventDefault();
    act("/clock", { action: "start", minutes: Number(minutes.value) });
  };
  return h("details", { "data-of": "clock" }, h("summary", {}, W.cup.clock),
    h("form", { class: "cup-tools", "data-draft": `clock-${JSON.stringify(told.clock)}`, onsubmit: start },
      h("label", { class: "cup-minutes" }, minutes, W.cup.minutes), h("button", { class: "main" }, W.cup.start),
      told.clock ? tool(told.clock.since_s === null ? W.cup.resume : W.cup.pause, told.clock.since_s === null ? "resume" : "pause") : "",
      told.clock ? tool(W.cup.clear, "clear") : ""));
}

/** Return the files of a tournament: links to save them, and a field to read one. */
function files(told, act) {
  const link = (name, text) => h("a", { class: "button", href: `/api/tournaments/${told.id}/files/${name}`, download: name }, text);
  const read = async (event) => {
    const text = await event.target.files[0]?.text();
    event.target.value = "";
    if (text) await act("/import", { text });
  };
  return h("details", { "data-of": "files" }, h("summary", {}, W.cup.files),
    h("div", { class: "cup-tools" },
      link("entrants.csv", W.cup.fileOf.entrants), link("pairings.csv", W.cup.fileOf.pairings), link("standings.csv", W.cup.fileOf.standings),
      told.table_size === 2 ? link("report.trf", W.cup.fileOf.report) : ""),
    labelled(W.cup.read, h("input", { type: "file", accept: ".csv,.trf,.trfx,.txt,text/*", onchange: read })),
    h("p", { class: "cup-soft" }, W.cup.readHelp));
}

/** Return slips of paper for the results of a round, one for each table; they are only printed. */
function slips(told, last) {
  const line = (entrant) => h("p", { class: "cup-line" },
    h("span", {}, told.entrants[entrant - 1].name), h("b", {}, W.cup.points), h("i", {}), h("b", {}, W.cup.signature), h("i", {}));
  return h("div", { class: "cup-slips" }, ...last.tables.filter((table) => !table.bye).map((table) =>
    h("article", { class: "cup-slip" },
      h("h3", {}, W.cup.table(table.table)), h("p", {}, `${told.name} · ${W.cup.round(last.number, told.rounds_planned)}`), ...table.seats.map(line))));
}

/** Return the tools for the current state of a tournament; `last` is its last round, undefined before the first. */
export const hostsTools = (told, last, act) => [
  told.entrants.length ? players(told, act) : "",
  last && !told.over ? swap(told, last, act) : "",
  last && !told.over ? clock(told, act) : "",
  files(told, act),
  last ? slips(told, last) : ""];
