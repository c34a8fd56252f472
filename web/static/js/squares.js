// The dashboard of games on squares: draws the table's state, and sends what its people say.

import { command, getState, keyHolds, takeKey } from "./api.js";
import { byId } from "./dom.js";
import { listen } from "./stream.js";

const SVG = "http://www.w3.org/2000/svg";
const TURN = { n: 0, e: 90, s: 180, w: 270 };
const SIDE = { n: "north", e: "east", s: "south", w: "west" };
const SEEING = { starting: "waiting for the camera", watching: "watching", moving: "hands on the table", unclear: "something is wrong", lost: "the board is not in view", ended: "no more pictures" };

let state = null;
let photos = 0;
let mayChange = false;
let waiting = null;

function svg(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent?.append(element);
  return element;
}

function html(name, text, parent, attributes = {}) {
  const element = document.createElement(name);
  if (text !== null) element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent?.append(element);
  return element;
}

const middle = (cell) => [cell.charCodeAt(0) - 97 + 0.5, state.terrain.length - Number(cell.slice(1)) + 0.5];
const art = (name) => `/art/token-${encodeURIComponent(name)}`;
const called = (color) => state.players.find((player) => player.color === color)?.name ?? color;

function drawBoard() {
  const board = byId("board");
  board.replaceChildren();
  const size = state.terrain.length;
  if (!size) return;
  const tip = svg("marker", { id: "tip", viewBox: "0 0 10 10", refX: 8, refY: 5, markerWidth: 4, markerHeight: 4, orient: "auto-start-reverse" }, svg("defs", {}, board));
  svg("path", { d: "M0 0L10 5L0 10z", fill: "var(--clay)" }, tip);
  state.terrain.forEach((row, y) => [...row].forEach((kind, x) => svg("rect", { class: "sq-square", "data-kind": kind, x, y, width: 1, height: 1 }, board)));
  for (let i = 0; i < size; i += 1) {
    svg("text", { class: "sq-name", x: i + 0.5, y: size + 0.38 }, board).textContent = String.fromCharCode(97 + i);
    svg("text", { class: "sq-name", x: -0.28, y: i + 0.6 }, board).textContent = size - i;
  }
  const before = new Map(state.guide.filter((step) => !step.done).map((step) => [step.from.name, step]));
  for (const figure of state.figures) {
    const step = before.get(figure.name);
    drawFigure(board, figure.facing && step ? step.from : figure);
    if (figure.facing && step) drawWay(board, step);
  }
  for (const one of state.misplaced) {
    const [x, y] = middle((one.seen ?? one.expected).cell);
    svg("circle", { class: "sq-wrong", cx: x, cy: y, r: 0.56 }, board);
  }
}

function drawFigure(board, figure) {
  const [x, y] = middle(figure.cell);
  const group = svg("g", { class: "sq-figure", transform: `translate(${x} ${y})` }, board);
  if (figure.facing) {
    svg("title", {}, group).textContent = `${figure.name} on ${figure.cell}, looking ${SIDE[figure.facing]}`;
    const turned = svg("g", { transform: `rotate(${TURN[figure.facing]})` }, group);
    svg("image", { href: art(figure.name), x: -0.42, y: -0.42, width: 0.84, height: 0.84 }, turned);
  } else {
    svg("title", {}, group).textContent = `${called(figure.name)}'s ${figure.kind} on ${figure.cell}`;
    svg("circle", { class: "sq-pawn", r: 0.3, fill: `var(--${figure.name})` }, group);
    svg("text", { class: "sq-name", y: 0.12, style: "fill:var(--ink);font-weight:700" }, group).textContent = figure.name[0].toUpperCase();
  }
}

function drawWay(board, step) {
  const [x, y] = middle(step.from.cell);
  const [u, v] = middle(step.to.cell);
  if (step.from.cell === step.to.cell) return;
  svg("line", { class: "sq-way", x1: x, y1: y, x2: u, y2: v }, board);
}

