// The dashboard of games on squares: figures with facings, photo boxes, and the guide to the figures' step.

import { artFor } from "./art.js";
import { getState } from "./api.js";
import { CameraView } from "./camera_view.js";
import { Dashboard } from "./dashboard.js";
import { byId, h } from "./dom.js";
import { showFinal } from "./final.js";
import { meepleIcon } from "./meeple.js";
import { squaresBoard } from "./squares_board.js";
import { moveDeed, openMove, openSetUp } from "./squares_sheets.js";
import { W, animalName, namesOf, phrase, sentenceCase } from "./words.js";

const PHOTO_MS = 3200;

let lit = [];
let taken = null; // photographs that were told already, by what makes them the same

const wrong = (now) => [...now.misplaced, ...now.faults];
const dashboard = new Dashboard({
  draw,
  openTurn: openMove,
  wrong,
  worrying: ["lost"], // what is unclear stands in the alarm
  packOf: async (state) => ({ id: state.pack, designs: {}, tokens: {} }),
  voice: { sound: true, scoreTone: null },
  scores: { inside: photoBoxes, label: photoLabel },
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

function photoBoxes(player, _, state) {
  return [h("span", { class: "photo-boxes" }, ...state.names.map((name) => {
    const has = player.collected.includes(name);
    const said = has ? W.squares.has(animalName(name)) : W.squares.lacks(animalName(name));
    return h("img", { class: "photo-box", "data-has": has ? "yes" : "no", src: artFor(state.art[name], 60), alt: said, title: said });
  }))];
}

function photoLabel(player, score, onTurn, state) {
  const color = W.colors[player.color] ?? player.color;
  return `${player.name} (${color}): ${W.squares.photos(score, state.names.length)}${onTurn ? `, ${W.turn.toPlay}` : ""}. ${W.player.openName(player.name)}`;
}

function draw(state) {
  const { now } = table;
  byId("fact").hidden = state.turns_at_most === null;
  byId("fact").textContent = state.turns_at_most === null ? "" : W.squares.turn(Math.min(state.turn_no + (state.phase === "over" ? 0 : 1), state.turns_at_most), state.turns_at_most);
  byId("board-empty").hidden = state.terrain.length > 0;
  byId("board-empty-text").textContent = state.missing ? `${W.squares.settingUp} ${sentenceCase(phrase(state.missing))}` : W.page.boardEmpty;
  byId("do-set-up").disabled = !now.can_correct;
  drawBoard(state);
  camera.look(table.at);
  showWord(state);
  showGuide(state);
  showAlarm(now);
  showEnd(state);
  showPhotos(now);
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

const picture = (state, name, facing) => h("img", { src: artFor(state.art[name], 52), alt: "", width: 52, height: 52, class: "says-figure", style: `transform: rotate(${{ n: 0, e: 90, s: 180, w: 270 }[facing]}deg)` });
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
  const told = wrong(now).map((one) => sentenceCase(phrase(one.message)));
  const alarm = byId("alarm");
  const same = alarm.dataset.said === JSON.stringify([told, dashboard.mayChange]);
  alarm.hidden = told.length === 0;
  byId("panel").dataset.alarm = told.length > 0;
  if (same) return;
  alarm.dataset.said = JSON.stringify([told, dashboard.mayChange]);
  const agree = dashboard.mayChange && now.can_correct && now.misplaced.length > 0;
  alarm.replaceChildren(...told.map((text) => h("p", {}, `${text}.`)), agree ? h("button", { type: "button", class: "plain", onclick: () => dashboard.correct({ agreed: true }).catch(() => {}) }, W.squares.agreed) : "");
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
  dashboard.voice.shutter();
  byId("flash").classList.remove("on");
  void byId("flash").offsetWidth; // the flash begins anew
  byId("flash").classList.add("on");
  for (const event of fresh) {
    const card = h("figure", { class: `photo ink-${event.player}` },
      now.art[event.species] ? h("img", { src: artFor(now.art[event.species], 60), alt: "" }) : "",
      h("figcaption", {}, meepleIcon(event.player), W.squares.gets(names[event.player] ?? event.player, phrase(event.why))));
    byId("photos").append(card);
    setTimeout(() => card.remove(), PHOTO_MS);
  }
}

byId("do-set-up").addEventListener("click", async () => openSetUp({ ...dashboard.about, start: await getState(0) }));
await dashboard.start();
