// The dashboard: fetch the table's state, draw it, and fetch it again whenever something happens.

import { command, forgetKey, getPack, getState, keyHolds, takeKey } from "./api.js";
import { Board } from "./board.js";
import { byId } from "./dom.js";
import { showFinal } from "./final.js";
import { showLastTurn } from "./last_turn.js";
import { Log } from "./log.js";
import { Panel } from "./panel.js";
import { Questions } from "./questions.js";
import { Scores } from "./scores.js";
import { listen } from "./stream.js";
import { showTile } from "./tile_card.js";
import { Toasts } from "./toasts.js";
import { LINK, seeing, tilesLeft } from "./words.js";

const RETRY_MS = 2000;

let state = null;
let pack = null;
let mayChange = false;
let fetching = false;
let again = false;
let tileShown = null;

const toasts = new Toasts(byId("toasts"));
const panel = new Panel(byId("panel"), byId("panel-handle"), byId("panel-handle-text"));
const scores = new Scores(byId("scores"));
const questions = new Questions(byId("questions"), byId("panel"), (question, option) => send("answer", { question, option }));
const board = new Board(byId("board"), {
  onTile: (cell) => {
    log.clear();
    openTile(cell && String(cell) !== String(tileShown) ? cell : null);
  },
  onFollow: (on) => byId("zoom-fit").setAttribute("aria-pressed", on),
});
const log = new Log(byId("log"), byId("chart"), { points: byId("log-points"), all: byId("log-all"), chart: byId("log-chart") }, (what) => {
  openTile(null);
  board.highlight(what);
});

function openTile(cell) {
  tileShown = cell;
  if (!state) return;
  board.pick(cell);
  byId("tile-card").dataset.at = cell && board.isLow(cell) ? "top" : "bottom";
  showTile(byId("tile-card"), cell, state, pack);
}

function draw() {
  document.body.dataset.phase = state.phase;
  document.title = state.title ? `${state.title} · Tilesight` : "Tilesight";
  byId("table-title").textContent = state.title;
  byId("board-sample").hidden = !state.rendered;
  byId("board-empty").hidden = state.board.length > 0;
  byId("bag").hidden = state.phase === "over";
  byId("bag").textContent = tilesLeft(state.tiles_left);
  byId("camera").dataset.seeing = state.camera.seeing;
  byId("camera-text").textContent = seeing(state.camera);
  board.update(state, pack);
  scores.update(state);
  showLastTurn(byId("last-turn"), state, pack);
  questions.update(state.questions, mayChange);
  showFinal(byId("final"), state);
  log.update(state, pack);
  // A tile that was taken back has no card any more.
  if (tileShown) openTile(state.board.some((laid) => String(laid.cell) === String(tileShown)) ? tileShown : null);
  byId("commands").hidden = !mayChange || !(state.can_undo || state.can_redo || state.can_end);
  byId("reader").hidden = mayChange;
  byId("do-undo").disabled = !state.can_undo;
  byId("do-redo").disabled = !state.can_redo;
  byId("do-end").disabled = !state.can_end;
  warn();
}

function warn() {
  const unclear = state.camera.seeing === "unclear" || state.camera.seeing === "lost";
  if (unclear) toasts.show(seeing({ ...state.camera, message: "", frame: null }), state.camera.message, { key: "camera", lasting: true });
  else toasts.clear("camera");
  if (state.faults.length) {
    const said = state.faults.map((fault) => fault.message).join(" ");
    toasts.show("This does not fit", said, { kind: "fault", key: "fault", lasting: true });
  } else toasts.clear("fault");
}

/** Fetch the state; calls that come while one is under way make one more, not many. */
async function refresh() {
  if (fetching) {
    again = true;
    return;
  }
  fetching = true;
  try {
    do {
      again = false;
      const next = await getState();
      if (!pack || pack.id !== next.pack) pack = await getPack();
      const over = state && state.phase !== "over" && next.phase === "over";
      state = next;
      draw();
      if (over) panel.open(true);
    } while (again);
  } catch (error) {
    console.warn(error);
    setTimeout(refresh, RETRY_MS);
  } finally {
    fetching = false;
  }
}

async function send(name, body) {
  try {
    await command(name, body);
    await refresh();
  } catch (error) {
    if (error.status === 403) {
      mayChange = false;
      forgetKey();
    }
    toasts.show("That did not work", error.message, { kind: "fault", key: "command" });
    throw error;
  }
}

function showLink(link) {
  byId("connection").dataset.link = link;
  byId("connection-text").textContent = LINK[link];
}

function hearButtons() {
  byId("zoom-in").addEventListener("click", () => board.view.zoom(1.45));
  byId("zoom-out").addEventListener("click", () => board.view.zoom(1 / 1.45));
  byId("zoom-fit").addEventListener("click", () => board.view.fit());
  const quietly = (name) => () => send(name).catch(() => {});
  byId("do-undo").addEventListener("click", quietly("undo"));
  byId("do-redo").addEventListener("click", quietly("redo"));
  byId("do-end").addEventListener("click", () => {
    if (confirm("End the game now and score it?")) quietly("end")();
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
    toasts.show("The key does not fit", "You can watch, but not change anything.", { key: "key" });
  } else if (state) draw();
}

hearButtons();
addEventListener("hashchange", join);
await join();
await refresh();
let linked = false;
listen({
  after: state?.last_event_id ?? 0,
  onEvent: refresh,
  onLink: (link) => {
    showLink(link);
    // What happened while the line was down may be older than the events that the table keeps.
    if (link === "live" && linked) {
      refresh();
      if (!mayChange) join();
    }
    linked ||= link === "live";
  },
});
