// Dashboard of games on squares: figures with directions, photo boxes, and the guide to the figures' moves.

import { artFor } from "./art.js";
import { getState } from "./api.js";
import { CameraView } from "./camera_view.js";
import { Dashboard } from "./dashboard.js";
import { byId, h } from "./dom.js";
import { showFinal } from "./final.js";
import { meepleIcon } from "./meeple.js";
import { moveDeed, openFigure, openMove, openSetUp } from "./squares_sheets.js";
import { boardless, figurePicture, photoBoxes, showWord, shownBoard, stepWords, turnOfMost, wrong } from "./squares_shown.js";
import { W, animalName, isBlind, namesOf, phrase, sentenceCase } from "./words.js";

const PHOTO_MS = 3200;

let lit = [];
let taken = null; // keys of the photographs that were already shown

const dashboard = new Dashboard({
  draw,
  openTurn: openMove,
  wrong,
  fixedOrder: true,
  worrying: ["lost"], // the alarm shows what is unclear
  packOf: async (state) => ({ id: state.pack, designs: {}, tokens: {} }),
  voice: { sound: true, scoreTone: null },
  scores: { inside: (player, _, state) => [photoBoxes(player, state)], label: photoLabel },
  log: {
    onShow: (part) => {
      lit = part?.cells ?? [];
      drawBoard(table.shown);
    },
    deed: moveDeed,
    cells: (turn) => (turn.to ? [turn.to] : []),
  },
});
const { table } = dashboard;
const camera = new CameraView(byId("camera-view"), byId("camera-show"), () => {});

function photoLabel(player, score, onTurn, state) {
  const color = W.colors[player.color] ?? player.color;
  return `${player.name} (${color}): ${W.squares.photos(score, state.names.length)}${onTurn ? `, ${W.turn.toPlay}` : ""}. ${W.player.openName(player.name)}`;
}

function draw(state) {
  const { now } = table;
  byId("fact").hidden = state.turns_at_most === null;
  byId("fact").textContent = turnOfMost(state);
  byId("board-empty").hidden = state.terrain.length > 0;
  byId("board-empty-text").textContent = boardless(state);
  byId("do-set-up").disabled = !now.can_correct;
  drawBoard(state);
  camera.look(table.at);
  camera.tell(isBlind(table.now.camera));
  showWord(byId("last-turn"), state, table.at !== null);
  showGuide(state);
  showAlarm(now);
  showEnd(state);
  showPhotos(now);
}

function drawBoard(state) {
  const held = byId("board").querySelector(".square-touch:focus")?.dataset.square;
  byId("board").replaceChildren(state?.terrain.length ? shownBoard(state, lit, (cell) => openFigure(cell, dashboard.about, { shown: state, onTurn: (number) => dashboard.lookAtTurn(number) })) : "");
  if (held) byId("board").querySelector(`[data-square="${held}"]`)?.focus();
}

function showGuide(state) {
  byId("guide").hidden = state.guide.length === 0;
  const first = state.guide.findIndex((step) => !step.done);
  byId("steps").replaceChildren(...state.guide.map((step, i) =>
    h("li", { class: "step", "data-done": step.done ? "yes" : "no", "aria-current": i === first ? "step" : null },
      figurePicture(state, step.to.name, step.to.facing),
      h("span", {}, h("b", {}, sentenceCase(animalName(step.to.name))), ` ${stepWords(step)}`, h("small", {}, sentenceCase(phrase(step.said, step.why)))),
      step.done && table.at === null ? h("span", { class: "step-done" }, "✓", h("span", { class: "hidden" }, W.squares.done)) : "")));
}

function showAlarm(now) {
  const told = wrong(now).map((one) => sentenceCase(phrase(one.said, one.message)));
  const alarm = byId("alarm");
  const same = alarm.dataset.said === JSON.stringify([told, dashboard.mayChange]);
  alarm.hidden = told.length === 0;
  byId("panel").dataset.alarm = told.length > 0;
  if (same) return;
  alarm.dataset.said = JSON.stringify([told, dashboard.mayChange]);
  const agree = dashboard.mayChange && now.can_correct && now.misplaced.length > 0;
  alarm.replaceChildren(...told.map((text) => h("p", {}, `${text}.`)), agree ? h("button", { type: "button", class: "plain", onclick: () => dashboard.correct({ agreed: true }).catch(() => {}) }, W.squares.agreed) : "");
}

/** Show the end of the game. A game that was aborted has no winner. */
function showEnd(state) {
  if (!state.final || state.finished) {
    showFinal(byId("final"), state);
    return;
  }
  byId("final").hidden = false;
  byId("final").replaceChildren(h("div", { class: "victory" }, h("div", {}, h("h2", {}, W.squares.brokenOff), h("p", {}, state.players.map((player) => `${player.name} ${player.score}`).join(", ")))));
}

/** Show new photographs for a moment, with a flash and a click. */
function showPhotos(now) {
  const keyed = new Map(now.events.map((event) => [JSON.stringify(event), event]));
  const fresh = taken === null ? [] : [...keyed].filter(([key]) => !taken.has(key)).map(([, event]) => event);
  taken = new Set(keyed.keys());
  if (!fresh.length) return;
  const names = namesOf(now);
  dashboard.voice.shutter();
  byId("flash").classList.remove("on");
  void byId("flash").offsetWidth; // restarts the flash animation
  byId("flash").classList.add("on");
  for (const event of fresh) {
    const card = h("figure", { class: `photo ink-${event.player}` },
      now.art[event.species] ? h("img", { src: artFor(now.art[event.species], 60), alt: "" }) : "",
      h("figcaption", {}, meepleIcon(event.player), W.squares.gets(names[event.player] ?? event.player, phrase(event.said, event.why))));
    byId("photos").append(card);
    setTimeout(() => card.remove(), PHOTO_MS);
  }
}

byId("do-set-up").addEventListener("click", async () => openSetUp({ ...dashboard.about, start: await getState(0) }));
await dashboard.start();
