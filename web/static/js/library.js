// Library of the lobby: past games can be replayed, saved and deleted; and the players' statistics.

import { byId, h } from "./dom.js";
import { editionTitle } from "./lobby_form.js";
import { checkNames, nameField, suggestions } from "./name_field.js";
import { W, called, kindName, list } from "./words.js";

const key = new URLSearchParams(location.hash.slice(1)).get("key") ?? "";
const KEEP_ADDRESS_MS = 60_000;
let titles = {}; // titles of editions and games by id

/** Send a request to the lobby. Throws an Error with a text for people. */
async function ask(path, method = "GET", body = undefined) {
  let answer;
  const json = body !== undefined && !(body instanceof Blob);
  try {
    answer = await fetch(path, { method, body: json ? JSON.stringify(body) : body, headers: { "X-Table-Key": key, ...(json && { "Content-Type": "application/json" }) } });
  } catch {
    throw new Error(W.lobby.silent);
  }
  if (answer.ok) return answer;
  const { error } = await answer.json().catch(() => ({}));
  throw new Error({ unknown_game: W.library.gone, ...W.library.refused }[error?.code] ?? W.lobby.silent);
}

const address = (game, what) => `/api/library/${encodeURIComponent(game.id)}/${what}`;
const button = (text, onclick, kind = "") => h("button", { type: "button", class: kind, onclick }, text);
const dot = (color) => h("span", { class: "lobby-dot", style: `background: var(--${color}, ${color})` });
const namesOf = (game) => list(game.players.map(called));
const head = (id, title, close, ...more) =>
  h("div", { class: "lobby-sheet-head" }, h("h2", { id }, title), ...more, h("button", { type: "button", "aria-label": W.page.close, onclick: close }, "✕"));

const says = h("p", { class: "library-said", role: "status" });

function say(text, ...more) {
  says.replaceChildren(text, ...more);
}

/** Run an action. The sheet shows that it is busy, and then its error, if any. */
async function quietly(act) {
  say(W.library.working);
  try {
    await act();
  } catch (error) {
    say(error.message);
  }
}

