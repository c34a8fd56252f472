// What the camera cannot decide: the likely answers to tap, for those who hold the table's key.

import { h } from "./dom.js";

export class Questions {
  /** onAnswer(questionId, optionId) sends an answer. */
  constructor(room, panel, onAnswer) {
    this.room = room;
    this.panel = panel;
    this.onAnswer = onAnswer;
    this.shown = "";
  }

  update(questions, mayAnswer) {
    this.panel.dataset.asking = questions.length > 0;
    const shown = JSON.stringify([questions, mayAnswer]);
    if (shown === this.shown) return;
    this.shown = shown;
    this.room.replaceChildren(...questions.map((question) => this.#card(question, mayAnswer)));
  }

  #card(question, mayAnswer) {
    const answers = question.options.map((option) => {
      const send = () => {
        for (const one of card.querySelectorAll("button")) one.disabled = true;
        this.onAnswer(question.id, option.id).catch(() => {
          for (const one of card.querySelectorAll("button")) one.disabled = false;
        });
      };
      return h("button", { type: "button", class: "plain", onclick: send }, option.label);
    });
    const card = h("section", { class: "question" },
      h("h2", {}, question.text),
      mayAnswer ? h("div", { class: "answers" }, ...answers) : h("p", {}, "Somebody who joined with the table’s key can answer."));
    return card;
  }
}
