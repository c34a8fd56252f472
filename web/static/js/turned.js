// Rotation of the displayed board by quarter turns, stored in this browser. It can match the view of the camera or of
// a player.

import { keep, recall } from "./store.js";

const STORE = "tilesight-board-turn";
let turns = 0; // clockwise

/** Restore the stored rotation. */
export function recallTurn() {
  turns = (Number(recall(STORE)) || 0) % 4;
}

/** Rotate the board by another quarter turn. */
export function turnOn() {
  turns = (turns + 1) % 4;
  keep(STORE, `${turns}`);
}

/** Return the rotation of the board in clockwise quarter turns. */
export function quarterTurns() {
  return turns;
}

/** Rotate a point or vector of the board by `n` quarter turns. */
export function spin([x, y], n = turns) {
  for (let left = ((n % 4) + 4) % 4; left > 0; left -= 1) [x, y] = [-y || 0, x];
  return [x, y];
}

/** Rotate a cell by `n` quarter turns; [x, y] is its north-west corner. */
export function spinCell([x, y], n = turns) {
  const [u, v] = spin([x + 0.5, y + 0.5], n);
  return [u - 0.5, v - 0.5];
}

/** Return the displayed rotation of a tile, in degrees. */
export function shownRot(rot) {
  return (rot + 90 * turns) % 360;
}

const CORNERS = ["nw", "ne", "se", "sw"];

/** Return where a corner of a tile on the table appears in the display. */
export function shownCorner(corner) {
  return CORNERS[(CORNERS.indexOf(corner) + turns) % 4];
}

const SIDES = ["n", "e", "s", "w"];

/** Return the side of the display where a side of the table appears. */
export function shownSide(side) {
  return SIDES[(SIDES.indexOf(side) + turns) % 4];
}
