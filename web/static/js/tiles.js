// Dashboard of tile games: a board that grows, and a card for the tapped tile.

import { getPicture } from "./api.js";
import { Board } from "./board.js";
import { CameraView } from "./camera_view.js";
import { Dashboard } from "./dashboard.js";
import { byId } from "./dom.js";
import { showFinal } from "./final.js";
import { UNKNOWN } from "./foreign_editor.js";
import { showLastTurn } from "./last_turn.js";
import { openMissed } from "./missed_sheet.js";
import { Odds } from "./odds.js";
import { spotUnder, spotWords } from "./spots.js";
import { partsOf, showTile } from "./tile_card.js";
import { openInsert, openTurn } from "./turn_sheet.js";
import { quarterTurns, recallTurn, turnOn } from "./turned.js";
import { W, designOf, isBlind, namesOf, told } from "./words.js";

let tileShown = null;
let featureShown = null;
let strangeShown; // the turn whose tile people are asked about
const STRANGE_FOR = 4; // number of turns during which people are asked about a tile of another set

const dashboard = new Dashboard({
  draw,
  openTurn,
  enterTurn,
  insertTurn: openInsert,
  missing: (camera) => camera.seeing === "unclear" && camera.cells.some((cell) => !isLaid(cell)),
  log: {
    onShow: (part) => {
      openTile(null);
      board.light(part);
    },
  },
  showSpot: (spot) => openSpot(spot),
});
const { table, log, toasts } = dashboard;
const camera = new CameraView(byId("camera-view"), byId("camera-show"), (cell) => openTile(isLaid(cell) ? cell : null));
const board = new Board(byId("board"), {
  onTile: (cell, id, piece) => {
    log.clear();
    const feature = piece ? idOf(spotUnder(table.shown.spots, piece), cell) ?? id : id;
    const again = String(cell) === String(tileShown) && feature === featureShown;
    openTile(again ? null : cell, feature);
  },
  onMark: (cell) => openMark(cell),
  onFollow: (on) => byId("zoom-fit").setAttribute("aria-pressed", on),
  over: [document.querySelector(".board-tools"), byId("board-sample"), byId("toasts"), byId("board-past")],
  says: byId("board-at"),
});

const odds = new Odds(byId("odds-show"), byId("tile-card"), { board, before: () => openTile(null), pack: () => table.pack });

const isLaid = (cell) => table.shown.board.some((laid) => String(laid.cell) === String(cell));

/** Open the sheet of the next turn, filled in with `line` or with the first tile that only the camera knows. */
async function enterTurn(line, about) {
  let known = line;
  if (!known.tile) {
    const missing = new Set(about.state.camera.cells.map(String));
    const seen = (await getPicture()).tiles.filter((tile) => missing.has(String(tile.cell)));
    known = { tile: seen[0]?.read, cell: seen[0]?.cell };
  }
  const { tile, cell } = known;
  openInsert(about.state.turns.length + 1, about, tile ? { tile, cell } : {});
}

const partsHere = (cell) => partsOf(cell, table.shown, designOf(table.pack, table.shown.board.find((laid) => String(laid.cell) === String(cell))));

/** Return the id that the card of a tile has for a feature; undefined if the feature is not on it. */
const idOf = (spot, cell) => spot && partsHere(cell).find((part) => part.spot === spot)?.id;

/** Open the card of a feature's tile with a piece on it, and highlight the feature. */
function openSpot(spot) {
  const place = spot.places.find((one) => table.shown.standing.some((piece) => spotUnder([spot], piece) && String(piece.cell) === String(one.cell))) ?? spot.places[0];
  log.clear();
  openTile(place.cell, idOf(spot, place.cell));
}

/** Open the sheet of a mark beside the tiles; for a ranger alone, that of the turn that put it there. */
function openMark(cell) {
  const put = table.shown.turns.findLast((turn) => [turn.action?.to, turn.ranger_to].some((one) => String(one) === String(cell)));
  openTile(null);
  if (board.marked.has(String(cell))) openMissed(cell, dashboard.about, { onEnter: enterAt, onQuestion: askNow });
  else if (put) dashboard.lookAtTurn(put.turn);
}

