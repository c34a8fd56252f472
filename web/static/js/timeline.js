// Time line: the table after any turn, and back to now.

import { h } from "./dom.js";
import { W } from "./words.js";

export class Timeline {
  /** onTurn(turn or null) is called with the turn to show; null is now. */
  constructor(room, onTurn) {
    this.room = room;
    this.onTurn = onTurn;
    this.turns = 0;
    this.at = null;
    this.slider = h("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": W.time.label, oninput: () => this.#go(Number(this.slider.value)) });
    this.back = this.#button("‹", W.time.before, () => this.#go((this.at ?? this.turns) - 1));
    this.on = this.#button("›", W.time.after, () => this.#go((this.at ?? this.turns) + 1));
    this.words = h("span", { class: "time-words", "aria-live": "polite" });
    this.now = h("button", { type: "button", class: "quiet", onclick: () => this.#go(this.turns) }, W.time.now);
    room.append(this.back, this.slider, this.on, h("p", { class: "time-line" }, this.words, this.now));
  }

  /** Update to `turns` played turns, of which `at` are shown (null: all). */
  update(turns, at) {
    this.turns = turns;
    this.at = at;
    this.room.hidden = turns === 0;
    const shown = at ?? turns;
    this.slider.max = turns;
    this.slider.value = shown;
    this.slider.setAttribute("aria-valuetext", shown ? W.time.at(shown, turns) : W.time.start);
    this.words.textContent = shown ? W.time.at(shown, turns) : W.time.start;
    this.back.disabled = shown === 0;
    this.on.disabled = shown === turns;
    this.now.hidden = at === null;
  }

  #go(turn) {
    this.onTurn(turn >= this.turns ? null : Math.max(0, turn));
  }

  #button(sign, label, onclick) {
    return h("button", { type: "button", class: "tool", "aria-label": label, onclick }, sign);
  }
}
