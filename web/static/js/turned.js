// The board turned by quarter turns, as this browser was told to show it: towards the place of the camera.

const STORE = "tilesight-board-turn";
let turns = 0; // quarter turns clockwise

/** Take up what this browser was told last. */
export function recallTurn() {
  try {
    turns = (Number(localStorage.getItem(STORE)) || 0) % 4;
  } catch {
    turns = 0; // a page from a file may keep nothing
  }
}

/** Turn the board on by a quarter. */
export function turnOn() {
  turns = (turns + 1) % 4;
  try {
    localStorage.setItem(STORE, `${turns}`);
  } catch (error) {
    console.info("the turn of the board is not kept", error.message);
  }
}

/** Quarter turns clockwise by which the board is shown turned. */
export function quarterTurns() {
  return turns;
}

/** A point or a way of the board, as it is shown; `n` quarter turns. */
export function spin([x, y], n = turns) {
  for (let left = ((n % 4) + 4) % 4; left > 0; left -= 1) [x, y] = [-y || 0, x];
  return [x, y];
}

/** The same for a cell, of which [x, y] is the upper left corner. */
export function spinCell([x, y], n = turns) {
  const [u, v] = spin([x + 0.5, y + 0.5], n);
  return [u - 0.5, v - 0.5];
}

/** Degrees by which a laid tile is shown turned. */
export function shownRot(rot) {
  return (rot + 90 * turns) % 360;
}

const CORNERS = ["nw", "ne", "se", "sw"];

/** The corner of a tile that is shown where `corner` is on the table. */
export function shownCorner(corner) {
  return CORNERS[(CORNERS.indexOf(corner) + turns) % 4];
}

const SIDES = ["n", "e", "s", "w"];

/** The side of the shown board on which a side of the table's is. */
export function shownSide(side) {
  return SIDES[(SIDES.indexOf(side) + turns) % 4];
}
