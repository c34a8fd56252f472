// The sheet that enrols a printed edition: photographs of its tiles, a progress bar, the way to the names, the result.

import { h } from "./dom.js";
import { jpegOf } from "./picture_file.js";
import { W } from "./words.js";

const EVERY_MS = 700;

export class EnrolSheet {
  /** `ask(path, body)` asks the lobby; `done()` is told when an edition has become known. */
  constructor(sheet, ask, done) {
    Object.assign(this, { sheet, ask, done });
    sheet.addEventListener("close", () => this.#left());
  }

  /** Enrol an edition of the lobby. */
  async open(edition) {
    this.edition = edition;
    this.state = "idle";
    Object.assign(this, { count: 0, chosen: 0, waiting: [], asked: false, sending: null });
    this.shown = h("div", { class: "enrol-pictures" });
    this.file = h("input", { type: "file", accept: "image/*", multiple: true, class: "hidden", id: "enrol-files", onchange: () => this.#take([...this.file.files]) });
    this.begin = h("button", { type: "button", class: "main", disabled: true, onclick: () => this.#begin() }, W.enrol.begin);
    this.gather = h("div", { class: "enrol-gather" },
      h("ol", { class: "enrol-how" }, ...W.enrol.how.map((step) => h("li", {}, step))),
      this.file, h("label", { class: "enrol-take", for: "enrol-files" }, W.enrol.take), this.shown, h("p", { class: "lobby-quiet" }, W.enrol.scans));
    this.said = h("p", { class: "enrol-said", role: "status" });
    this.bar = h("progress", { max: 1, value: 0, "aria-label": W.enrol.progress, hidden: true });
    this.way = h("div", { class: "enrol-way" });
    this.finish = h("div", { class: "lobby-finish" }, this.begin);
    this.sheet.replaceChildren(
      h("div", { class: "lobby-sheet-head" },
        h("h2", { id: "enrol-title" }, W.enrol.title(W.packs[edition.pack] ?? edition.title.split(":")[0])),
        h("button", { type: "button", "aria-label": W.page.close, onclick: () => this.sheet.close() }, "✕")),
      h("div", { class: "enrol" }, this.gather, this.said, this.bar, this.way), this.finish);
    this.sheet.showModal();
    // One that is under way, perhaps begun from another phone.
    const now = await this.#asked("/api/enrolment");
    if (now?.pack === edition.pack && now.state !== "done") this.#show(now);
  }

  async #asked(path, body) {
    try {
      return await (await this.ask(path, body)).json();
    } catch (error) {
      this.said.textContent = error.message;
      return null;
    }
  }

  /** Add photographs to those that are being sent. */
  #take(files) {
    this.file.value = "";
    this.way.replaceChildren();
    this.waiting.push(...files);
    this.chosen += files.length;
    this.sending ??= this.#send().finally(() => { this.sending = null; });
  }

  /** Send photographs one after the other, each shown once it is there; one that cannot be read keeps none back. */
  async #send() {
    const unread = [];
    while (this.waiting.length) {
      const file = this.waiting[0];
      this.#hint(W.enrol.sending(this.chosen - this.waiting.length + 1, this.chosen));
      const picture = await jpegOf(file).catch(() => null);
      const query = new URLSearchParams({ pack: this.edition.pack, name: file.name.slice(-100) || "photo" });
      const now = picture && await this.#asked(`/api/enrolment/pictures?${query}`, picture);
      if (picture && !now) {
        this.waiting = []; // the lobby does not take it, and has said why
        this.asked = false;
        this.chosen = this.count;
        this.#restBegin();
        return;
      }
      this.waiting.shift();
      if (!now) {
        unread.push(file.name);
        continue;
      }
      this.shown.append(h("img", { src: URL.createObjectURL(picture), alt: "" }));
      this.#show(now);
    }
    this.chosen = this.count;
    this.said.textContent = unread.length ? W.enrol.unreadable(unread.join(", ")) : "";
    this.#restBegin();
    if (this.asked && this.count) await this.#start();
  }

  #hint(text) {
    this.said.textContent = this.asked ? `${text} ${W.enrol.thenBegin}` : text;
  }

  #restBegin() {
    this.begin.disabled = this.asked || !(this.count || this.waiting.length);
  }

  /** Look at the photographs: once all of them are there. */
  async #begin() {
    this.asked = true;
    this.#restBegin();
    if (this.sending) this.#hint(W.enrol.sending(this.chosen - this.waiting.length + 1, this.chosen));
    else await this.#start();
  }

  async #start() {
    const now = await this.#asked("/api/enrolment", { pack: this.edition.pack });
    this.asked = false;
    if (now) this.#show(now);
    else this.#restBegin();
  }

  #show(now) {
    this.count = now.pictures;
    const before = this.state;
    this.state = now.state;
    const busy = now.state === "looking" || now.state === "naming";
    this.gather.hidden = busy || now.state === "done";
    this.finish.hidden = busy || now.state === "done";
    this.#restBegin();
    this.bar.hidden = now.state !== "looking";
    Object.assign(this.bar, { max: Math.max(now.pictures, 1), value: now.looked });
    if (now.state === "looking") this.said.textContent = W.enrol.looking(Math.min(now.looked + 1, now.pictures), now.pictures);
    else if (now.state === "failed") this.said.textContent = W.enrol.problems[now.problem];
    else if (now.state === "naming" && before !== "naming") this.#name(now);
    else if (now.state === "done") this.#finished(now);
    clearTimeout(this.timer);
    if (busy && this.sheet.open) this.timer = setTimeout(() => this.#look(), EVERY_MS);
  }

  async #look() {
    const now = await this.#asked("/api/enrolment");
    if (now) this.#show(now);
    else if (this.sheet.open) this.timer = setTimeout(() => this.#look(), EVERY_MS);
  }

  #name(now) {
    this.said.textContent = W.enrol.found(now.faces);
    this.way.replaceChildren(h("a", { class: "button main", href: now.url, target: "_blank", rel: "noopener" }, W.enrol.name));
  }

  async #finished(now) {
    this.said.textContent = now.missing.length ? W.enrol.partly(now.designs, now.missing.length) : W.enrol.done(now.designs);
    this.way.replaceChildren(
      h("button", { type: "button", class: "main", onclick: () => this.sheet.close() }, W.enrol.play),
      now.missing.length ? h("button", { type: "button", onclick: () => this.open(this.edition) }, W.enrol.more) : "");
    await this.done(this.edition.pack);
  }

  /** Closed: what was only gathered is thrown away; what runs goes on. */
  #left() {
    clearTimeout(this.timer);
    this.waiting = [];
    this.asked = false;
    if (["idle", "failed", "done"].includes(this.state)) this.ask("/api/enrolment/stop", {}).catch(() => {});
  }
}
