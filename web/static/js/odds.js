// Hints, if the host allows them: the remaining tiles with their chances, and the best places for a tile.

import { ask } from "./api.js";
import { h } from "./dom.js";
import { openSheet } from "./sheet.js";
import { tileThumb } from "./tile_drawing.js";
import { shownRot } from "./turned.js";
import { W, actionDeed, designOf, phrase, sentenceCase, tileName } from "./words.js";

const TOLD = 3; // places listed on the card; the board shows all

export class Odds {
  #at = null; // number of turns when places were shown; null if none are shown

  /**
   * button: opens the sheet. card: lists the places that `board` shows. before() is called before that; pack()
   * returns the faces.
   */
  constructor(button, card, { board, before, pack }) {
    Object.assign(this, { button, card, board, before, pack });
    button.addEventListener("click", () => this.#open());
  }

  /** Show the button if hints are `allowed`. Remove the places after another turn, or when hints are switched off. */
  update(allowed, turns) {
    this.button.hidden = !allowed;
    if (this.#at !== null && (!allowed || turns !== this.#at)) this.before();
    this.turns = turns;
  }

  /** Remove the places from the board. */
  clear() {
    if (this.#at === null) return;
    this.#at = null;
    this.card.hidden = true;
    this.board.hint(null, []);
  }

  #open() {
    const sheet = openSheet(W.odds.title, [h("p", { class: "hint" }, W.odds.asking)]);
    const fail = (error) => sheet.room.replaceChildren(h("p", { class: "hint", role: "alert" }, sentenceCase(phrase(error.said, error.message))));
    const pick = (tile) => ask(`api/places?${new URLSearchParams({ tile })}`).then((places) => {
      sheet.close();
      this.#show(places);
    }).catch(fail);
    ask("api/odds").then(({ tiles, left, hands }) => sheet.room.replaceChildren(
      h("p", { class: "hint" }, `${sentenceCase(W.counts.tiles(left))}. ${W.odds.hint}${hands ? ` ${W.odds.hands}` : ""}`),
      h("div", { class: "faces" }, ...tiles.map((one) => this.#face(one, pick))))).catch(fail);
  }

  #face({ tile, left, chance }, pick) {
    const share = chance.toLocaleString(W.code, { style: "percent", maximumFractionDigits: chance < 0.1 ? 1 : 0 });
    const design = designOf(this.pack(), { tile });
    return h("button", { type: "button", class: "face", "aria-label": `${sentenceCase(tileName(design))}: ${W.counts.tiles(left)}, ${share}`, onclick: () => pick(tile) },
      tileThumb(tile, design, shownRot(0)), h("small", {}, h("b", {}, `${left} ×`), ` ${share}`));
  }

  /** Highlight the places on the board, and list the best. */
  #show({ tile, fits, places }) {
    this.before();
    this.#at = this.turns;
    const design = designOf(this.pack(), { tile });
    this.board.hint(design, places);
    this.card.dataset.at = places.length && this.board.areLow([places[0].cell]) ? "top" : "bottom";
    const none = fits ? W.odds.none(fits) : W.odds.nowhere;
    this.card.replaceChildren(
      h("div", {},
        h("h2", {}, sentenceCase(tileName(design))),
        places.length ? h("ul", {}, ...places.slice(0, TOLD).map((place) => h("li", {}, h("b", {}, `+${place.points}`), " ", h("span", { class: "hidden" }, `${W.fix.at(...place.cell)}, `), this.#deed(place, design)))) : h("p", {}, none),
        h("div", { class: "odds-ways" },
          h("button", { type: "button", class: "quiet", onclick: () => this.#open() }, W.odds.other),
          h("button", { type: "button", class: "quiet", onclick: () => this.before() }, W.page.close))));
    this.card.hidden = false;
  }

  #deed({ line }, design) {
    return actionDeed(line.action, design) ?? W.odds.noPiece;
  }
}
