// List of things to check: open questions and uncertain turns, with a count on its button.

import { doubtMark } from "./doubt.js";
import { h } from "./dom.js";
import { meepleIcon } from "./meeple.js";
import { openSheet } from "./sheet.js";
import { W, namesOf, phrase, sentenceCase } from "./words.js";

export class ToCheck {
  /**
   * button: shows the count and opens the list. onQuestion(id) and onTurn(number) open the tapped entry; deed(turn,
   * pack) returns what a turn did in words.
   */
  constructor(button, { onQuestion, onTurn, deed }) {
    Object.assign(this, { button, onQuestion, onTurn, deed });
    this.sheet = null;
    this.shown = "";
    button.addEventListener("click", () => this.#open());
  }

  update(state, pack) {
    Object.assign(this, { state, pack });
    const { to_check: open = [], closed = [] } = state;
    const strange = open.filter(isStrange).length;
    const number = open.length - Math.max(0, strange - 1);
    this.button.hidden = !open.length && !closed.length;
    this.button.setAttribute("aria-label", W.check.button(number));
    this.button.title = W.check.button(number);
    this.button.querySelector(".tool-count").textContent = number || "";
    const now = JSON.stringify([open, closed, state.turns, state.players]);
    if (now !== this.shown && this.sheet?.room.isConnected) this.sheet.room.replaceChildren(...this.#list());
    this.shown = now;
  }

  #open() {
    this.sheet = openSheet(W.check.title, this.#list(), { onClose: () => { this.sheet = null; } });
  }

  #list() {
    const { to_check: open = [], closed = [] } = this.state;
    const strange = open.filter(isStrange);
    const together = strange.length > 1;
    const items = open.filter((one) => !together || !isStrange(one)).map((one) => this.#item(one)).filter(Boolean);
    if (together) {
      items.push(h("li", {}, h("details", { class: "check-strange" }, h("summary", { class: "plain check-item" },
        h("span", { class: "check-sign", "aria-hidden": "true" }, "?"), h("span", {}, h("b", {}, W.foreign.several(strange.length)))),
        h("ul", { class: "check-list" }, ...strange.map((one) => this.#item(one)).filter(Boolean)))));
    }
    return [
      items.length ? h("ul", { class: "check-list" }, ...items) : h("p", { class: "hint" }, W.check.nothing),
      closed.length ? h("h3", {}, W.check.closed) : "",
      closed.length ? h("ul", { class: "check-closed" }, ...closed.map((one) => h("li", {}, closedWords(one), h("small", {}, W.check.why[one.why])))) : "",
    ];
  }

  #item({ question: id, turn: number, why, points }) {
    const question = this.state.questions.find((one) => one.id === id);
    const turn = this.state.turns[number - 1];
    if (!question && !turn) return null;
    const names = namesOf(this.state);
    const color = turn?.player ?? question?.player;
    const when = number ? W.turn.by(number, names[color] ?? color ?? "") : "";
    const what = question ? sentenceCase(phrase(question.said, question.text)) : why === "strange" ? W.foreign.what : sentenceCase(`${this.deed(turn, this.pack)}.`);
    const go = () => {
      this.sheet.close();
      if (question) this.onQuestion(id);
      else this.onTurn(number, { strange: why === "strange" });
    };
    return h("li", {}, h("button", { type: "button", class: "plain check-item", onclick: go },
      h("span", { class: "check-sign", "aria-hidden": "true" }, "?"),
      h("span", {}, h("b", {}, color ? meepleIcon(color) : "", when ? ` ${when}` : W.check.asked), h("span", { class: "check-what" }, what),
        h("span", { class: "check-why" }, question ? W.check.asked : doubtMark(turn), points ? h("span", { class: "check-points" }, W.check.points(W.counts.points(points))) : ""))));
  }
}

/** Whether an entry is a tile of another set: several of them are one entry. */
const isStrange = ({ why }) => why === "strange";

/** Return a closed question in words: its turn, and the text of the question. */
export const closedWords = ({ turn, text, said }) => `${turn ? `${W.turn.short(turn)}: ` : ""}${sentenceCase(phrase(said, text))} `;
