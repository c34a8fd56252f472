// The last turn in one sentence, read out where somebody listens.

import { h } from "./dom.js";
import { deed, list, points } from "./words.js";

export function showLastTurn(room, state, pack) {
  const turn = state.turns.at(-1);
  const said = JSON.stringify([turn, state.events.length, state.phase, state.player]);
  // The same sentence again would be read out again.
  if (room.dataset.said === said) return;
  room.dataset.said = said;
  if (!turn) {
    const next = state.players.find((player) => player.color === state.player);
    room.replaceChildren(next ? h("p", { class: "says" }, h("b", {}, next.name), " begins.") : "");
    return;
  }
  const design = pack.designs[turn.tile];
  const names = Object.fromEntries(state.players.map((player) => [player.color, player.name]));
  const gains = new Map();
  for (const event of state.events) {
    if (event.turn === turn.turn && !event.at_end && event.points) gains.set(event.player, (gains.get(event.player) ?? 0) + event.points);
  }
  const own = gains.get(turn.player);
  gains.delete(turn.player);
  const others = [...gains].map(([color, n]) => `${names[color]} gets ${points(n)}`);
  room.replaceChildren(
    design?.art
      ? h("img", { src: design.art, alt: "", width: 52, height: 52, style: `transform: rotate(${turn.rot}deg)` })
      : "",
    h("p", { class: "says" },
      h("span", { class: "when" }, `Turn ${turn.turn}`),
      h("b", {}, names[turn.player] ?? turn.player),
      ` ${deed(turn, design)}`,
      own ? h("span", {}, ": ", h("b", { class: "gain" }, `+${points(own)}`)) : "",
      ".",
      others.length ? ` ${list(others)}.` : ""),
  );
}
