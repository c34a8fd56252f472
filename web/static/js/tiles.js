// Dashboard of tile games: a board that grows, and a card for the tapped tile.

import { getPicture } from "./api.js";
import { Board } from "./board.js";
import { CameraView } from "./camera_view.js";
import { Dashboard } from "./dashboard.js";
import { byId } from "./dom.js";
import { showFinal } from "./final.js";
import { UNKNOWN } from "./foreign_editor.js";
import { showLastTurn } from "./last_turn.js";
import { Odds } from "./odds.js";
import { showTile, spotAt } from "./tile_card.js";
import { openInsert, openTurn } from "./turn_sheet.js";
import { quarterTurns, recallTurn, turnOn } from "./turned.js";
import { W, isBlind, told } from "./words.js";

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
      board.highlight(part);
    },
  },
});
const { table, log, toasts } = dashboard;
const camera = new CameraView(byId("camera-view"), byId("camera-show"), (cell) => openTile(isLaid(cell) ? cell : null));
const board = new Board(byId("board"), {
  onTile: (cell, feature) => {
    log.clear();
    const again = String(cell) === String(tileShown) && feature === featureShown;
    openTile(again ? null : cell, feature);
  },
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

/** Open the card of a tile and highlight one of its features; null closes the card. */
function openTile(cell, feature = null) {
  odds.clear();
  tileShown = cell;
  featureShown = cell && feature;
  if (!table.now) return;
  board.pick(cell);
  board.light(featureShown && { cell, feature }, spotAt(table.shown, cell, feature)?.paid_by);
  byId("tile-card").dataset.at = cell && board.isLow(cell) ? "top" : "bottom";
  showTile(byId("tile-card"), cell, table.shown, table.pack, {
    feature: featureShown,
    onFeature: (id) => openTile(cell, id === featureShown ? null : id),
    onTurn: (turn) => dashboard.lookAtTurn(turn),
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
  if (faults.length && !["unclear", "lost"].includes(sees.seeing)) toasts.show(W.notes.fault, faults.map((fault) => told(fault.said, fault.message)).join(" "), { kind: "fault", key: "fault", lasting: true });
  else toasts.clear("fault");
}

/** Ask what is on an unknown tile if it was laid recently. Later, its turn's sheet still offers to describe it. */
function askWhatIsOn(turns) {
  // Only one question at a time: while another one is open, this waits in the list.
  const asked = dashboard.about.mayCorrect && !table.now.questions.length ? turns.slice(-STRANGE_FOR).findLast((turn) => turn.face === UNKNOWN)?.turn : undefined;
  if (asked === strangeShown) return;
  strangeShown = asked;
  const go = () => openTurn(asked, dashboard.about, { describe: true });
  if (asked) toasts.show(W.foreign.other, W.foreign.ask, { key: "foreign", lasting: true, way: { label: W.foreign.what, go } });
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
