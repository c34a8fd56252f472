// Waiting for a table that was just started: it opens when it is ready. A phone camera gets its code first.

import { h } from "./dom.js";
import { W, phrase } from "./words.js";

export class OpeningTable {
  /** `way` has code(address), which returns the element of a QR code, open(table) and change(table). */
  constructor(sheet, way) {
    Object.assign(this, { sheet, way, wanted: null });
    sheet.addEventListener("close", () => { this.wanted = null; });
    addEventListener("pagehide", () => sheet.close()); // coming back shows the tables
  }

  /** Wait for a table, by its id. */
  wait(id) {
    this.wanted = id;
    this.#show(W.start.opening, h("p", { role: "status" }, W.start.openingWhy), h("progress", { "aria-label": W.start.opening }));
    if (!this.sheet.open) this.sheet.showModal();
  }

  /** Update with the current tables. */
  take(tables) {
    const table = tables.find((one) => one.id === this.wanted);
    if (table?.phase === "failed") {
      this.wanted = null;
      this.#show(W.start.failed, h("p", { role: "alert" }, phrase(table.message) || W.lobby.phases.failed),
        h("button", { type: "button", class: "main", onclick: () => { this.sheet.close(); this.way.change(table); } }, W.lobby.change));
    } else if (table?.url && table.camera_url) {
      this.#film(table);
    } else if (table?.url) {
      this.wanted = null;
      this.way.open(table);
    }
  }

  /** Show the code for the phone that is the camera, before the table opens. */
  async #film(table) {
    this.wanted = null;
    const code = await this.way.code(table.camera_url, W.start.scan);
    if (!this.sheet.open) return;
    this.#show(W.lobby.phone, code,
      h("button", { type: "button", class: "main", onclick: () => this.way.open(table) }, W.start.openTable));
  }

  #show(title, ...parts) {
    this.sheet.replaceChildren(
      h("div", { class: "lobby-sheet-head" },
        h("h2", { id: "opening-title" }, title),
        h("button", { type: "button", onclick: () => this.sheet.close() }, W.start.stay)),
      h("div", { class: "start" }, ...parts));
  }
}
