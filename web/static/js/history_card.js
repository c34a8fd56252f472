// Card with the turns that an edit could not keep, and the reasons, until they are entered again or dismissed.

import { h } from "./dom.js";
import { tileThumb } from "./tile_drawing.js";
import { W, deed, namesOf, phrase, sentenceCase } from "./words.js";

export class HistoryCard {
  /**
   * onEnter(line) enters a turn again, onInsert(number) a new one before a turn, onLetGo() dismisses the list,
   * onUndo() undoes the edit.
   */
  constructor(room, { onEnter, onInsert, onLetGo, onUndo }) {
    Object.assign(this, { room, onEnter, onInsert, onLetGo, onUndo });
    this.shown = "";
  }

  update(state, pack, mayCorrect) {
    const { history } = state;
    const shown = JSON.stringify([history, mayCorrect]);
    if (shown === this.shown) return;
    this.shown = shown;
    this.room.hidden = !history;
    this.room.replaceChildren(...(history ? this.#card(history, state, pack, mayCorrect) : []));
  }

  #card({ what, turn, who, unkept, reseated }, state, pack, mayCorrect) {
    const names = namesOf(state);
    const design = (line) => pack.designs?.[line.tile];
    const name = (color) => names[color] ?? color;
    // The rules name colours; replace them by the players' names.
    const reason = (fault) => phrase(fault.message).replace(/\w+/g, (word) => (Object.hasOwn(names, word) ? names[word] : word));
    return [
      h("h2", {}, unkept.length ? W.edit.unkept(unkept.length) : W.edit.reseated),
      h("p", { class: "hint" }, W.edit.because(W.edit.what[what](turn), who?.name ?? "")),
      h("ul", { class: "history-turns" },
        ...unkept.map(({ turn: number, line, faults }) => h("li", {},
          design(line) ? tileThumb(line.tile, design(line), line.rot) : "",
          h("div", {},
            h("b", {}, W.turn.by(number, name(line.player))), line.tile ? ` ${deed(line, design(line))}.` : "",
            h("small", {}, faults.map((fault) => sentenceCase(`${reason(fault)}.`)).join(" ")),
            mayCorrect && line.tile ? h("button", { type: "button", class: "quiet", onclick: () => this.onEnter(line) }, W.edit.again) : ""))),
        ...reseated.map(({ turn: number, was }) => h("li", {}, h("div", {}, changed(number, was, state.turns[number - 1], name))))),
      // With one turn less, the later turns belong to other players. Usually another turn was played instead.
      mayCorrect && this.onInsert && what === "remove" && reseated.length ? h("div", {},
        h("p", { class: "hint" }, W.edit.instead),
        h("button", { type: "button", class: "plain", onclick: () => this.onInsert(turn) }, W.edit.enter(1))) : "",
      mayCorrect ? h("div", { class: "edit-ways" },
        h("button", { type: "button", class: "plain", onclick: this.onLetGo }, W.edit.letGo),
        h("button", { type: "button", class: "plain", onclick: this.onUndo }, W.page.undo)) : "",
    ];
  }
}

/** Return what changed in a turn that was kept with another player or without its piece. */
function changed(number, was, now, name) {
  const lost = was.action && now && !now.action ? W.edit.bare(number) : "";
  const other = now && now.player === was.player && lost ? "" : W.edit.nowOf(number, name(now?.player), name(was.player));
  return [other, lost].filter(Boolean).join(" ");
}