/** Download a file. */
function save(content, name) {
  const file = URL.createObjectURL(content);
  h("a", { href: file, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(file), KEEP_ADDRESS_MS);
}

const dated = (game) => new Date(game.began_s * 1000).toLocaleDateString("sv");

async function open(game) {
  const { url } = await (await ask(address(game, "open"), "POST")).json();
  const sheet = byId("replay");
  const keep = () => quietly(async () => {
    save(await (await ask(address(game, "replay.html"))).blob(), `${dated(game)}-${game.game}.html`);
    say("");
  });
  const frame = h("iframe", { src: `${url}?lang=${W.code}`, sandbox: "allow-scripts", title: namesOf(game) });
  sheet.replaceChildren(head("replay-title", namesOf(game), () => sheet.close(), button(W.library.save, keep)), frame);
  sheet.addEventListener("close", () => frame.remove(), { once: true });
  sheet.showModal();
  say("");
}

async function remove(game, sure = W.library.sure(namesOf(game)), removed = W.library.removed(namesOf(game))) {
  if (!confirm(sure)) return;
  await quietly(async () => {
    await ask(address(game, "delete"), "POST");
    await draw();
    say(`${removed} `, button(W.library.undo, () => quietly(async () => {
      await ask(address(game, "restore"), "POST");
      await draw();
      say("");
    })));
  });
}

function photo(game) {
  const room = h("span", { class: "no-picture library-photo" });
  if (!game.pictured) return room;
  const image = h("img", { class: "library-photo", alt: W.library.photo });
  ask(address(game, "photo.jpg")).then((answer) => answer.blob()).then((picture) => {
    image.src = URL.createObjectURL(picture);
    image.addEventListener("load", () => URL.revokeObjectURL(image.src), { once: true });
    room.replaceWith(image);
  }).catch(() => {}); // the photograph is optional
  return room;
}

function card(game) {
  const when = new Date(game.began_s * 1000).toLocaleString(W.code, { dateStyle: "medium", timeStyle: "short" });
  const ranked = [...game.players].sort((a, b) => b.score - a.score);
  return h("article", { class: "lobby-card library-card", "data-id": game.id },
    photo(game),
    h("div", {},
      h("h3", {}, titles[game.pack] ?? game.pack),
      h("p", {}, [when, game.turns ? W.lobby.turns(game.turns) : W.photo.only, game.over ? "" : W.library.unfinished].filter(Boolean).join(" · ")),
      h("ul", { class: "library-scores" }, ...ranked.map((player) =>
        h("li", { "data-won": player.won ? "yes" : "no" }, dot(player.color), h("span", {}, called(player)), h("b", {}, `${player.score}`), player.won ? h("span", { class: "hidden" }, W.final.wins("")) : "")))),
    h("div", { class: "lobby-tools" },
      button(W.library.open, () => quietly(() => open(game)), "main"),
      button(W.library.remove, () => remove(game))));
}

/** Return the card of a log that cannot be read, which can only be deleted. */
const badCard = (log) => h("article", { class: "lobby-card library-card", "data-id": log.id, "data-bad": "yes" },
  h("span", { class: "no-picture library-photo" }),
  h("div", {}, h("h3", {}, log.id), h("p", {}, W.library.refused.unreadable)),
  h("div", { class: "lobby-tools" }, button(W.library.remove, () => remove(log, W.library.sureFile(log.id), W.library.removedFile(log.id)))));

/** Return a button that asks for a file of games and imports it: a log, or what "Save all games" wrote. */
function importing() {
  const file = h("input", { type: "file", accept: ".zip,.table", hidden: true, onchange: () => quietly(async () => {
    const [chosen] = file.files;
    if (!chosen) return say("");
    const told = await (await ask(`/api/library/import?name=${encodeURIComponent(chosen.name)}`, "POST", chosen)).json();
    await draw();
    say(W.library.imported(told.brought, told.here, told.refused));
  }) });
  return [file, button(W.library.importGames, () => file.click())];
}

/** Return a table of the players' statistics in one game. */
function statistics(game, standings) {
  const columns = [W.library.games, W.library.wins, W.library.average, W.library.most];
  const number = new Intl.NumberFormat(W.code, { maximumFractionDigits: 1 });
  return h("div", { class: "library-table", tabindex: 0, role: "group", "aria-label": `${W.library.statistics}: ${game}` }, h("table", {},
    h("caption", {}, game),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, W.library.player), ...columns.map((one) => h("th", { scope: "col", class: "n" }, one)), h("th", { scope: "col" }, W.library.best), h("th", { scope: "col" }, W.library.headToHead))),
    h("tbody", {}, ...standings.map((one) => h("tr", {},
      h("th", { scope: "row" }, one.name),
      ...[one.games, one.wins, one.average, one.most].map((n) => h("td", { class: "n" }, number.format(n))),
      h("td", {}, one.best_kind ? kindName(one.best_kind) : ""),
      h("td", {}, one.against.map((other) => W.library.against(other.name, other.won, other.lost, other.shared)).join(", ")))))));
}

/** Show the people whom the logs call `written` as `name` ("" forgets them), and draw everything anew. */
const call = (written, name, said) => quietly(async () => {
  await ask("/api/library/people", "POST", { written, ...(name && { name }) });
  await drawStatistics();
  say(...said);
});

/** Return the form that renames a player, or makes one person of two, and the button that forgets one. */
function naming(one, everybody) {
  let name = one.name;
  const form = h("form", { class: "profile-form", onsubmit: (event) => {
    event.preventDefault();
    const wanted = name.trim();
    if (!checkNames(form, { focus: true }) || !wanted || wanted === one.name) return;
    const other = everybody.find((person) => person.name === wanted);
    if (!other || confirm(W.library.mergeSure(one.name, wanted))) call(one.written, wanted, [other ? W.library.merged(one.name, wanted) : ""]);
  } },
  h("label", {}, W.library.called, nameField({ value: one.name, required: true, onName: (text) => (name = text) })),
  h("p", { class: "lobby-quiet" }, W.library.calledWhy),
  h("div", { class: "lobby-tools" }, h("button", { type: "submit", class: "main" }, W.player.save), button(W.library.forget, () => {
    const back = () => quietly(async () => {
      for (const written of one.written) await ask("/api/library/people", "POST", { written: [written], name: written === one.written[0] ? one.name : written });
      await drawStatistics();
      say("");
    });
    if (confirm(W.library.forgetSure(one.name))) call(one.written, "", [`${W.library.forgotten(one.name)} `, button(W.library.undo, back)]);
  })));
  const apart = one.written.filter((written) => written !== one.name).map((written) =>
    h("li", {}, h("span", {}, written), button(W.library.apart, () => call([written], written, [""]))));
  return h("details", {}, h("summary", {}, W.library.change),
    form, apart.length ? h("div", {}, h("p", {}, W.library.alsoWritten), h("ul", { class: "profile-written" }, ...apart)) : "");
}

