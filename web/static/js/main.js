// The dashboard: draws the table's state, and sends what its people say.

import { command, forgetKey, keepKey, keyHolds, takeKey } from "./api.js";
import { Board } from "./board.js";
import { CameraView } from "./camera_view.js";
import { byId } from "./dom.js";
import { showFinal } from "./final.js";
import { showLastTurn } from "./last_turn.js";
import { Log } from "./log.js";
import { openMenu } from "./menu.js";
import { Panel } from "./panel.js";
import { openPlayer } from "./player_sheet.js";
import { Questions } from "./questions.js";
import { Scores } from "./scores.js";
import { listen } from "./stream.js";
import { Table } from "./table.js";
import { showTile } from "./tile_card.js";
import { Timeline } from "./timeline.js";
import { Toasts } from "./toasts.js";
import { openTurn } from "./turn_sheet.js";
import { Voice } from "./voice.js";
import { W, fillWords, phrase, seeing } from "./words.js";

let mayChange = false;
let tileShown = null;
let wasOver = null;

const table = new Table(draw);
const voice = new Voice();
const toasts = new Toasts(byId("toasts"));
const panel = new Panel(byId("panel"), byId("panel-handle"), byId("panel-handle-text"));
const scores = new Scores(byId("scores"), (color) => openPlayer(color, { ...what(), mayChange, onName: (body) => send("seat", body), onCorrect: correct }));
const questions = new Questions(byId("questions"), byId("panel"), { onAnswer: (question, option) => send("answer", { question, option }), onOther: lookAtTurn });
const timeline = new Timeline(byId("timeline"), (turn) => table.look(turn).catch(failed));
const camera = new CameraView(byId("camera-view"), byId("camera-show"), (cell) => openTile(isLaid(cell) ? cell : null));
const board = new Board(byId("board"), {
  onTile: (cell) => {
    log.clear();
    openTile(cell && String(cell) !== String(tileShown) ? cell : null);
  },
  onFollow: (on) => byId("zoom-fit").setAttribute("aria-pressed", on),
});
const log = new Log(byId("log"), byId("chart"), { points: byId("log-points"), all: byId("log-all"), chart: byId("log-chart") }, {
  onShow: (part) => {
    openTile(null);
    board.highlight(part);
  },
  onTurn: lookAtTurn,
});

/** What sheets are about: always the table as it is now. */
const what = () => ({ state: table.now, pack: table.pack, mayCorrect: mayChange && table.now.can_correct });
const isLaid = (cell) => table.shown.board.some((laid) => String(laid.cell) === String(cell));

function openTile(cell) {
  tileShown = cell;
  if (!table.now) return;
  board.pick(cell);
  byId("tile-card").dataset.at = cell && board.isLow(cell) ? "top" : "bottom";
  showTile(byId("tile-card"), cell, table.shown, table.pack, lookAtTurn);
}

function lookAtTurn(number) {
  openTurn(number, { ...what(), before: table.before, onCorrect: correct });
}

async function correct(body) {
  await send("correct", body);
  toasts.show(W.notes.saved, "", { key: "command" });
}

function draw() {
  const { now, shown: state, pack } = table;
  document.body.dataset.phase = state.phase;
  document.title = state.title ? `${state.title} · Tilesight` : "Tilesight";
  byId("table-title").textContent = state.title;
  byId("board-sample").hidden = !state.rendered;
  byId("board-empty").hidden = state.board.length > 0;
  byId("board-past").hidden = table.at === null;
  byId("board-past").textContent = table.at === null ? "" : W.time.past(table.at);
  byId("bag").hidden = state.phase === "over";
  byId("bag").textContent = W.counts.tiles(state.tiles_left);
  byId("camera").dataset.seeing = now.camera.seeing;
  byId("camera-text").textContent = seeing(now.camera);
  board.update(state, pack);
  scores.update(state, pack);
  showLastTurn(byId("last-turn"), state, pack);
  questions.update(now.questions, pack, mayChange);
  showFinal(byId("final"), state);
  log.update(state, pack);
  timeline.update(now.turns.length, table.at);
  // A tile that was taken back has no card any more.
  if (tileShown) openTile(isLaid(tileShown) ? tileShown : null);
  showCommands(now);
  warn(now);
  voice.update(now);
  const over = now.phase === "over";
  if (over && wasOver === false) panel.open(true);
  wasOver = over;
}

function showCommands(now) {
  byId("commands").hidden = !mayChange || !(now.can_undo || now.can_redo || now.can_end || now.can_correct);
  byId("reader").hidden = mayChange;
  byId("do-undo").disabled = !now.can_undo;
  byId("do-redo").disabled = !now.can_redo;
  byId("do-end").disabled = !now.can_end;
  byId("do-add").disabled = !now.can_correct;
}

function warn(now) {
  const unclear = now.camera.seeing === "unclear" || now.camera.seeing === "lost";
  if (unclear) toasts.show(seeing({ ...now.camera, message: "", frame: null }), phrase(now.camera.message), { key: "camera", lasting: true });
  else toasts.clear("camera");
  if (now.faults.length) toasts.show(W.notes.fault, now.faults.map((fault) => phrase(fault.message)).join(" "), { kind: "fault", key: "fault", lasting: true });
  else toasts.clear("fault");
}

function failed(error) {
  if (error.status === 403) {
    mayChange = false;
    forgetKey();
  }
  toasts.show(W.notes.failed, error.message, { kind: "fault", key: "command" });
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

function showLink(link) {
  byId("connection").dataset.link = link;
  byId("connection-text").textContent = W.link[link];
}

function hearButtons() {
  byId("zoom-in").addEventListener("click", () => board.view.zoom(1.45));
  byId("zoom-out").addEventListener("click", () => board.view.zoom(1 / 1.45));
  byId("zoom-fit").addEventListener("click", () => board.view.fit());
  byId("menu").addEventListener("click", () => openMenu({ voice, mayChange, onKey: (key) => {
    keepKey(key);
    join().then(() => mayChange && document.querySelector("dialog.sheet")?.close());
  } }));
  const quietly = (name) => () => send(name).catch(() => {});
  byId("do-undo").addEventListener("click", quietly("undo"));
  byId("do-redo").addEventListener("click", quietly("redo"));
  byId("do-add").addEventListener("click", () => lookAtTurn(table.now.turns.length + 1));
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
    // Not asked yet: the next connection tries again.
    return;
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
    showLink(link);
    // What happened while the line was down may be older than the events that the table keeps.
    if (link === "live" && linked) {
      table.refresh();
      if (!mayChange) join();
    }
    linked ||= link === "live";
  },
});
