// Sheet of one player: what the points consist of, name, and animal tiles in hand, which are entered where the camera
// could not see them.

import { isDoubtful, lineOf } from "./doubt.js";
import { h } from "./dom.js";
import { meepleIcon, pieceIcon } from "./meeple.js";
import { piecesLeft, tokenIcon } from "./scores.js";
import { checkNames, nameField } from "./name_field.js";
import { openSheet } from "./sheet.js";
import { spotWords, spotsOf } from "./spots.js";
import { W, animalName, colorName, deed, designOf, givenName, kindName, namesOf, phrase, sentenceCase } from "./words.js";

/**
 * Open the sheet of the player of `color`. `shown` is the displayed state, of which the points are told. onName(body)
 * and onCorrect(body) send changes; onSpot(spot) and onEvent(event) highlight what points are from.
 */
export function openPlayer(color, { state, shown = state, pack, mayChange, mayCorrect, onName, onCorrect, onSpot, onEvent }) {
  const player = state.players.find((one) => one.color === color);
  const close = (sending) => sending.then(() => sheet.close(), () => {});
  const supply = piecesLeft(player).map((one) => `, ${one}`).join("");
  const parts = [h("p", { class: "told-supply" }, meepleIcon(color), ` ${W.colors[color] ?? color}${supply}`)];
  const show = (what, how) => {
    sheet.close();
    how(what);
  };
  parts.push(...scoreDoubts(player, state, pack), ...onTable(color, shown, (spot) => show(spot, onSpot)), ...scored(color, shown, (event) => show(event, onEvent)));
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

/** Return a list of the features on which the player has pieces, each with what it consists of and gives. */
function onTable(color, state, onSpot) {
  const spots = state.final ? [] : spotsOf(state.spots ?? [], color);
  if (!spots.length) return [];
  return [h("h3", {}, W.worth.onTable), h("ul", { class: "worth-list" }, ...spots.map((spot) => h("li", {},
    h("button", { type: "button", class: "plain", onclick: () => onSpot(spot) }, pieceIcon(spot.piece, color),
      h("span", {}, h("b", {}, kindName(spot.kind)), h("small", {}, spotWords(spot, namesOf(state), { color })))))))];
}

/** Return a list of the points that the player has got, the latest first, each with what it consists of. */
function scored(color, state, onEvent) {
  const events = [...state.events, ...(state.final?.events ?? [])].filter((event) => event.player === color && event.points).reverse();
  if (!events.length) return [];
  return [h("h3", {}, W.worth.scored), h("ul", { class: "worth-list" }, ...events.map((event) => h("li", {},
    h("button", { type: "button", class: "plain", onclick: () => onEvent(event) }, h("b", { class: "worth-gain" }, `${event.points < 0 ? "−" : "+"}${Math.abs(event.points)}`),
      h("span", {}, h("b", {}, kindName(event.kind)), h("small", {}, sentenceCase(phrase(event.said, event.why))), h("small", {}, event.at_end ? W.turn.end : W.turn.short(event.turn)))))))];
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
