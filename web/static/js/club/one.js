// One table of the club: its board, its scores, its camera; who has the key answers and corrects.

import { h } from "../dom.js";
import { W, phrase } from "../words.js";
import { dispute, need, scores, state } from "./card.js";

const PICTURE_MS = 2000;

/** The view of one table in `place`, whose dashboard's address ends in `fragment`; `command` sends what is done to it, null where nobody may. */
export class TableView {
  constructor(place, id, fragment, command) {
    this.command = command;
    this.address = `/api/tables/${encodeURIComponent(id)}`;
    this.side = h("div", { class: "club-side" });
    this.picture = h("img", { alt: W.page.camera, hidden: true });
    this.board = h("iframe", { class: "club-board", title: W.page.boardIs });
    this.dashboard = `/at/${encodeURIComponent(id)}/${fragment}`;
    this.picture.addEventListener("load", () => (this.picture.hidden = false));
    this.picture.addEventListener("error", () => (this.picture.hidden = true));
    place.replaceChildren(h("div", { class: "club-one" }, h("div", { class: "club-side" }, this.side, this.picture), this.board));
    this.look();
    setInterval(() => this.look(), PICTURE_MS);
  }

  look() {
    if (document.visibilityState === "visible") this.picture.src = `${this.address}/preview.jpg?at=${Date.now()}`;
  }

  show(table) {
    this.side.replaceChildren(
      scores(table),
      h("p", { class: "club-soft" }, state(table)),
      need(table) || "",
      dispute(table) || "",
      ...table.asked.map((question) => this.question(question)),
      this.tools(table));
    this.board.hidden = Boolean(table.fault || !table.log);
    if (this.board.hidden || this.log === table.log) return;
    // What is shown there follows by itself; another game has another board.
    if (this.log) this.board.contentWindow.location.reload();
    else this.board.src = this.dashboard;
    this.log = table.log;
  }

  question(question) {
    const answer = (option) => () => this.command("/api/answer", { question: question.id, option: option.id });
    const choices = question.options.map((option) =>
      this.command ? h("button", { type: "button", onclick: answer(option) }, phrase(option.label)) : h("span", {}, phrase(option.label)));
    return h("div", { class: "club-question" }, h("p", {}, phrase(question.text)), h("div", { class: "club-answers" }, ...choices));
  }

  /** What is wanted at once; everything else is done in the table's own dashboard. */
  tools(table) {
    if (!this.command || table.connection !== "there" || table.phase === "over") return "";
    const tool = (text, path, body = {}) => h("button", { type: "button", onclick: () => this.command(path, body) }, text);
    return h("div", { class: "club-answers" },
      tool(table.paused ? W.pause.resume : W.pause.pause, "/api/pause", { paused: !table.paused }),
      tool(W.page.undo, "/api/undo"), tool(W.page.redo, "/api/redo"));
  }
}
