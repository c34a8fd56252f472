// Sheet of one turn: the picture it was recognised from, its confidence and, with a key, its corrections.

import { getChoices } from "./api.js";
import { openTurnSheet } from "./correcting.js";
import { h } from "./dom.js";
import { foreignEditor } from "./foreign_editor.js";
import { narrow } from "./narrow.js";
import { pickMap } from "./pick_map.js";
import { tellApart, turnPictures } from "./telling.js";
import { tileThumb } from "./tile_drawing.js";
import { shownRot } from "./turned.js";
import { turnEdits } from "./turn_edits.js";
import { W, animalName, deed, designOf, faceThings, kindName, sentenceCase } from "./words.js";

/**
 * Open the sheet of a turn. `about` has the current state, and before(number), which fetches the state before a turn.
 * `describe`: start with the editor of its foreign tile.
 */
export function openTurn(number, about, { describe = false } = {}) {
  const { state, pack, mayCorrect, before, onCorrect } = about;
  const { turn, room, send } = openTurnSheet(number, { state, mayCorrect, onCorrect }, (turn) => [
    deed(turn, designOf(pack, turn)),
  ]);
  if (!mayCorrect) return;
  const edits = turn ? turnEdits(number, turn, { state, send, onInsert: () => openInsert(number, about) }) : "";
  before(number).then((earlier) => new CorrectionForm(room, { turn, number, state: earlier, pack, edits, describe, onLine: (line) => send({ line }) }).ask({}));
}

/** Open the sheet of a turn to insert before turn `number`; `placement` ({tile, cell}) is what is known of it. */
export function openInsert(number, { state, pack, before, onCorrect }, placement = {}) {
  const { room, send } = openTurnSheet(number, { state, onCorrect, inserting: true }, () => []);
  before(number).then((earlier) => new CorrectionForm(room, { number, state: earlier, pack, edits: "", inserting: true, onLine: (line) => send({ insert: [line] }) }).ask(placement));
}

class CorrectionForm {
  /**
   * onLine(line) gets the chosen turn. `inserting`: the turn with this number is another one; `describe`: start with
   * the editor.
   */
  constructor(room, { number, turn, state, pack, edits, onLine, inserting = false, describe = false }) {
    Object.assign(this, { room, number, turn, state, pack, edits, onLine, inserting, describe });
  }

  /** Fetch and show the choices of a placement ({tile, cell, rot}; missing ones stay unchanged). */
  async ask(placement) {
    this.asked = Object.keys(placement).length > 0;
    this.choices = await getChoices(this.number, placement);
    Object.assign(this.pack.designs, this.choices.faces);
    const describe = this.describe;
    this.describe = false;
    if (describe) this.#describe();
    else if (this.inserting && !placement.tile) this.#searchTile();
    else if (this.inserting && !placement.cell) this.#pickCell();
    else this.#show();
  }

