// Card for each player: points, meeples left, animal tiles, turn, and points as they are scored.

import { h } from "./dom.js";
import { meepleIcon, pieceIcon } from "./meeple.js";
import { W, animalName } from "./words.js";

const DELTA_MS = 2600;

export class Scores {
  /**
   * onPlayer(color) is called for taps on a card. inside(player, pack, state) returns what a card shows besides the
   * points, label(player, score, onTurn, state) the accessible name.
   */
  constructor(container, onPlayer, { inside = supplyAndHand, label = cardLabel } = {}) {
    this.container = container;
    this.onPlayer = onPlayer;
    this.inside = inside;
    this.label = label;
    this.cards = new Map();
    this.before = null;
  }

  update(state, pack) {
    const scores = state.final ? state.final.scores : Object.fromEntries(state.players.map((p) => [p.color, p.score]));
    const best = Math.max(...Object.values(scores));
    this.container.dataset.players = state.players.length;
    this.container.dataset.many = state.players.length > 2;
    if (String([...this.cards.keys()]) !== String(state.players.map((player) => player.color))) this.#build(state.players);
    for (const player of state.players) {
      const card = this.cards.get(player.color);
      const now = scores[player.color] ?? player.score;
      const onTurn = state.player === player.color;
      card.dataset.turn = onTurn;
      card.dataset.leads = best > 0 && now === best;
      card.querySelector(".score-open").setAttribute("aria-label", this.label(player, now, onTurn, state));
      card.querySelector(".score-name-text").textContent = player.name;
      card.querySelector(".score-points").textContent = now;
      const others = otherScores(player);
      card.dataset.open = others.length > 0;
      card.querySelector(".score-or").textContent = others.length ? W.mayBe.short(others) : "";
      card.querySelector(".score-supply").replaceChildren(...this.inside(player, pack, state), h("span", { class: "score-clock", "data-clock": player.color }));
      const gain = this.before ? now - (this.before[player.color] ?? now) : 0;
      if (gain) showGain(card, gain);
    }
    this.before = scores;
  }

  #build(players) {
    this.cards = new Map(players.map((player) => [player.color, this.#emptyCard(player)]));
    this.container.replaceChildren(...this.cards.values());
  }

  #emptyCard(player) {
    return h("article", { class: `score ink-${player.color}` },
      meepleIcon(player.color),
      h("p", { class: "score-name" }, h("span", { class: "score-name-text" }), h("span", { class: "score-turn" }, W.turn.toPlay)),
      h("p", { class: "score-points" }, "0"),
      h("p", { class: "score-or" }),
      h("p", { class: "score-supply" }),
      h("button", { type: "button", class: "score-open", onclick: () => this.onPlayer(player.color) }));
  }
}

const supplyAndHand = (player, pack) => [h("span", { class: "supplies" }, ...player.pieces.map((pieces) => supply(player.color, pieces))), ...hand(player, pack)];

/** Return the pieces of one kind: filled if left, hollow if on the board. */
function supply(color, { kind, left, of }) {
  const pips = Array.from({ length: of }, (_, i) => {
    const pip = pieceIcon(kind, color);
    if (i >= left) pip.classList.add("gone");
    if (i === 0) pip.classList.add("one");
    return pip;
  });
  return h("span", { class: "supply" }, ...pips, h("span", { class: "count" }, `${left}`));
}

/** Return in words which pieces a player has left; [] in games without a supply. */
export const piecesLeft = (player) => (player.pieces ?? []).map(({ kind, left }) => W.left[kind]?.(left) ?? `${left} × ${W.pieces[kind] ?? kind}`);

function hand(player, pack) {
  const tokens = player.hand.map((animal) => tokenIcon(animal, pack.tokens));
  return tokens.length ? [h("span", { class: "hand-of", "data-count": tokens.length }, ...tokens)] : [];
}

/** Return an animal tile as a small picture; a question mark if it was not seen. */
export function tokenIcon(animal, tokens) {
  const art = tokens[animal];
  const name = animal === "?" ? W.player.unseen : animalName(animal);
  return art
    ? h("img", { class: "token", src: art, alt: name, title: name })
    : h("span", { class: "token unseen", title: name }, animal === "?" ? "?" : animal.slice(0, 2));
}

function showGain(card, gain) {
  card.querySelector(".score-delta")?.remove();
  const flag = h("span", { class: "score-delta", "aria-hidden": "true" }, `${gain > 0 ? "+" : "−"}${Math.abs(gain)}`);
  card.append(flag);
  setTimeout(() => flag.remove(), DELTA_MS);
}

/** Return the player's other possible scores, lowest first. */
const otherScores = (player) => (player.may_be ?? []).map(({ score }) => score);

function cardLabel(player, score, onTurn) {
  const left = piecesLeft(player).map((one) => `, ${one}`).join("");
  const color = W.colors[player.color] ?? player.color;
  return `${player.name} (${color}): ${W.counts.points(score)}${player.may_be?.length ? `, ${W.mayBe.short(otherScores(player))}` : ""}${left}${onTurn ? `, ${W.turn.toPlay}` : ""}. ${W.player.open(player.name)}`;
}
