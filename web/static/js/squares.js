// The dashboard of games on squares: draws the table's state, and sends what its people say.

import { command, forgetKey, getState, keepKey, keyHolds, takeKey } from "./api.js";
import { CameraView } from "./camera_view.js";
import { byId, h } from "./dom.js";
import { showFinal } from "./final.js";
import { Log } from "./log.js";
import { meepleIcon } from "./meeple.js";
import { openMenu } from "./menu.js";
import { Panel } from "./panel.js";
import { openPlayer } from "./player_sheet.js";
import { Questions } from "./questions.js";
import { Scores } from "./scores.js";
import { squaresBoard } from "./squares_board.js";
import { moveDeed, openMove, openSetUp } from "./squares_sheets.js";
import { listen } from "./stream.js";
import { Table } from "./table.js";
import { Timeline } from "./timeline.js";
import { Toasts } from "./toasts.js";
import { Voice } from "./voice.js";
import { W, animalName, fillWords, namesOf, phrase, seeing, sentenceCase } from "./words.js";

const PHOTO_MS = 3200;

let mayChange = false;
let lit = [];
let taken = null; // photographs that were told already, by what makes them the same
let wasOver = null;

const table = new Table(draw, async (state) => ({ id: state.pack, designs: {}, tokens: {} }));
const voice = new Voice({ sound: true, scoreTone: null });
const toasts = new Toasts(byId("toasts"));
const panel = new Panel(byId("panel"), byId("panel-handle"), byId("panel-handle-text"));
const scores = new Scores(byId("scores"), (color) => openPlayer(color, { ...what(), pack: table.pack, mayChange, onName: (body) => send("seat", body) }), { inside: photoBoxes, label: photoLabel });
const questions = new Questions(byId("questions"), byId("panel"), { onAnswer: (question, option) => send("answer", { question, option }), onOther: lookAtTurn });
const timeline = new Timeline(byId("timeline"), (turn) => table.look(turn).catch(failed));
new CameraView(byId("camera-view"), byId("camera-show"), () => {});
const log = new Log(byId("log"), byId("chart"), { points: byId("log-points"), all: byId("log-all"), chart: byId("log-chart") }, {
  onShow: (part) => {
    lit = part?.cells ?? [];
    drawBoard(table.shown);
  },
  onTurn: lookAtTurn,
  deed: moveDeed,
  cells: (turn) => (turn.to ? [turn.to] : []),
});

/** What sheets are about: always the table as it is now. */
const what = () => ({ state: table.now, mayCorrect: mayChange && table.now.can_correct });

function lookAtTurn(number) {
  openMove(number, { ...what(), before: table.before, onCorrect: correct });
}

async function correct(body) {
  await send("correct", body);
  toasts.show(W.notes.saved, "", { key: "command" });
}

function photoBoxes(player, _, state) {
  return [h("span", { class: "photo-boxes" }, ...state.names.map((name) => {
    const has = player.collected.includes(name);
    const said = has ? W.squares.has(animalName(name)) : W.squares.lacks(animalName(name));
    return h("img", { class: "photo-box", "data-has": has ? "yes" : "no", src: state.art[name], alt: said, title: said });
  }))];
}

function photoLabel(player, score, onTurn, state) {
  const color = W.colors[player.color] ?? player.color;
  return `${player.name} (${color}): ${W.squares.photos(score, state.names.length)}${onTurn ? `, ${W.turn.toPlay}` : ""}. ${W.player.openName(player.name)}`;
}

function draw() {
  const { now, shown: state, pack } = table;
  document.body.dataset.phase = state.phase;
  document.title = state.title ? `${state.title} · Tilesight` : "Tilesight";
  byId("table-title").textContent = state.title;
  byId("board-sample").hidden = !state.rendered;
  byId("board-past").hidden = table.at === null;
  byId("board-past").textContent = table.at === null ? "" : W.time.past(table.at);
  byId("moves").hidden = state.turns_at_most === null;
  byId("moves").textContent = state.turns_at_most === null ? "" : W.squares.move(Math.min(state.turn_no + (state.phase === "over" ? 0 : 1), state.turns_at_most), state.turns_at_most);
  byId("camera").dataset.seeing = now.camera.seeing;
  byId("camera-text").textContent = seeing(now.camera);
  byId("board-empty").hidden = state.terrain.length > 0;
  byId("board-empty-text").textContent = state.missing ? `${W.squares.settingUp} ${sentenceCase(phrase(state.missing))}` : W.page.boardEmpty;
  drawBoard(state);
  scores.update(state, pack);
  showWord(state);
  showGuide(state);
  showAlarm(now);
  questions.update(now.questions, pack, mayChange);
  showEnd(state);
  log.update(state, pack);
  timeline.update(now.turns.length, table.at);
  showCommands(now);
  warn(now);
  showPhotos(now);
  voice.update({ ...now, faults: [...now.misplaced, ...now.faults] });
  const over = now.phase === "over";
  if (over && wasOver === false) panel.open(true);
  wasOver = over;
}

