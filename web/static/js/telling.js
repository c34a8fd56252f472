// What distinguishes offered turns: notes if their sentences are the same, and a picture of the table with each.

import { s } from "./dom.js";
import { SIZE, cellKey, outline, turnEdge, turnPoint } from "./geometry.js";
import { pieceGroup } from "./pieces.js";
import { tileGroup } from "./tile_drawing.js";
import { quarterTurns, shownRot, spin, spinCell } from "./turned.js";
import { W, deed, designOf, faceWords, kindName, mainFeatures, marksOf, sentenceCase, tileName } from "./words.js";

const NEAR = 0.17; // from the centre, in tiles: a spot farther out is on one side
const AROUND = 0.4; // tiles shown around the places in question
const CORNER = { nw: [0.16, 0.16], ne: [0.84, 0.16], se: [0.84, 0.84], sw: [0.16, 0.84] };

const spotOf = (line, design) => design?.features.find((one) => one.id === line.action?.feature)?.spot;

/** Return in words where the piece of a turn is on its tile, as the board is displayed. */
function pieceNote(line, design) {
  const { action } = line;
  if (action?.to) return W.fix.at(...action.to);
  if (action?.corner) return W.fix.cornerOf(action.corner, action.cell);
  const spot = spotOf(line, design);
  if (!spot) return "";
  const [x, y] = spin(spin([spot[0] - 0.5, spot[1] - 0.5], line.rot / 90), quarterTurns());
  const sides = [y < -NEAR ? "n" : y > NEAR ? "s" : "", x < -NEAR ? "w" : x > NEAR ? "e" : ""];
  return W.fix.pieceAt(sides.filter(Boolean).map((side) => W.foreign.edges[side]));
}

/** Return in words what is on the sides of a turn's tile, as the board is displayed: "city top + right 1 pennant". */
function sidesNote(line, design, featuresOf) {
  if (!design) return "";
  const edgesOf = (id) => Object.entries(design.sides ?? {}).filter(([, names]) => names.includes(id))
    .map(([edge]) => W.foreign.edges[turnEdge(edge, shownRot(line.rot))]);
  return featuresOf(design).map((feature) => [W.faces.kind(kindName(feature.kind)), edgesOf(feature.id).join(" + "), ...marksOf(feature)].filter(Boolean).join(" ")).join(", ");
}

/**
 * Return a note for each of `lines`: its place, tile, rotation or piece, if another line (or one of `besides`) with the
 * same words differs in it; "" if the words are enough. No two lines have the same words and note.
 */
export function tellApart(lines, pack, besides = []) {
  const all = [...lines, ...besides];
  const said = all.map((line) => deed(line, designOf(pack, line)));
  const elsewhere = new Set(all.map((line) => String(line.cell))).size > 1;
  const notes = all.map((line, i) => {
    const alike = all.filter((other, j) => j !== i && said[j] === said[i] && String(other.cell) === String(line.cell));
    return [
      elsewhere ? W.fix.at(...line.cell) : "",
      alike.some((other) => other.rot !== line.rot) ? W.fix.rotated(shownRot(line.rot)) : "",
      alike.some((other) => other.rot === line.rot && JSON.stringify(other.action) !== JSON.stringify(line.action)) ? pieceNote(line, designOf(pack, line)) : "",
    ].filter(Boolean);
  });
  const isTold = (i) => all.every((_, j) => j === i || said[j] !== said[i] || String(notes[j]) !== String(notes[i]));
  const ways = [(line) => sidesNote(line, designOf(pack, line), mainFeatures), (line) => sidesNote(line, designOf(pack, line), (design) => design.features), (line) => pieceNote(line, designOf(pack, line)), (line) => W.fix.rotated(shownRot(line.rot)), (line) => line.tile ?? line.face, (_, i) => `${i + 1}`];
  for (const way of ways) {
    const open = all.flatMap((_, i) => (isTold(i) ? [] : [i]));
    const more = open.map((i) => way(all[i], i));
    open.forEach((i, k) => more[k] && !notes[i].includes(more[k]) && notes[i].push(more[k]));
  }
  return lines.map((_, i) => sentenceCase(notes[i].join(", ")));
}

/** Return the piece of a turn as the board draws it; null without one that can be drawn. */
function pieceOf(line, design) {
  const { action, cell, player } = line;
  if (action?.type === "ranger" && action.to) return { kind: "ranger", color: "white", cell: action.to, at: action.to.map((n) => n + 0.5) };
  if (action?.corner) return { kind: "token", color: null, animal: action.animal, cell: action.cell, at: action.cell.map((n, i) => n + CORNER[action.corner][i]) };
  const spot = spotOf(line, design);
  if (!spot) return null;
  const at = turnPoint(spot, line.rot).map((n, i) => n + cell[i]);
  return { kind: action.type === "hut" ? "hut" : "meeple", color: player, cell, at, pose: "standing" };
}

/** Return a picture of the table around `lines` for each of them: with its tile and its piece. */
export function turnPictures(lines, state, pack) {
  if (!lines.length) return [];
  const cells = lines.flatMap((line) => [line.cell, ...(line.action?.to ? [line.action.to] : []), ...(line.action?.cell ? [line.action.cell] : [])]);
  const open = new Set(lines.map((line) => cellKey(line.cell)));
  const shown = cells.map((cell) => spinCell(cell));
  const [xs, ys] = [0, 1].map((i) => shown.map((cell) => cell[i]));
  const [left, top] = [Math.min(...xs) - AROUND, Math.min(...ys) - AROUND];
  const side = Math.max(Math.max(...xs) + 1 + AROUND - left, Math.max(...ys) + 1 + AROUND - top);
  const around = state.board.filter((laid) => !open.has(cellKey(laid.cell)) && cells.some((cell) => Math.abs(cell[0] - laid.cell[0]) <= 1 && Math.abs(cell[1] - laid.cell[1]) <= 1));
  return lines.map((line) => {
    const design = designOf(pack, line);
    const piece = pieceOf(line, design);
    return s("svg", { class: "thumb turn-picture", viewBox: [left, top, side, side].map((n) => n * SIZE).join(" "), "aria-hidden": "true" },
      s("g", { transform: `rotate(${90 * quarterTurns()})` },
        s("g", { class: "pick-board" }, ...around.map((laid) => tileGroup(laid, designOf(pack, laid), tileName(designOf(pack, laid)), "small"))),
        tileGroup(line, design, faceWords(line.tile), "small"),
        s("path", { class: "region-line", d: outline([line.cell]) }),
        piece ? pieceGroup(piece, pack.tokens ?? {}, "") : ""));
  });
}
