// Choice between the legal turns of one placement: a few taps narrow some hundred turns down to the one played.

import { h } from "./dom.js";
import { pickMap } from "./pick_map.js";
import { tileThumb } from "./tile_drawing.js";
import { shownRot } from "./turned.js";
import { W, actionDeed, animalName, designOf, extraDeeds, sentenceCase } from "./words.js";

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const CORNERS = { nw: [0, 0], ne: [1, 0], se: [1, 1], sw: [0, 1] };
const INSET = 0.2; // distance of an animal tile's centre from its corner, in tiles

/** The steps, in order. Each compares one part of the turns and asks for it. */
const STEPS = [
  { of: (turn) => turn.ranger_to ?? null, ask: () => W.fix.drove, at: (to) => middle(to), label: (turn) => W.fix.at(...turn.ranger_to) },
  { of: (turn) => kindOf(turn.action), words: (kind, turn, design) => kindWords(kind, turn, design) },
  { of: (turn) => target(turn.action), ask: (turn) => (turn.action?.type === "ranger" ? W.fix.pickRanger : W.fix.pickCorner), at: (place) => place, label: ({ action }) => targetWords(action) },
  { of: (turn) => [turn.action, turn.bonus ?? [], turn.shaman ?? null], words: (_, turn, design) => restWords(turn, design) },
];

/** Fill `room` with the choice between `turns`. onPick(turn) gets the remaining one. */
export function narrow(room, { turns, now, state, pack }, onPick) {
  const design = designOf(pack, turns[0]);
  const show = (left, back) => {
    const step = STEPS.find(({ of }) => left.some((turn) => !same(of(turn), of(left[0]))));
    if (!step) {
      onPick(left[0]);
      return;
    }
    const groups = new Map();
    for (const turn of left) {
      const key = JSON.stringify(step.of(turn));
      groups.set(key, [...(groups.get(key) ?? []), turn]);
    }
    const go = (group) => show(group, () => show(left, back));
    const isNow = (group) => now && group.some((turn) => same(turn.action, now.action));
    const ways = [...groups.values()].sort((a, b) => Boolean(isNow(b)) - Boolean(isNow(a)));
    const backButton = back ? h("button", { type: "button", class: "quiet", onclick: back }, `← ${W.page.back}`) : "";
    if (step.at) {
      const places = ways.filter((group) => step.of(group[0])).map((group) => ({ at: step.at(step.of(group[0])), label: step.label(group[0]), group }));
      room.replaceChildren(backButton, h("p", { class: "hint" }, step.ask(left[0])), pickMap(state, pack, places, ({ group }) => go(group)));
      return;
    }
    room.replaceChildren(backButton, h("div", { class: "answers" }, ...ways.map((group) =>
      h("button", { type: "button", class: "plain", onclick: () => go(group) },
        spot(group[0], design),
        h("span", {}, step.words(step.of(group[0]), group[0], design), isNow(group) ? h("small", {}, W.fix.asNow) : "")))));
  };
  show(turns, null);
}

const middle = (cell) => cell && [cell[0] + 0.5, cell[1] + 0.5];

function kindOf(action) {
  if (!action) return "none";
  return action.feature ? `${action.type} ${action.feature}` : action.type;
}

function target(action) {
  if (action?.type === "ranger") return middle(action.to);
  if (!action?.corner) return null;
  const [u, v] = CORNERS[action.corner];
  return [action.cell[0] + u + (1 - 2 * u) * INSET, action.cell[1] + v + (1 - 2 * v) * INSET];
}

/** Return in words where the piece of a turn was placed. */
function targetWords(action) {
  if (action.type === "ranger") return W.fix.at(...action.to);
  return W.fix.cornerOf(action.corner, action.cell);
}

/** Return the tile with a dot at the piece, because it may have two bushes. */
function spot({ action, tile, rot }, design) {
  const feature = design?.features.find((one) => one.id === action?.feature);
  return feature ? tileThumb(tile, design, shownRot(rot), feature.spot) : "";
}

function kindWords(kind, turn, design) {
  if (kind === "none") return W.fix.noPiece;
  const open = { ranger: W.fix.ranger, dig: W.fix.dig, expand: W.fix.expand }[kind];
  return open ?? sentenceCase(actionDeed(turn.action, design));
}

function restWords(turn, design) {
  const { action } = turn;
  const head = action?.animal ? sentenceCase(animalName(action.animal)) : sentenceCase(actionDeed(action, design) ?? W.fix.noPiece);
  const from = action?.from ? `: ${W.fix.at(...action.from)} → ${W.fix.at(...action.to)}` : "";
  return `${head}${from}${extraDeeds(turn)}`;
}