function drawPlayers() {
  const room = byId("players");
  room.replaceChildren();
  for (const player of state.players) {
    const part = html("div", null, room, { class: "sq-player" });
    html("h2", `${player.name} (${player.color}): ${player.score} of ${state.names.length}`, part);
    const boxes = html("ul", null, part, { class: "sq-boxes" });
    for (const name of state.names) {
      const has = player.collected.includes(name);
      const box = html("li", null, boxes, { "data-has": has ? "yes" : "no" });
      html("img", null, box, { src: art(name), alt: has ? `${name}: photographed` : `${name}: not yet` });
    }
  }
}

function drawGuide() {
  byId("guide").hidden = state.guide.length === 0;
  const steps = byId("steps");
  steps.replaceChildren();
  for (const { from, to, why, done } of state.guide) {
    const goes = from.cell === to.cell ? `stays on ${to.cell}` : `${from.cell} → ${to.cell}`;
    html("li", `${from.name}: ${goes}, looks ${SIDE[to.facing]} (${why})`, steps, { "data-done": done ? "yes" : "no" });
  }
}

function drawLog() {
  const log = byId("log");
  log.replaceChildren();
  state.turns.forEach((turn, i) => {
    const taken = state.events.filter((event) => event.turn === i + 1).map((event) => `${called(event.player)}: ${event.why}`);
    const what = turn.pass ? "passes" : `to ${turn.to}`;
    log.prepend(html("li", `${called(turn.player)} ${what}${taken.length ? `. Photo: ${taken.join("; ")}` : ""}`, null));
  });
}

function drawAlarm() {
  const told = [...state.misplaced.map((one) => one.message), ...state.faults];
  const alarm = byId("alarm");
  alarm.hidden = told.length === 0;
  alarm.replaceChildren(...told.map((text) => html("p", text[0].toUpperCase() + text.slice(1), null)));
}

/** A click like a camera's, made here: no sound file. */
function click() {
  try {
    const audio = new AudioContext();
    const length = 0.06;
    const noise = audio.createBuffer(1, length * audio.sampleRate, audio.sampleRate);
    noise.getChannelData(0).forEach((_, i, all) => { all[i] = (Math.random() * 2 - 1) * (1 - i / all.length) ** 2; });
    const source = audio.createBufferSource();
    source.buffer = noise;
    source.connect(audio.destination);
    source.start();
  } catch {
    // A browser without sound, or one that was not touched yet.
  }
}

function draw() {
  byId("title").textContent = state.title + (state.rendered ? " (rendered sample)" : "");
  byId("moves").textContent = state.turns_at_most ? `move ${Math.min(state.turn_no + 1, state.turns_at_most)} of ${state.turns_at_most}` : "";
  byId("camera").textContent = state.camera.message || SEEING[state.camera.seeing];
  const turn = byId("turn");
  if (state.missing) turn.textContent = `Setting up. Not seen yet: ${state.missing}`;
  else if (state.phase === "over") turn.textContent = state.outcome;
  else if (state.guide.some((step) => !step.done)) turn.textContent = "The animals move now";
  else turn.textContent = state.player ? `${called(state.player)}'s turn (${state.player})` : "";
  drawBoard();
  drawPlayers();
  drawGuide();
  drawLog();
  drawAlarm();
  byId("commands").hidden = !mayChange;
  byId("undo").disabled = !state.can_undo;
  byId("end").disabled = !state.can_end;
  if (state.events.length > photos && photos >= 0) {
    document.body.classList.remove("sq-flash");
    requestAnimationFrame(() => document.body.classList.add("sq-flash"));
    click();
  }
  photos = state.events.length;
}

async function refresh() {
  state = await getState();
  draw();
}

/** Many events at once make one look. */
function soon() {
  clearTimeout(waiting);
  waiting = setTimeout(() => refresh().catch(() => {}), 60);
}

async function begin() {
  photos = -1;
  await refresh();
  listen({ after: state.last_event_id, onEvent: soon, onLink: (link) => link === "live" && soon() });
  const key = takeKey();
  if (key) mayChange = await keyHolds(key).catch(() => false);
  byId("undo").addEventListener("click", () => command("undo").then(soon, soon));
  byId("end").addEventListener("click", () => command("end").then(soon, soon));
  draw();
}

begin();