/** Figures stand where they still have to leave from, or where they were put wrongly. */
function drawBoard(state) {
  if (!state?.terrain.length) {
    byId("board").replaceChildren();
    return;
  }
  const waiting = new Map([
    ...state.guide.filter((step) => !step.done).map((step) => [step.from.name, step.from]),
    ...state.misplaced.filter((one) => one.seen).map((one) => [one.seen.name, one.seen]),
  ]);
  const figures = state.figures.map((one) => (one.facing ? waiting.get(one.name) : undefined) ?? one);
  const turn = state.turns.at(-1);
  byId("board").replaceChildren(squaresBoard({
    terrain: state.terrain, figures, art: state.art, names: namesOf(state), guide: state.guide, lit,
    wrong: state.misplaced.map((one) => (one.seen ?? one.expected).cell), last: turn?.to ? [turn.to] : [],
  }));
}

/** One sentence: what is to be done now, else what was done last. */
function showWord(state) {
  const room = byId("last-turn");
  const names = namesOf(state);
  const turn = state.turns.at(-1);
  const open = state.guide.filter((step) => !step.done);
  const said = JSON.stringify([turn, open[0], state.phase, state.missing, state.events.length]);
  if (room.dataset.said === said) return; // the same sentence again would be read out again
  room.dataset.said = said;
  if (open.length && table.at === null) {
    const number = state.guide.length - open.length + 1;
    room.replaceChildren(picture(state, open[0].to.name, open[0].to.facing), h("p", { class: "says" }, h("span", { class: "when" }, W.squares.stepOf(number, state.guide.length)), h("b", {}, sentenceCase(animalName(open[0].to.name))), ` ${stepWords(open[0])}`));
  } else if (turn) {
    const photos = state.events.filter((event) => event.turn === turn.turn);
    const next = state.player && table.at === null ? ` ${W.squares.next(names[state.player] ?? state.player)}` : "";
    const got = photos.map((event) => W.squares.gets(names[event.player] ?? event.player, phrase(event.why)));
    room.replaceChildren(h("span", { class: `says-who ink-${turn.player}` }, meepleIcon(turn.player)), h("p", { class: "says" }, h("span", { class: "when" }, W.turn.short(turn.turn)), h("b", {}, names[turn.player] ?? turn.player), ` ${moveDeed(turn)}. ${got.join(" ")}${next}`));
  } else if (state.missing) {
    room.replaceChildren(h("p", { class: "says" }, h("span", { class: "when" }, W.squares.settingUp), sentenceCase(phrase(state.missing))));
  } else {
    room.replaceChildren(state.player ? h("p", { class: "says" }, W.turn.begins(names[state.player] ?? state.player)) : "");
  }
}

const picture = (state, name, facing) => h("img", { src: state.art[name], alt: "", width: 52, height: 52, class: "says-figure", style: `transform: rotate(${{ n: 0, e: 90, s: 180, w: 270 }[facing]}deg)` });
const stepWords = ({ from, to }) => (from.cell === to.cell ? W.squares.turns(to.cell, W.squares.sides[to.facing]) : W.squares.walks(from.cell, to.cell, W.squares.sides[to.facing]));

function showGuide(state) {
  byId("guide").hidden = state.guide.length === 0;
  const first = state.guide.findIndex((step) => !step.done);
  byId("steps").replaceChildren(...state.guide.map((step, i) =>
    h("li", { class: "step", "data-done": step.done ? "yes" : "no", "aria-current": i === first ? "step" : null },
      picture(state, step.to.name, step.to.facing),
      h("span", {}, h("b", {}, sentenceCase(animalName(step.to.name))), ` ${stepWords(step)}`, h("small", {}, sentenceCase(phrase(step.why)))),
      step.done && table.at === null ? h("span", { class: "step-done" }, "✓", h("span", { class: "hidden" }, W.squares.done)) : "")));
}

function showAlarm(now) {
  const told = [...now.misplaced, ...now.faults].map((one) => sentenceCase(phrase(one.message)));
  const alarm = byId("alarm");
  const same = alarm.dataset.said === JSON.stringify([told, mayChange]);
  alarm.hidden = told.length === 0;
  byId("panel").dataset.alarm = told.length > 0;
  if (same) return;
  alarm.dataset.said = JSON.stringify([told, mayChange]);
  const agree = mayChange && now.can_correct && now.misplaced.length > 0;
  alarm.replaceChildren(...told.map((text) => h("p", {}, `${text}.`)), agree ? h("button", { type: "button", class: "plain", onclick: () => correct({ agreed: true }).catch(() => {}) }, W.squares.agreed) : "");
}