const enterAt = (known) => openInsert(table.now.turns.length + 1, dashboard.about, known);

function askNow(id) {
  openTile(null);
  dashboard.panel.open(true);
  dashboard.questions.choose(id);
}

/** Open the card of the first tile that a fault is about; a mark without a tile opens its sheet. */
function goTo(fault) {
  const cell = (fault.cells ?? [fault.cell]).find(Boolean);
  board.view.reveal([cell]);
  if (isLaid(cell)) openTile(cell);
  else board.view.onTap(cell, [0.5, 0.5]);
}

/** Open the card of a tile and highlight one of its features; null closes the card. */
function openTile(cell, feature = null) {
  odds.clear();
  tileShown = cell;
  featureShown = cell && feature;
  if (!table.now) return;
  board.pick(cell);
  const spot = featureShown && partsHere(cell).find((part) => part.id === feature)?.spot;
  board.light(spot ?? (featureShown && { places: board.wholeOf(cell, feature) }));
  byId("board-at").textContent = spot ? spotWords(spot, namesOf(table.shown)) : "";
  byId("tile-card").dataset.at = cell && board.areLow(spot?.cells ?? [cell]) ? "top" : "bottom";
  showTile(byId("tile-card"), cell, table.shown, table.pack, {
    feature: featureShown,
    onFeature: (id) => openTile(cell, id === featureShown ? null : id),
    onTurn: (turn, how) => openTurn(turn, dashboard.about, how),
    onQuestion: (id) => askNow(id),
  });
}

function draw(state, pack) {
  byId("board-empty").hidden = state.board.length > 0;
  byId("fact").hidden = state.phase === "over";
  byId("fact").textContent = W.counts.tiles(state.tiles_left);
  board.update(state, pack);
  odds.update(dashboard.hints && table.at === null && state.phase !== "over", state.turns.length);
  camera.look(table.at);
  camera.tell(isBlind(table.now.camera));
  showLastTurn(byId("last-turn"), state, pack);
  showFinal(byId("final"), state);
  // The tile was removed by an undo: close its card.
  if (tileShown) openTile(isLaid(tileShown) ? tileShown : null, featureShown);
  askWhatIsOn(table.now.turns);
  const { faults, camera: sees } = table.now;
  // In the state "unclear" the camera's message has the reason; in "lost" nothing is known of the board.
  if (faults.length && !["unclear", "lost"].includes(sees.seeing)) toasts.show(W.notes.fault, faults.map((fault) => told(fault.said, fault.message)).join(" "), { kind: "fault", key: "fault", lasting: true, way: wayTo(faults) });
  else toasts.clear("fault");
}

/** Return the button that shows the place of a fault; null if none has one. */
function wayTo(faults) {
  const placed = faults.find((fault) => (fault.cells ?? [fault.cell]).some(Boolean));
  return placed ? { label: W.marks.show, go: () => goTo(placed) } : null;
}

/** Ask what is on an unknown tile if it was laid recently. Later, its turn's sheet still offers to describe it. */
function askWhatIsOn(turns) {
  // Only one question at a time: while another one is open, this waits in the list.
  const asked = dashboard.about.mayCorrect && !table.now.questions.length ? turns.slice(-STRANGE_FOR).findLast((turn) => turn.face === UNKNOWN)?.turn : undefined;
  if (asked === strangeShown) return;
  strangeShown = asked;
  const go = () => openTurn(asked, dashboard.about, { describe: true });
  const number = turns.filter((turn) => turn.face === UNKNOWN).length;
  if (asked) toasts.show(number > 1 ? W.foreign.several(number) : W.foreign.other, W.foreign.ask, { key: "foreign", lasting: true, way: { label: W.foreign.what, go } });
  else toasts.clear("foreign");
}

byId("zoom-in").addEventListener("click", () => board.view.zoom(1.45));
byId("zoom-out").addEventListener("click", () => board.view.zoom(1 / 1.45));
byId("zoom-fit").addEventListener("click", () => board.view.fit());
byId("turn-board").addEventListener("click", () => {
  turnOn();
  board.turnTo(quarterTurns());
  dashboard.update();
});
recallTurn();
board.turnTo(quarterTurns());
await dashboard.start();
