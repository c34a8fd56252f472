// Several turns offered to tap: what tells each from the others, where their sentences do not.

import { quarterTurns, shownRot, spin } from "./turned.js";
import { W, deed, designOf, sentenceCase } from "./words.js";

const NEAR = 0.17; // of a tile, from its middle: what lies farther out lies on one side

const spotOf = (line, design) => design?.features.find((one) => one.id === line.action?.feature)?.spot;

/** Where on a laid tile the piece of a turn stands, as the board is shown. */
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
 * For each of `lines` a note: its place, rotation or piece, as far as another line (or one of `besides`) with the same
 * words differs in it; "" where the words say enough.
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

/** The point of a turn's own face on which its piece stands; nothing without one. */
export const pieceSpot = (line, pack) => spotOf(line, designOf(pack, line));
