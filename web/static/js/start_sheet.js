// Sheets of the lobby's first page: a sample game, a deck to print, own tiles, help.

import { h } from "./dom.js";
import { editionTitle } from "./lobby_form.js";
import { W } from "./words.js";

const KEEP_ADDRESS_MS = 60_000;

export class StartSheet {
  /** `way` has ask(path), play(sample), which starts a sample game, and enrol(edition). */
  constructor(sheet, way) {
    Object.assign(this, { sheet, way });
  }

  /** Choose a sample game to watch. */
  demo(lobby) {
    const samples = lobby.cameras.filter((one) => one.pack);
    this.#choose(W.start.demo, W.start.demoWhich, samples.map((sample) => {
      const edition = lobby.editions.find((one) => one.pack === sample.pack);
      return this.#choice(edition, sample.title, () => this.#act(() => this.way.play(sample), true));
    }));
  }

  /** Choose a deck to print, and the paper. */
  print(lobby) {
    const paper = h("select", { id: "paper" }, ...Object.entries(W.start.papers).map(([value, name]) => h("option", { value, selected: value === this.#usualPaper() }, name)));
    this.#choose(W.start.print, W.start.printWhich, lobby.editions.filter((one) => one.printable).map((edition) =>
      this.#choice(edition, "", () => this.#act(() => this.#draw(edition, paper.value)))),
    h("label", { class: "lobby-where" }, W.start.paper, paper));
  }

  /** Choose an edition to photograph; editions that are not known yet come first. */
  enrol(lobby) {
    const own = lobby.editions.filter((one) => !one.printable).sort((a, b) => a.ready - b.ready);
    this.#choose(W.start.enrol, W.start.enrolWhich, own.map((edition) =>
      this.#choice(edition, edition.ready ? W.start.again : "", () => {
        this.sheet.close();
        this.way.enrol(edition);
      })));
  }

  /** Show how to start a first game. */
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

  /** Run the chosen action. Buttons are disabled meanwhile, and an error is shown. */
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

  /** Download a deck's PDF. */
  async #draw(edition, paper) {
    const title = editionTitle(edition);
    this.said.textContent = W.start.drawing(title);
    const file = URL.createObjectURL(await (await this.way.ask(`/api/print/${encodeURIComponent(edition.pack)}.pdf?paper=${paper}`)).blob());
    h("a", { href: file, download: `${edition.pack}-${paper}.pdf` }).click();
    setTimeout(() => URL.revokeObjectURL(file), KEEP_ADDRESS_MS);
    this.said.textContent = W.start.drawn(title);
  }

  /** Return the usual paper size: Letter in countries that print on it, otherwise A4. */
  #usualPaper() {
    return /-(US|CA|MX|PH)$/.test(navigator.language) ? "letter" : "a4";
  }
}
