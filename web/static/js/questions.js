// Open questions, with the likely answers to tap, for holders of the table's key.

import { cropAddress } from "./api.js";
import { crop } from "./crop.js";
import { h } from "./dom.js";
import { firstAsked } from "./doubt.js";
import { orderCards } from "./order_card.js";
import { tellApart, turnPictures } from "./telling.js";
import { W, deed, phrase, sentenceCase } from "./words.js";

export class Questions {
  /**
   * onAnswer(questionId, optionId) sends an answer, onOrder(turn, numbers) the order of several turns. onOther(turn)
   * opens all other answers, onOpening() the sheet on a game found under way.
   */
  constructor(room, { onAnswer, onOrder, onOther, onOpening }) {
    this.room = room;
    this.onAnswer = onAnswer;
    this.onOrder = onOrder;
    this.onOther = onOther;
    this.onOpening = onOpening;
    this.shown = "";
    this.chosen = null;
  }

  /** Ask this question now, instead of the one about the earliest turn. */
  choose(id) {
    this.chosen = id;
    if (this.state) this.update(this.state, this.pack, this.mayAnswer);
    this.room.scrollIntoView({ block: "nearest" });
  }

  /** Return the question to ask; the others wait in the list. Turns that an edit could not keep come first. */
  #asked({ questions, history }) {
    return questions.find((one) => one.id === this.chosen) ?? (history ? undefined : firstAsked({ questions }));
  }

  update(state, pack, mayAnswer) {
    Object.assign(this, { state, pack, mayAnswer });
    const question = this.#asked(state);
    const ordered = (question?.order ?? []).map((number) => state.turns[number - 1]);
    const shown = JSON.stringify([question, mayAnswer, ordered]);
    if (shown === this.shown) return;
    this.shown = shown;
    if (!question) this.room.replaceChildren();
    else this.room.replaceChildren(question.order?.length ? this.#orderCard(question, state, pack, mayAnswer) : this.#card(question, pack, mayAnswer));
  }

  #orderCard(question, state, pack, mayAnswer) {
    const send = (numbers) => {
      for (const one of card.querySelectorAll("button")) one.disabled = true;
      this.onOrder(question.turn, numbers).catch(() => {
        this.shown = "";
        this.update(state, pack, mayAnswer);
      });
    };
    const other = h("button", { type: "button", class: "quiet", onclick: () => this.onOther(question.turn) }, W.ask.other);
    const card = h("section", { class: "question" },
      h("h2", {}, W.ask.unseen(question.order.length)),
      ...(mayAnswer ? [...orderCards(question, state, pack, send), other] : [h("p", {}, W.ask.watcher)]));
    return card;
  }

  #card(question, pack, mayAnswer) {
    const laid = question.options.filter((option) => option.turn?.cell);
    const notes = new Map(tellApart(laid.map((option) => option.turn), pack).map((note, i) => [laid[i].id, note]));
    const pictures = new Map(turnPictures(laid.map((option) => option.turn), this.state, pack).map((drawn, i) => [laid[i].id, drawn]));
    const answers = question.options.map((option) => {
      const send = () => {
        for (const one of card.querySelectorAll("button")) one.disabled = true;
        this.onAnswer(question.id, option.id).catch(() => {
          for (const one of card.querySelectorAll("button")) one.disabled = false;
        });
      };
      return h("button", { type: "button", class: "plain", onclick: send }, ...answer(option, pack, notes.get(option.id) ?? "", pictures.get(option.id)));
    });
    const about = question.turn ?? (question.cells.length ? this.state.turns.findLast((turn) => question.cells.some((cell) => String(cell) === String(turn.cell)))?.turn : null);
    const other = !about ? "" : h("button", { type: "button", class: "quiet", onclick: () => this.onOther(about) }, W.ask.other);
    const say = question.id === "opening" ? h("button", { type: "button", class: "plain", onclick: () => this.onOpening() }, W.opening.say) : "";
    // A question without a picture is about the board, which is drawn.
    const picture = question.frame === null ? "" : crop(cropAddress.question(question.id), W.ask.picture);
    const card = h("section", { class: "question" },
      h("h2", {}, sentenceCase(phrase(question.said, question.text))),
      picture,
      mayAnswer ? h("div", { class: "answers" }, say, ...answers, other) : h("p", {}, W.ask.watcher));
    return card;
  }
}

function answer(option, pack, note, picture) {
  if (!option.turn) return [option.id === "other" ? W.ask.none : phrase(option.said, option.label)];
  const design = pack.designs[option.turn.tile];
  return [picture ?? "", h("span", {}, sentenceCase(deed(option.turn, design)), h("small", {}, note))];
}
