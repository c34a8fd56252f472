// Big screen and overlay of tile games.

import { Board } from "./board.js";
import { byId } from "./dom.js";
import { showLastTurn } from "./last_turn.js";
import { BigScreen } from "./tv.js";
import { W, tileDeed } from "./words.js";

const board = new Board(byId("board"), { onTile: () => {}, onFollow: () => {} });

const screen = new BigScreen({
  drawBoard(state, pack) {
    byId("board-empty").hidden = state.board.length > 0;
    board.update(state, pack);
  },
  drawTurn: showLastTurn,
  deed: tileDeed,
  fact: (state) => W.counts.tiles(state.tiles_left),
});
await screen.start();
