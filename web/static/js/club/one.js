// One table of the club: board, scores and camera. Holders of a key can answer and correct.

import { h } from "../dom.js";
import { Rest } from "../rest.js";
import { W, phrase } from "../words.js";
import { clockLine, dispute, need, scores, state } from "./card.js";

const PICTURE_MS = 2000;

/**
 * View of one table in `place`. `fragment` is the end of its dashboard's address; `command` sends commands, null for
 * spectators.
 */
export class TableView {
  constructor(place, id, fragment, command) {
    this.command = command;
    this.rest = new Rest();
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
    this.rest.drawn(table.entry);
    this.side.replaceChildren(
      scores(table),
      h("p", { class: "club-soft" }, state(table)),
      need(table) || "",
      dispute(table) || "",
      clockLine(table) || "",
      ...table.asked.map((question) => this.question(question)),
      this.tools(table));
    this.board.hidden = Boolean(table.fault || !table.log);
    if (this.board.hidden || this.log === table.log) return;
    // The dashboard in the frame updates itself; only another game needs a new one.
    if (this.log) this.board.contentWindow.location.reload();
    else this.board.src = this.dashboard;
    this.log = table.log;
  }

  question(question) {
    const answer = (option) => () => this.command("/api/answer", { question: question.id, option: option.id });
    const choices = question.options.map((option) =>
      this.command ? h("button", { type: "button", onclick: answer(option) }, phrase(option.said, option.label)) : h("span", {}, phrase(option.said, option.label)));
    return h("div", { class: "club-question" }, h("p", {}, phrase(question.said, question.text)), h("div", { class: "club-answers" }, ...choices));
  }

  /** Return buttons for the most urgent commands. The table's dashboard has all others. */
  tools(table) {
    if (!this.command || table.connection !== "there" || table.phase === "over") return "";
    const tool = (text, go) => h("button", { type: "button", onclick: go }, text);
    const step = (text, path) => tool(text, () => this.rest.on || this.command(path, this.rest.tap()));
    return h("div", { class: "club-answers" },
      tool(table.paused ? W.pause.resume : W.pause.pause, () => this.command("/api/pause", { paused: !table.paused })),
      step(W.page.undo, "/api/undo"), step(W.page.redo, "/api/redo"));
  }
}
