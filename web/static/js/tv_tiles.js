// Big screen of tile games.

import { Board } from "./board.js";
import { byId } from "./dom.js";
import { showLastTurn } from "./last_turn.js";
import { BigScreen } from "./tv.js";
import { W } from "./words.js";

const board = new Board(byId("board"), { onTile: () => {}, onFollow: () => {} });

const screen = new BigScreen({
  draw(state, pack) {
    byId("board-empty").hidden = state.board.length > 0;
    board.update(state, pack);
    showLastTurn(byId("last-turn"), state, pack);
  },
  fact: (state) => W.counts.tiles(state.tiles_left),
});
await screen.start();
