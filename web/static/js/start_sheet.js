// The ways of the lobby's first page that need no table: a sample game, a deck to print, own tiles, help.

import { h } from "./dom.js";
import { editionTitle } from "./lobby_form.js";
import { W } from "./words.js";

const KEEP_ADDRESS_MS = 60_000;

export class StartSheet {
  /** `way` has ask(path), play(sample), which begins a sample game, and enrol(edition). */
  constructor(sheet, way) {
    Object.assign(this, { sheet, way });
  }

  /** Which sample game is to be watched. */
  demo(lobby) {
    const samples = lobby.cameras.filter((one) => one.pack);
    this.#choose(W.start.demo, W.start.demoWhich, samples.map((sample) => {
      const edition = lobby.editions.find((one) => one.pack === sample.pack);
      return this.#choice(edition, sample.title, () => this.#act(() => this.way.play(sample), true));
    }));
  }

  /** Which deck is to be printed, and on which paper. */
  print(lobby) {
    const paper = h("select", { id: "paper" }, ...Object.entries(W.start.papers).map(([value, name]) => h("option", { value, selected: value === this.#usualPaper() }, name)));
    this.#choose(W.start.print, W.start.printWhich, lobby.editions.filter((one) => one.printable).map((edition) =>
      this.#choice(edition, "", () => this.#act(() => this.#draw(edition, paper.value)))),
    h("label", { class: "lobby-where" }, W.start.paper, paper));
  }

  /** Which edition's tiles are to be photographed: those first that are not known yet. */
  enrol(lobby) {
    const own = lobby.editions.filter((one) => !one.printable).sort((a, b) => a.ready - b.ready);
    this.#choose(W.start.enrol, W.start.enrolWhich, own.map((edition) =>
      this.#choice(edition, edition.ready ? W.start.again : "", () => {
        this.sheet.close();
        this.way.enrol(edition);
      })));
  }

  /** The way to the first game. */
  help() {
    this.#show(W.start.help, h("ol", {}, ...W.start.steps.map((step) => h("li", {}, step))), h("p", {}, W.start.trouble));
  }

  #show(title, ...parts) {
    this.said = h("p", { class: "start-said", role: "status" });
    this.sheet.replaceChildren(
      h("div", { class: "lobby-sheet-head" },
        h("h2", { id: "start-sheet-title" }, title),
        h("button", { type: "button", "aria-label": W.page.close, onclick: () => this.sheet.close() }, "✕")),
      h("div", { class: "start" }, ...parts, this.said));
    this.sheet.showModal();
  }

  #choose(title, question, choices, ...more) {
    this.choices = h("div", { class: "start-choices" }, ...choices);
    this.#show(title, h("p", {}, question), ...more, this.choices);
  }

  #choice(edition, small, onclick) {
    return h("button", { type: "button", onclick },
      edition?.picture ? h("img", { src: `${edition.picture}?size=small`, alt: "" }) : "",
      h("span", {}, editionTitle(edition) ?? small), small && edition ? h("small", {}, small) : "");
  }

  /** Do what was chosen; until it is done nothing else is, and what goes wrong is said. */
  async #act(act, closes = false) {
    this.choices.inert = true;
    this.said.textContent = "";
    try {
      await act();
      if (closes) this.sheet.close();
    } catch (error) {
      this.said.textContent = error.message;
    } finally {
      this.choices.inert = false;
    }
  }

  /** A deck's PDF goes to the downloads. */
  async #draw(edition, paper) {
    const title = editionTitle(edition);
    this.said.textContent = W.start.drawing(title);
    const file = URL.createObjectURL(await (await this.way.ask(`/api/print/${encodeURIComponent(edition.pack)}.pdf?paper=${paper}`)).blob());
    h("a", { href: file, download: `${edition.pack}-${paper}.pdf` }).click();
    setTimeout(() => URL.revokeObjectURL(file), KEEP_ADDRESS_MS);
    this.said.textContent = W.start.drawn(title);
  }

  /** Letter where people print on it. */
  #usualPaper() {
    return /-(US|CA|MX|PH)$/.test(navigator.language) ? "letter" : "a4";
  }
}
