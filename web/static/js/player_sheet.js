// Sheet of one player: name, and animal tiles in hand, which are entered where the camera could not see them.

import { isDoubtful, lineOf } from "./doubt.js";
import { h } from "./dom.js";
import { meepleIcon } from "./meeple.js";
import { piecesLeft, tokenIcon } from "./scores.js";
import { checkNames, nameField } from "./name_field.js";
import { openSheet } from "./sheet.js";
import { W, animalName, colorName, deed, designOf, givenName } from "./words.js";

/** Open the sheet of the player of `color`. onName(body) and onCorrect(body) send changes. */
export function openPlayer(color, { state, pack, mayChange, mayCorrect, onName, onCorrect }) {
  const player = state.players.find((one) => one.color === color);
  const close = (sending) => sending.then(() => sheet.close(), () => {});
  const supply = piecesLeft(player).map((one) => `, ${one}`).join("");
  const parts = [h("p", { class: "told-supply" }, meepleIcon(color), ` ${W.colors[color] ?? color}${supply}`)];
  parts.push(...scoreDoubts(player, state, pack));
  if (mayChange) parts.push(nameForm(player, state.players.filter((one) => one !== player), (body) => close(onName(body))));
  if (Object.keys(pack.tokens).length) {
    parts.push(h("h3", {}, W.player.hand),
      player.hand.length ? h("p", { class: "hand" }, ...player.hand.map((animal) => tokenIcon(animal, pack.tokens))) : h("p", { class: "hint" }, W.player.noHand));
    const unseen = state.turns.filter((turn) => turn.drawn[color]?.includes("?"));
    if (mayCorrect && unseen.length && player.hand.includes("?")) {
      parts.push(h("p", { class: "hint" }, W.player.tell), ...unseen.map((turn) => drawnIn(turn, color, pack, (body) => close(onCorrect(body)))));
    }
  }
  const sheet = openSheet(player.name, parts);
}

/**
 * Return the doubts about this score: other possible scores, and points of uncertain turns without known alternatives.
 */
function scoreDoubts(player, state, pack) {
  const nameOf = (color) => state.players.find((one) => one.color === color)?.name ?? color;
  const others = (player.may_be ?? []).map(({ score, question, turn, line }) => {
    const what = `${nameOf(line.player)}: ${deed(line, designOf(pack, line))}`;
    return question ? W.mayBe.if(score, what) : W.mayBe.ifTurn(score, turn, what);
  });
  const unsure = state.turns.filter((turn) => isDoubtful(turn) && !turn.alternatives).flatMap(({ turn }) => {
    const points = state.events.filter((event) => event.turn === turn && event.player === player.color && !event.at_end).reduce((sum, event) => sum + event.points, 0);
    return points ? [W.mayBe.from(W.counts.points(points), turn)] : [];
  });
  return [...others, ...unsure].map((said) => h("p", { class: "hint" }, said));
}

function nameForm(player, others, onName) {
  let name = givenName(player.name, player.color) === player.color ? "" : player.name;
  const send = (event) => {
    event.preventDefault();
    if (checkNames(form, { focus: true })) onName({ color: player.color, name: givenName(name, player.color) });
  };
  const form = h("form", { class: "name-form", onsubmit: send },
    h("label", {}, W.player.name, nameField({ class: "search", name: "name", value: name, placeholder: colorName(player.color), taken: others.map((one) => one.name), onName: (text) => (name = text) })),
    h("button", { type: "submit", class: "plain" }, W.player.save));
  return form;
}

/** Return the animal tiles drawn in one turn. A tap on an animal sets the first unseen one. */
function drawnIn(turn, color, pack, onCorrect) {
  const drawn = turn.drawn[color];
  const say = (animal) => {
    const first = drawn.indexOf("?");
    const told = { ...turn.drawn, [color]: drawn.map((one, i) => (i === first ? animal : one)) };
    onCorrect({ turn: turn.turn, line: { ...lineOf(turn), draws: told } });
  };
  return h("div", { class: "drawn" },
    h("p", {}, `${W.player.drew(turn.turn)}: `, ...drawn.map((animal) => tokenIcon(animal, pack.tokens))),
    h("div", { class: "animals" }, ...Object.keys(pack.tokens).map((animal) =>
      h("button", { type: "button", class: "plain", onclick: () => say(animal) }, tokenIcon(animal, pack.tokens), animalName(animal)))));
}
