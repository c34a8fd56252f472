// Sheet that calibrates a camera: its lens from the printed board, or how it sees the pieces' colours.

import { h } from "./dom.js";
import { W, list } from "./words.js";

const EVERY_MS = 500;

export class CalibrateSheet {
  /** `ask(path, body)` sends a request to the lobby. */
  constructor(sheet, ask) {
    Object.assign(this, { sheet, ask });
    sheet.addEventListener("close", () => this.#stop());
  }

  /** Open the sheet for a camera, an edition (whose tiles lie under the pieces), and the colours that play. */
  open({ camera, edition, colors }) {
    Object.assign(this, { camera, edition, colors, running: false });
    this.said = h("p", { class: "calibrate-said", role: "status" });
    this.picture = h("img", { class: "calibrate-picture", alt: W.calibrate.picture, hidden: true });
    this.bar = h("progress", { max: 1, value: 0, "aria-label": W.calibrate.progress, hidden: true });
    this.tools = h("div", { class: "enrol-way" });
    this.ways = h("div", { class: "calibrate-ways" }, this.#lens(), this.#pieces());
    this.sheet.replaceChildren(
      h("div", { class: "lobby-sheet-head" },
        h("h2", { id: "calibrate-title" }, W.calibrate.title),
        h("button", { type: "button", "aria-label": W.page.close, onclick: () => this.sheet.close() }, "✕")),
      h("div", { class: "enrol" }, this.said, this.picture, this.bar, this.tools, this.ways));
    this.sheet.showModal();
  }

  #lens() {
    return h("section", {}, h("h3", {}, W.calibrate.lens), h("p", {}, W.calibrate.lensWhy),
      h("div", { class: "enrol-way" },
        h("button", { type: "button", onclick: () => this.#print() }, W.calibrate.print),
        h("button", { type: "button", class: "main", onclick: () => this.#begin({ camera: this.camera }) }, W.calibrate.beginLens)));
  }

  #pieces() {
    if (!this.edition) return "";
    const asked = { camera: this.camera, colors: this.colors, pack: this.edition };
    return h("section", {}, h("h3", {}, W.calibrate.colors), h("p", {}, W.calibrate.colorsWhy),
      h("div", { class: "enrol-way" }, h("button", { type: "button", class: "main", onclick: () => this.#begin(asked) }, W.calibrate.beginColors)));
  }

  /** Download the board to print. */
  async #print() {
    this.said.textContent = W.calibrate.drawing;
    try {
      const board = await (await this.ask("/api/calibration/board.pdf")).blob();
      h("a", { href: URL.createObjectURL(board), download: "tilesight-board.pdf" }).click();
      this.said.textContent = W.calibrate.drawn;
    } catch (error) {
      this.said.textContent = error.message;
    }
  }

  #begin(asked) {
    this.running = true;
    this.frame = null;
    this.ways.hidden = true;
    this.said.textContent = W.framing.starting;
    this.tools.replaceChildren();
    this.#step(() => this.ask("/api/calibration", asked));
  }

  async #step(asking) {
    clearTimeout(this.timer);
    try {
      this.#show(await (await asking()).json());
    } catch (error) {
      this.said.textContent = error.message;
    }
    if (this.running && this.sheet.open) this.timer = setTimeout(() => this.#step(() => this.ask("/api/calibration")), EVERY_MS);
  }

  #show(now) {
    const words = W.calibrate;
    if (now.frame !== null && now.frame !== this.frame) this.#draw(now.frame);
    const total = now.colors.length || 11;
    const left = now.colors.length ? now.colors.length - Math.max(now.colors.indexOf(now.color), 0) : now.wanted.length || total;
    this.bar.hidden = now.state !== "looking" && now.state !== "showing";
    Object.assign(this.bar, { max: total, value: total - left });
    if (now.state === "looking" && now.wanted.length) this.#say(words.wanted[now.wanted[0]], now.views >= now.least && [words.enough]);
    else if (now.state === "showing") this.#say(words.show(W.colors[now.color] ?? now.color), [words.stand, "main"]);
    else if (now.state === "looking") this.#say(now.frame === null ? W.framing.starting : words.learning);
    else if (now.state === "done") this.#end(now.colors.length ? words.learned(list(now.colors.map((color) => W.colors[color] ?? color))) : words.done((now.error_px ?? 0).toFixed(1)));
    else if (now.state === "failed") this.#end(words.problems[now.problem]);
  }

  /**
   * Show an instruction, with a button to continue if `way` is given. The button is created once, so it keeps the
   * focus.
   */
  #say(text, way) {
    if (this.said.textContent !== text) this.said.textContent = text;
    const label = way ? way[0] : "";
    if (this.tools.textContent === label) return;
    this.tools.replaceChildren(...(way ? [h("button", { type: "button", class: way[1] ?? "", onclick: () => this.#step(() => this.ask("/api/calibration/go-on", {})) }, label)] : []));
  }

  #end(text) {
    this.running = false;
    this.said.textContent = text;
    this.picture.hidden = this.bar.hidden = true;
    this.tools.replaceChildren();
    this.ways.hidden = false;
  }

  async #draw(frame) {
    this.frame = frame;
    try {
      const before = this.picture.src;
      this.picture.src = URL.createObjectURL(await (await this.ask("/api/calibration/picture.jpg")).blob());
      this.picture.hidden = !this.running;
      if (before) URL.revokeObjectURL(before);
    } catch {
      // The next picture comes soon.
    }
  }

  #stop() {
    clearTimeout(this.timer);
    this.running = false;
    this.ask("/api/calibration/stop", {}).catch(() => {});
  }
}