  #show() {
    const { choices, turn } = this;
    const pieces = h("div", {});
    this.room.replaceChildren(
      h("h3", {}, turn ? W.fix.tapWhat : W.fix.firstTile),
      choices.likely.length && !this.inserting ? this.#likely() : "",
      h("div", { class: "placement" },
        this.#thumb(choices.tile, choices.rot ?? 0),
        h("div", { class: "placement-ways" },
          h("button", { type: "button", class: "plain", onclick: () => this.#searchTile() }, W.fix.otherTile),
          this.pack.designs[choices.tile]?.foreign ? h("button", { type: "button", class: "plain", onclick: () => this.#describe() }, W.foreign.what) : "",
          choices.tile ? h("button", { type: "button", class: "plain", onclick: () => this.#pickCell() }, W.fix.place) : "")),
      choices.rots.length > 1 ? this.#rots() : "",
      choices.turns.length ? h("h3", {}, W.fix.piece) : "",
      pieces,
      this.edits);
    // If the recorded turn is the only choice, it is no answer.
    if (choices.turns.length === 1 && turn && !this.asked) return;
    if (choices.turns.length) narrow(pieces, { turns: choices.turns, now: turn, state: this.#withTile(), pack: this.pack }, (line) => this.onLine(line));
    else if (!choices.tile) this.#searchTile();
    else if (choices.cells.length) this.#pickCell();
    else this.room.append(h("p", { class: "hint" }, W.foreign.nowhere));
  }

  /** Return the board including the tile in question, because a piece may be on it. */
  #withTile() {
    const { tile, cell, rot } = this.choices;
    return { ...this.state, board: [...this.state.board, { cell, tile, rot }] };
  }

  #likely() {
    const notes = tellApart(this.choices.likely, this.pack, this.turn ? [this.turn] : []);
    const pictures = turnPictures(this.choices.likely, this.state, this.pack);
    return h("div", { class: "answers" }, h("p", { class: "hint" }, W.fix.likely), ...this.choices.likely.map((line, i) =>
      h("button", { type: "button", class: "plain", onclick: () => this.onLine(line) },
        pictures[i],
        h("span", {}, sentenceCase(deed(line, designOf(this.pack, line))), h("small", {}, notes[i])))));
  }

  #rots() {
    const { tile, cell, rot, rots } = this.choices;
    return h("div", { class: "rots", role: "group", "aria-label": W.fix.rot }, ...rots.map((one) =>
      h("button", { type: "button", class: "rot", "aria-pressed": one === rot ? "true" : "false", "aria-label": W.fix.rotated(one), onclick: () => this.ask({ tile, cell, rot: one }) },
        this.#thumb(tile, one))));
  }

  #pickCell() {
    const { tile, cells } = this.choices;
    const places = cells.map((cell) => ({ at: [cell[0] + 0.5, cell[1] + 0.5], cell, label: W.fix.at(...cell) }));
    this.#step(W.fix.pickPlace, pickMap(this.state, this.pack, places, ({ cell }) => this.ask({ tile, cell })));
  }

  #searchTile() {
    const { tiles, cell } = this.choices;
    const found = h("div", { class: "faces" });
    const hint = W.fix.search(this.#examples(tiles));
    const search = h("input", { type: "search", class: "search", placeholder: hint, "aria-label": hint, oninput: () => show() });
    const show = () => {
      const words = search.value.toLowerCase().split(/[\s,]+/).filter(Boolean);
      const fitting = tiles.filter((tile) => words.every((word) => this.#about(tile).includes(word)));
      found.replaceChildren(...fitting.map((tile) =>
        h("button", { type: "button", class: "face", onclick: () => this.ask({ tile, ...(cell && !this.inserting ? { cell } : {}) }) }, this.#thumb(tile, 0), h("small", {}, faceThings(this.pack.designs[tile]).join(", ")))));
      if (!fitting.length) found.append(h("p", { class: "hint" }, W.fix.noTile));
    };
    show();
    const foreign = h("button", { type: "button", class: "plain", onclick: () => this.#describe() }, W.foreign.other);
    this.#step("", h("div", {}, search, found, foreign));
  }

  /** Show the editor of a foreign tile, in the tile's present direction: it is then laid with rotation 0. */
  #describe() {
    const { tile, cell } = this.choices;
    const known = this.pack.designs[tile]?.foreign ? tile : "?";
    this.#step(W.foreign.hint, foreignEditor(this.pack, known, (name) => this.ask({ tile: name, ...(cell && !this.inserting ? { cell } : {}) })));
  }

  #step(hint, ...children) {
    const back = this.choices.turns.length && !this.inserting ? h("button", { type: "button", class: "quiet", onclick: () => this.#show() }, `← ${W.page.back}`) : "";
    this.room.replaceChildren(back, hint ? h("p", { class: "hint" }, hint) : "", ...children);
  }

  /** Return examples to search for in this game: something printed on a face, and kinds of feature. */
  #examples(tiles) {
    const designs = tiles.map((tile) => this.pack.designs[tile]);
    const printed = designs.find((design) => design.features.some((feature) => feature.animals.length));
    const kinds = new Set(designs.flatMap((design) => design.features.map((feature) => W.faces.kind(kindName(feature.kind)))));
    return [...(printed ? [faceThings(printed)[0]] : []), ...[...kinds].slice(0, 2)].join(", ");
  }

  /** Return all words by which a face can be found. */
  #about(tile) {
    const design = this.pack.designs[tile];
    const kinds = design.features.flatMap((feature) => [feature.kind, kindName(feature.kind)]);
    const animals = design.features.flatMap((feature) => feature.animals.flatMap((animal) => [animal, animalName(animal)]));
    return [tile, ...kinds, ...animals, ...faceThings(design)].join(" ").toLowerCase();
  }

  #thumb(tile, rot) {
    return tile ? tileThumb(tile, this.pack.designs[tile], shownRot(rot)) : "";
  }
}