/** Return a player's profile: totals over all games, places, streaks, each game, and results against each other player. */
function profile(one, everybody) {
  const number = new Intl.NumberFormat(W.code, { maximumFractionDigits: 1 });
  const points = ({ average, most }) => `${W.library.average} ${number.format(average)} · ${W.library.most} ${number.format(most)}`;
  const places = one.places.flatMap((count, at) => (count ? [W.library.place(at + 1, count)] : []));
  return h("article", { class: "lobby-card profile" },
    h("h3", {}, one.name),
    h("p", {}, `${W.library.record(one.games, one.wins)} · ${points(one)}`),
    h("p", { class: "profile-places" }, places.join(", ")),
    one.longest > 1 ? h("p", { class: "profile-streak" }, W.library.streak(one.streak, one.longest)) : "",
    h("p", { class: "lobby-player" }, dot(one.color), W.library.favorite(W.colors[one.color] ?? one.color)),
    h("ul", {}, ...one.by_game.map((each) => h("li", {},
      h("b", {}, titles[each.game] ?? each.game), h("span", {}, `${W.library.record(each.games, each.wins)} · ${points(each)}`),
      each.best_kind ? h("span", {}, `${W.library.best}: ${kindName(each.best_kind)}`) : ""))),
    one.against.length ? h("ul", { class: "profile-against" }, ...one.against.map((other) => h("li", {},
      h("b", {}, `${W.library.headToHead} ${W.library.against(other.name, other.won, other.lost, other.shared)}`),
      h("span", {}, W.library.averages(number.format(other.average), number.format(other.their_average)))))) : "",
    naming(one, everybody));
}

/** Draw the players' profiles, and the statistics of each game. */
async function drawStatistics() {
  const { profiles, standings } = await (await ask("/api/library")).json();
  const kinds = [...new Set(standings.map((one) => one.game))];
  byId("library").replaceChildren(
    head("library-title", W.library.statistics, () => byId("library").close()),
    suggestions(profiles.map(({ name }) => name)),
    h("div", { class: "library-room" },
      says,
      profiles.length ? h("div", { class: "lobby-cards" }, ...profiles.map((one) => profile(one, profiles))) : h("p", { class: "lobby-quiet" }, W.library.nobody),
      ...kinds.map((game) => statistics(titles[game] ?? game, standings.filter((one) => one.game === game)))));
}

async function draw() {
  const { games, unreadable } = await (await ask("/api/library")).json();
  byId("library").replaceChildren(
    head("library-title", W.library.title, () => byId("library").close()),
    h("div", { class: "library-room" },
      says,
      games.length + unreadable.length ? h("div", { class: "lobby-cards" }, ...games.map(card), ...unreadable.map(badCard)) : h("p", { class: "lobby-quiet" }, W.library.empty),
      h("div", { class: "lobby-tools" }, ...importing(), games.length ? button(W.library.exportAll, () => quietly(async () => {
        save(await (await ask("/api/library/export.zip")).blob(), "tilesight-games.zip");
        say("");
      })) : "")));
}

/** Open the sheet with a title, and draw its content. */
function show(title, drawn) {
  say("");
  byId("library").replaceChildren(head("library-title", title, () => byId("library").close()), h("div", { class: "library-room" }, says));
  byId("library").showModal();
  quietly(async () => {
    const { editions } = await (await ask("/api/lobby")).json();
    // A game is named after its first edition with known faces.
    titles = Object.fromEntries(editions.reverse().flatMap((one) => [[one.game, editionTitle(one)], [one.pack, editionTitle(one)]]));
    await drawn();
    say("");
  });
}

byId("library-open").disabled = byId("statistics-open").disabled = !key;
byId("library-open").addEventListener("click", () => show(W.library.title, draw));
byId("statistics-open").addEventListener("click", () => show(W.library.statistics, drawStatistics));
