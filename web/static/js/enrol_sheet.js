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
    this.count = 0;
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

  /** Send photographs one after the other, each shown once it is there. */
  async #take(files) {
    this.begin.disabled = true;
    this.said.textContent = "";
    this.way.replaceChildren();
    for (const [at, file] of files.entries()) {
      this.said.textContent = W.enrol.sending(at + 1, files.length);
      const picture = await jpegOf(file).catch(() => null);
      const query = new URLSearchParams({ pack: this.edition.pack, name: file.name.slice(-100) || "photo" });
      const now = picture && await this.#asked(`/api/enrolment/pictures?${query}`, picture);
      if (!now) {
        if (!picture) this.said.textContent = W.enrol.unreadable(file.name);
        break;
      }
      this.shown.append(h("img", { src: URL.createObjectURL(picture), alt: "" }));
      this.#show(now);
      this.said.textContent = "";
    }
    this.file.value = "";
    this.begin.disabled = !this.count;
  }

  async #begin() {
    this.begin.disabled = true;
    const now = await this.#asked("/api/enrolment", { pack: this.edition.pack });
    if (now) this.#show(now);
    else this.begin.disabled = false;
  }

  #show(now) {
    this.count = now.pictures;
    const before = this.state;
    this.state = now.state;
    const busy = now.state === "looking" || now.state === "naming";
    this.gather.hidden = busy || now.state === "done";
    this.finish.hidden = busy || now.state === "done";
    this.begin.disabled = !now.pictures;
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
    if (["idle", "failed", "done"].includes(this.state)) this.ask("/api/enrolment/stop", {}).catch(() => {});
  }
}