/** A game that was broken off has nobody who won. */
function showEnd(state) {
  if (!state.final || state.finished) {
    showFinal(byId("final"), state);
    return;
  }
  byId("final").hidden = false;
  byId("final").replaceChildren(h("div", { class: "victory" }, h("div", {}, h("h2", {}, W.squares.brokenOff), h("p", {}, state.players.map((player) => `${player.name} ${player.score}`).join(", ")))));
}

/** What was photographed since the last look: a flash, a click, and the picture for a moment. */
function showPhotos(now) {
  const keyed = new Map(now.events.map((event) => [JSON.stringify(event), event]));
  const fresh = taken === null ? [] : [...keyed].filter(([key]) => !taken.has(key)).map(([, event]) => event);
  taken = new Set(keyed.keys());
  if (!fresh.length) return;
  const names = namesOf(now);
  voice.shutter();
  byId("flash").classList.remove("on");
  void byId("flash").offsetWidth; // the flash begins anew
  byId("flash").classList.add("on");
  for (const event of fresh) {
    const card = h("figure", { class: `photo ink-${event.player}` },
      now.art[event.species] ? h("img", { src: now.art[event.species], alt: "" }) : "",
      h("figcaption", {}, meepleIcon(event.player), W.squares.gets(names[event.player] ?? event.player, phrase(event.why))));
    byId("photos").append(card);
    setTimeout(() => card.remove(), PHOTO_MS);
  }
}

function showCommands(now) {
  byId("commands").hidden = !mayChange || !(now.can_undo || now.can_redo || now.can_end || now.can_correct);
  byId("reader").hidden = mayChange;
  byId("do-undo").disabled = !now.can_undo;
  byId("do-redo").disabled = !now.can_redo;
  byId("do-end").disabled = !now.can_end;
  byId("do-add").disabled = !now.can_correct;
  byId("do-set-up").disabled = !now.can_correct;
}

function warn(now) {
  const lost = now.camera.seeing === "lost";
  if (lost) toasts.show(seeing({ ...now.camera, message: "", frame: null }), phrase(now.camera.message), { key: "camera", lasting: true });
  else toasts.clear("camera");
}

function failed(error) {
  if (error.status === 403) {
    mayChange = false;
    forgetKey();
  }
  toasts.show(W.notes.failed, sentenceCase(phrase(error.message)), { kind: "fault", key: "command" });
}

async function send(name, body) {
  try {
    await command(name, body);
    await table.refresh();
  } catch (error) {
    failed(error);
    throw error;
  }
}

function hearButtons() {
  byId("menu").addEventListener("click", () => openMenu({ voice, mayChange, onKey: (key) => {
    keepKey(key);
    join().then(() => mayChange && document.querySelector("dialog.sheet")?.close());
  } }));
  const quietly = (name) => () => send(name).catch(() => {});
  byId("do-undo").addEventListener("click", quietly("undo"));
  byId("do-redo").addEventListener("click", quietly("redo"));
  byId("do-add").addEventListener("click", () => lookAtTurn(table.now.turns.length + 1));
  byId("do-set-up").addEventListener("click", async () => openSetUp({ start: await getState(0), onCorrect: correct }));
  byId("do-end").addEventListener("click", () => {
    if (confirm(W.notes.end)) quietly("end")();
  });
}

async function join() {
  const key = takeKey();
  if (!key) return;
  try {
    mayChange = await keyHolds(key);
  } catch {
    return; // not asked yet: the next connection tries again
  }
  if (!mayChange) {
    forgetKey();
    toasts.show(W.notes.badKey, W.notes.badKeyWhy, { key: "key" });
  } else if (table.now) draw();
}

fillWords();
hearButtons();
addEventListener("hashchange", join);
navigator.serviceWorker?.register("/sw.js").catch((error) => console.info("no home-screen app", error.message));
await join();
await table.refresh();
let linked = false;
listen({
  after: table.now?.last_event_id ?? 0,
  onEvent: () => table.refresh(),
  onLink: (link) => {
    byId("connection").dataset.link = link;
    byId("connection-text").textContent = W.link[link];
    // What happened while the line was down may be older than the events that the table keeps.
    if (link === "live" && linked) {
      table.refresh();
      if (!mayChange) join();
    }
    linked ||= link === "live";
  },
});
