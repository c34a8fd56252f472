// Chart of points over the turns. Each player has a line with its own dashes and a name, so it does not depend on
// colour.

import { s } from "./dom.js";
import { pieceShape } from "./meeple.js";
import { W } from "./words.js";

const WIDTH = 400;
const HEIGHT = 230;
const LEFT = 26;
const RIGHT = 74;
const BOTTOM = 20;
const DASHES = ["", "9 5", "2 6", "12 5 2 5", "5 4"];
const NAME_HEIGHT = 17;

/** Draw the chart into `room`. */
export function showChart(room, state) {
  if (!state.turns.length) {
    room.replaceChildren(W.chart.empty);
    return;
  }
  const series = state.players.map((player, i) => ({ player, dash: DASHES[i % DASHES.length], totals: running(state, player.color) }));
  const turns = series[0].totals.length - 1;
  const most = Math.max(5, ...series.map(({ totals }) => totals.at(-1)));
  const x = (turn) => LEFT + (turn / turns) * (WIDTH - LEFT - RIGHT);
  const y = (points) => 8 + (1 - points / most) * (HEIGHT - BOTTOM - 8);
  const step = niceStep(most);
  const grid = [];
  for (let p = 0; p <= most; p += step) {
    grid.push(s("line", { class: "chart-grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(p), y2: y(p) }),
      s("text", { class: "chart-axis", x: LEFT - 6, y: y(p) + 4, "text-anchor": "end" }, `${p}`));
  }
  for (let turn = turnStep(turns); turn <= turns - turnStep(turns) / 2; turn += turnStep(turns)) {
    grid.push(s("text", { class: "chart-axis", x: x(turn), y: HEIGHT - 2, "text-anchor": "middle" }, `${turn}`));
  }
  const names = spread(series.map(({ totals }) => y(totals.at(-1))));
  const lines = series.map(({ player, dash, totals }, i) => {
    const d = totals.map((p, turn) => (turn ? `H${x(turn).toFixed(1)}V${y(p).toFixed(1)}` : `M${x(0)} ${y(p)}`)).join("");
    return s("g", { class: `ink-${player.color}` },
      s("path", { class: "chart-line", d, "stroke-dasharray": dash || null }),
      s("g", { transform: `translate(${WIDTH - RIGHT + 4} ${names[i] - 8}) scale(.66)` }, ...pieceShape("meeple", player.color)),
      s("text", { class: "chart-name", x: WIDTH - RIGHT + 24, y: names[i] + 4.5 }, shorten(player.name)));
  });
  const lastWord = state.final ? W.chart.end : W.chart.turn(turns);
  const said = series.map(({ player, totals }) => `${player.name} ${totals.at(-1)}`).join(", ");
  room.replaceChildren(
    s("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": W.chart.says(lastWord, said) },
      ...grid, ...lines,
      s("text", { class: "chart-axis", x: WIDTH - RIGHT, y: HEIGHT - 2, "text-anchor": "end" }, lastWord)));
}

function running(state, color) {
  const totals = new Array(state.turns.length + 1).fill(0);
  for (const event of state.events) if (event.player === color && event.turn < totals.length) totals[event.turn] += event.points;
  for (let turn = 1; turn < totals.length; turn += 1) totals[turn] += totals[turn - 1];
  // The final scoring is an extra step.
  if (state.final) totals.push(state.final.scores[color]);
  return totals;
}

const niceStep = (most) => [5, 10, 20, 25, 50, 100].find((step) => most / step <= 4) ?? 100;
const turnStep = (turns) => [1, 2, 5, 10, 20, 25, 50].find((step) => turns / step <= 6) ?? 100;

/** Return heights for the names at the ends of the lines, moved apart where lines end close together. */
function spread(heights) {
  const order = heights.map((height, i) => [height, i]).sort((a, b) => a[0] - b[0]);
  let least = 10;
  for (const item of order) {
    item[0] = Math.max(item[0], least);
    least = item[0] + NAME_HEIGHT;
  }
  let most = HEIGHT - BOTTOM;
  for (const item of order.reverse()) {
    item[0] = Math.min(item[0], most);
    most = item[0] - NAME_HEIGHT;
  }
  const placed = [];
  for (const [height, i] of order) placed[i] = height;
  return placed;
}

const shorten = (name) => (name.length > 7 ? `${name.slice(0, 6)}…` : name);
