// The lobby's sheet to join a club: the invitation as a link, or as a picture of its QR code.

import { h } from "./dom.js";
import { W } from "./words.js";

const SIDE_PX = 900;
const AT_MOST_BYTES = 60_000;

/** Return a picture as a small JPEG, large enough for a code that fills most of it. */
async function small(file) {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, SIDE_PX / Math.max(bitmap.width, bitmap.height));
  const canvas = h("canvas", { width: Math.round(bitmap.width * scale), height: Math.round(bitmap.height * scale) });
  const drawing = canvas.getContext("2d");
  drawing.filter = "grayscale(1)";
  drawing.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  for (const quality of [0.7, 0.4, 0.2]) {
    const jpeg = await new Promise((take) => canvas.toBlob(take, "image/jpeg", quality));
    if (jpeg.size <= AT_MOST_BYTES || quality === 0.2) return jpeg;
  }
}

export class ClubSheet {
  /** `ask` sends a request to the lobby. `changed(club)` is called with the joined club, null for none. */
  constructor(sheet, ask, changed) {
    Object.assign(this, { sheet, ask, changed, club: null });
  }

  /** Fetch the joined club. */
  async look() {
    this.#take((await (await this.ask("/api/club")).json()).club);
  }

  open() {
    this.said = h("p", { class: "enrol-said", role: "status" });
    const body = this.club ? this.#joined() : this.#joining();
    this.sheet.replaceChildren(
      h("div", { class: "lobby-sheet-head" },
        h("h2", { id: "club-title" }, W.join.open),
        h("button", { type: "button", "aria-label": W.page.close, onclick: () => this.sheet.close() }, "✕")),
      h("div", { class: "join-sheet" }, ...body, this.said));
    if (!this.sheet.open) this.sheet.showModal();
  }

  #joined() {
    const { hub, table } = this.club;
    return [
      h("p", { class: "join-club" }, W.join.joined(table)),
      h("p", {}, h("a", { href: hub, target: "_blank", rel: "noreferrer" }, hub)),
      h("p", { class: "lobby-quiet" }, W.join.every),
      h("button", { type: "button", onclick: () => this.#do("/api/club/leave", {}) }, W.join.leave),
    ];
  }

  #joining() {
    const text = h("textarea", { id: "invitation", rows: 4, required: true, maxlength: 2000, spellcheck: "false", autocomplete: "off" });
    const join = (event) => {
      event.preventDefault();
      this.#do("/api/club", { invitation: text.value });
    };
    const scan = h("input", { type: "file", id: "invitation-picture", accept: "image/*", capture: "environment", onchange: () => this.#read(scan.files[0], text) });
    return [
      h("p", {}, W.join.what),
      h("form", { class: "join-sheet", onsubmit: join },
        h("label", { for: "invitation" }, W.join.paste), text,
        scan, h("label", { class: "join-scan", for: "invitation-picture" }, W.join.scan),
        h("button", { type: "submit", class: "main" }, W.join.open)),
    ];
  }

  /** Read the QR code of a picture into the text field. */
  async #read(file, text) {
    if (!file) return;
    try {
      text.value = (await (await this.ask("/api/club/code", await small(file))).json()).text;
      this.said.textContent = "";
    } catch (error) {
      this.said.textContent = error.message;
    }
  }

  async #do(path, body) {
    try {
      const { club, answers } = await (await this.ask(path, body)).json();
      this.#take(club);
      this.open();
      if (answers === false) this.said.textContent = W.join.later;
    } catch (error) {
      this.said.textContent = error.message;
    }
  }

  #take(club) {
    this.club = club;
    this.changed(club);
  }
}
