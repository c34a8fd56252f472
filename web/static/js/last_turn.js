// The last turn in one sentence, announced to screen readers.

import { artFor } from "./art.js";
import { doubtMark, doubtWords } from "./doubt.js";
import { h } from "./dom.js";
import { shownRot } from "./turned.js";
import { W, deed, designOf, list, namesOf } from "./words.js";

export function showLastTurn(room, state, pack) {
  const turn = state.turns.at(-1);
  // The confidence changes with every picture; only its mark is announced again.
  const said = JSON.stringify([shownRot(0), { ...turn, confidence: doubtWords(turn), alternatives: null }, state.events.length, state.phase, state.player]);
  // Setting the same sentence would announce it again.
  if (room.dataset.said === said) return;
  room.dataset.said = said;
  if (!turn) {
    const next = state.players.find((player) => player.color === state.player);
    room.replaceChildren(next ? h("p", { class: "says" }, W.turn.begins(next.name)) : "");
    return;
  }
  const design = designOf(pack, turn);
  const names = namesOf(state);
  const gains = new Map();
  for (const event of state.events) {
    if (event.turn === turn.turn && !event.at_end && event.points) gains.set(event.player, (gains.get(event.player) ?? 0) + event.points);
  }
  const own = gains.get(turn.player);
  gains.delete(turn.player);
  const others = [...gains].map(([color, n]) => W.turn.gets(names[color], W.counts.points(n)));
  room.replaceChildren(
    design?.art
      ? h("img", { src: artFor(design.art, 52), alt: "", width: 52, height: 52, style: `transform: rotate(${shownRot(turn.rot)}deg)` })
      : "",
    h("p", { class: "says" },
      h("span", { class: "when" }, W.turn.short(turn.turn)),
      h("b", {}, names[turn.player] ?? turn.player),
      ` ${deed(turn, design)}`,
      own ? h("span", {}, ": ", h("b", { class: "gain" }, `+${W.counts.points(own)}`)) : "",
      ".",
      others.length ? ` ${list(others)}. ` : " ",
      doubtMark(turn)),
  );
}
