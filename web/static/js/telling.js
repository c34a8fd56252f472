// Notes that distinguish offered turns if their sentences are the same.

import { quarterTurns, shownRot, spin } from "./turned.js";
import { W, deed, designOf, sentenceCase } from "./words.js";

const NEAR = 0.17; // from the centre, in tiles: a spot farther out is on one side

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

/**
 * Return a note for each of `lines`: its place, rotation or piece, if another line (or one of `besides`) with the
 * same words differs in it; "" if the words are enough.
 */
export function tellApart(lines, pack, besides = []) {
  const all = [...lines, ...besides];
  const said = (line) => deed(line, designOf(pack, line));
  const elsewhere = new Set(all.map((line) => String(line.cell))).size > 1;
  return lines.map((line) => {
    const design = designOf(pack, line);
    const alike = all.filter((other) => other !== line && said(other) === said(line) && String(other.cell) === String(line.cell));
    const notes = [
      elsewhere ? W.fix.at(...line.cell) : "",
      alike.some((other) => other.rot !== line.rot) ? W.fix.rotated(shownRot(line.rot)) : "",
      alike.some((other) => other.rot === line.rot && JSON.stringify(other.action) !== JSON.stringify(line.action)) ? pieceNote(line, design) : "",
    ];
    return sentenceCase(notes.filter(Boolean).join(", "));
  });
}

/** Return the point of a turn's face where its piece is; undefined without a piece. */
export const pieceSpot = (line, pack) => spotOf(line, designOf(pack, line));
