// Big screen and overlay of games on squares.

import { byId } from "./dom.js";
import { moveDeed } from "./squares_sheets.js";
import { boardless, photoBoxes, showWord, shownBoard, turnOfMost, wrong } from "./squares_shown.js";
import { BigScreen } from "./tv.js";

const screen = new BigScreen({
  drawBoard(state) {
    byId("board-empty").hidden = state.terrain.length > 0;
    byId("board-empty-text").textContent = boardless(state);
    byId("board").replaceChildren(state.terrain.length ? shownBoard(state) : "");
  },
  drawTurn: (room, state) => showWord(room, state),
  deed: moveDeed,
  wrong,
  fact: turnOfMost,
  inside: (player, state) => [photoBoxes(player, state)],
  packOf: async (state) => ({ id: state.pack, designs: {}, tokens: {} }),
});
await screen.start();
