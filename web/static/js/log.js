// Score log: who got how many points, when and why, as a list or a chart. A tap highlights the place on the board.

import { showChart } from "./chart.js";
import { doubtMark } from "./doubt.js";
import { h } from "./dom.js";
import { meepleIcon } from "./meeple.js";
import { W, kindName, namesOf, phrase, sentenceCase, tileDeed } from "./words.js";

export class Log {
  /**
   * onShow({cells, places, paid_by} or null) is called to highlight what an entry is about, onTurn(number) to open a turn.
   * `switches` are the buttons of the modes. deed(turn, pack) returns what a turn did in words, cells(turn) where.
   */
  constructor(room, chart, switches, { onShow, onTurn, deed = tileDeed, cells = (turn) => [turn.cell] }) {
    this.room = room;
    this.chart = chart;
    this.onShow = onShow;
    this.onTurn = onTurn;
    this.deed = deed;
    this.cells = cells;
    this.switches = switches;
    this.mode = "points";
    this.chosen = null;
    this.known = null;
    for (const [mode, button] of Object.entries(switches)) button.addEventListener("click", () => this.#turnTo(mode));
  }

  update(state, pack) {
    this.state = state;
    this.pack = pack;
    this.chart.hidden = this.mode !== "chart";
    this.room.hidden = !this.chart.hidden;
    if (this.mode === "chart") {
      showChart(this.chart, state);
      return;
    }
    const items = this.#items();
    const keys = new Set(items.map((item) => item.key));
    this.room.replaceChildren(...items.map((item) => this.#entry(item)));
    if (!items.length) this.room.append(h("li", { class: "log-none" }, this.mode === "points" ? W.log.noPoints : W.log.noTurns));
    if (this.chosen && !keys.has(this.chosen)) this.clear();
    this.known = new Set([...(this.known ?? []), ...keys]);
  }

  /** Highlight a scoring event of the displayed state, as a tap on its entry does. */
  show(event) {
    if (this.mode !== "points") this.#turnTo("points");
    const { state } = this;
    const told = JSON.stringify(event); // the state may have been sent anew since the event was shown
    const among = (events) => events.findIndex((one) => JSON.stringify(one) === told);
    const seen = among(state.events);
    const key = seen < 0 ? `end ${among(state.final?.events ?? [])}` : `event ${seen}`;
    const item = this.#items().find((one) => one.key === key);
    const button = item && [...this.room.querySelectorAll(".log-button")].find((one) => one.dataset.key === key);
    if (button && this.chosen !== key) this.#tap(item, button);
  }

  /** Deselect the highlighted entry. */
  clear() {
    if (!this.chosen) return;
    this.chosen = null;
    for (const button of this.room.querySelectorAll('[aria-pressed="true"]')) button.setAttribute("aria-pressed", "false");
    this.room.querySelector(".log-look")?.remove();
    this.onShow(null);
  }

  #turnTo(mode) {
    this.mode = mode;
    for (const [name, button] of Object.entries(this.switches)) button.setAttribute("aria-pressed", name === mode);
    this.clear();
    this.known = null;
    if (this.state) this.update(this.state, this.pack);
  }

  #items() {
    const { state } = this;
    const names = namesOf(state);
    const ends = (state.final?.events ?? []).map((event, i) => this.#eventItem(event, `end ${i}`, names, W.turn.end));
    if (this.mode === "points") {
      const seen = state.events.map((event, i) => this.#eventItem(event, `event ${i}`, names, W.turn.short(event.turn)));
      return [...seen, ...ends].filter((item) => item.gain !== 0).reverse();
    }
    const gains = new Map();
    for (const event of state.events) {
      const key = `${event.turn} ${event.player}`;
      gains.set(key, (gains.get(key) ?? 0) + event.points);
    }
    const turns = state.turns.map((turn) => ({
      key: `turn ${turn.turn}`,
      color: turn.player,
      head: names[turn.player] ?? turn.player,
      why: sentenceCase(`${this.deed(turn, this.pack)}.`),
      gain: gains.get(`${turn.turn} ${turn.player}`) ?? 0,
      when: W.turn.short(turn.turn),
      cells: this.cells(turn),
      turn: turn.turn,
    }));
    return turns.reverse();
  }

  #eventItem(event, key, names, when) {
    return {
      key,
      color: event.player,
      head: `${names[event.player] ?? event.player} · ${kindName(event.kind)}`,
      why: sentenceCase(phrase(event.said, event.why)),
      gain: event.points,
      when,
      cells: event.cells,
      places: event.places,
      paid_by: event.paid_by,
      turn: event.at_end ? null : event.turn,
    };
  }

  #entry(item) {
    const fresh = this.known && !this.known.has(item.key);
    const button = h("button", { type: "button", class: "log-button", "data-key": item.key, "aria-pressed": item.key === this.chosen ? "true" : "false", onclick: () => this.#tap(item, button) },
      h("span", { class: `log-gain${item.gain ? "" : " none"}` }, item.gain ? `${item.gain > 0 ? "+" : "−"}${Math.abs(item.gain)}` : ""),
      h("span", {},
        h("span", { class: "log-head-line" }, meepleIcon(item.color), item.head),
        item.why ? h("span", { class: "log-why" }, item.why) : "",
        doubtMark(this.state.turns[item.turn - 1])),
      h("span", { class: "log-turn" }, item.when));
    return h("li", { class: `log-entry${fresh ? " fresh" : ""}` }, button, item.key === this.chosen ? this.#look(item) : "");
  }

  #tap(item, button) {
    const again = this.chosen === item.key;
    this.clear();
    if (again || (!item.cells.length && !item.turn)) return;
    this.chosen = item.key;
    button.setAttribute("aria-pressed", "true");
    button.after(this.#look(item));
    this.onShow(item);
  }

  #look({ turn }) {
    if (!turn) return "";
    return h("button", { type: "button", class: "quiet log-look", onclick: () => this.onTurn(turn) }, W.log.look);
  }
}
