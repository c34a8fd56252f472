// Sheet that enrols a printed edition: photographs of its tiles, progress, the link to the naming page, the result.

import { h } from "./dom.js";
import { isHeif, jpegOf } from "./picture_file.js";
import { W } from "./words.js";

const EVERY_MS = 700;
const AGAIN_MS = 2000; // before a request is repeated that the lobby did not answer
const SILENT = "silent";
const OF_ONE = ["no_picture", "too_large"]; // errors of a single photograph, which do not affect the others

export class EnrolSheet {
  /**
   * `ask(path, body)` sends a request to the lobby. `done(pack)` is called when an edition has become known,
   * `play(pack)` when it is to be played.
   */
  constructor(sheet, ask, done, play) {
    Object.assign(this, { sheet, ask, done, play });
    sheet.addEventListener("close", () => this.#left());
  }

  /** Open the sheet for an edition of the lobby. */
  async open(edition) {
    this.edition = edition;
    this.state = "idle";
    Object.assign(this, { count: 0, chosen: 0, waiting: [], asked: false, sending: null });
    this.run = Symbol(edition.pack); // results of an earlier run are ignored
    this.shown = h("div", { class: "enrol-pictures" });
    this.file = h("input", { type: "file", accept: "image/*", multiple: true, class: "hidden", id: "enrol-files", onchange: () => this.#take([...this.file.files]) });
    this.begin = h("button", { type: "button", class: "main", disabled: true, onclick: () => this.#begin() }, W.enrol.begin);
    this.gather = h("div", { class: "enrol-gather" },
      h("ol", { class: "enrol-how" }, ...W.enrol.how.map((step) => h("li", {}, step))),
      this.file, h("label", { class: "enrol-take", for: "enrol-files" }, W.enrol.take), this.shown, h("p", { class: "lobby-quiet" }, W.enrol.scans),
      h("button", { type: "button", class: "enrol-box", onclick: () => this.#start() }, W.enrol.box));
    this.said = h("p", { class: "enrol-said", role: "status" });
    this.left = h("p", { class: "enrol-left", role: "status" }); // photographs that could not be used
    this.bar = h("progress", { max: 1, value: 0, "aria-label": W.enrol.progress, hidden: true });
    this.way = h("div", { class: "enrol-way" });
    this.finish = h("div", { class: "lobby-finish" }, this.begin);
    this.sheet.replaceChildren(
      h("div", { class: "lobby-sheet-head" },
        h("h2", { id: "enrol-title" }, W.enrol.title(W.packs[edition.pack] ?? edition.title.split(":")[0])),
        h("button", { type: "button", "aria-label": W.page.close, onclick: () => this.sheet.close() }, "✕")),
      h("div", { class: "enrol" }, this.gather, this.left, this.said, this.bar, this.way), this.finish);
    this.sheet.showModal();
    await this.stopping; // the previous run
    // An enrolment may already run, perhaps started from another phone.
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

  /** Add photographs to the queue. */
  #take(files) {
    this.file.value = "";
    this.way.replaceChildren();
    this.waiting.push(...files);
    this.chosen += files.length;
    if (files.length) this.sending ??= this.#send(this.run);
    this.#updateBegin();
  }

  /**
   * Upload the photographs one by one, and show each when done. A photograph that cannot be used does not stop the
   * others; if the lobby does not answer, the request is repeated.
   */
  async #send(run) {
    const unread = [];
    await this.stopping;
    while (this.waiting.length) {
      const file = this.waiting[0];
      this.#hint(W.enrol.sending(this.chosen - this.waiting.length + 1, this.chosen));
      const picture = await jpegOf(file, this.ask).catch(() => null);
      if (this.run !== run) return;
      const query = new URLSearchParams({ pack: this.edition.pack, name: file.name.slice(-100) || "photo" });
      if (picture) this.adding = this.#added(query, picture);
      const { now, code } = picture ? await this.adding : { code: "no_picture" };
      if (this.run !== run) return;
      if (code === SILENT) {
        await new Promise((then) => setTimeout(then, AGAIN_MS));
        if (this.run !== run) return;
        continue;
      }
      if (!now && !OF_ONE.includes(code)) {
        this.waiting = []; // the lobby accepts no more photographs and has said why
        this.asked = false;
        break;
      }
      this.waiting.shift();
      if (!now) {
        unread.push(file.name);
        continue;
      }
      this.shown.append(h("img", { src: URL.createObjectURL(picture), alt: "" }));
      this.#show(now);
      this.said.textContent = "";
    }
    this.sending = null;
    this.chosen = this.count;
    if (unread.length) this.left.textContent = unread.every((name) => isHeif({ name })) ? W.lobby.refused.no_heif : W.enrol.unreadable(unread.join(", "));
    if (this.asked && this.count) await this.#start();
    this.asked = false;
    this.#updateBegin();
  }

  /** Upload a photograph and return the state; the error code if the lobby refuses it or does not answer. */
  async #added(query, picture) {
    try {
      return { now: await (await this.ask(`/api/enrolment/pictures?${query}`, picture)).json() };
    } catch (error) {
      this.said.textContent = error.message;
      return { code: error.code ?? SILENT };
    }
  }

  #hint(text) {
    this.said.textContent = this.asked ? `${text} ${W.enrol.thenBegin}` : text;
  }

  /** Update the button: it is enabled once photographs are chosen, and says so if it waits for uploads. */
  #updateBegin() {
    this.begin.disabled = this.asked || !(this.count || this.waiting.length);
    this.begin.textContent = this.asked ? W.enrol.waiting : W.enrol.begin;
    this.begin.setAttribute("aria-busy", String(this.asked));
  }

  /** Start to read the photographs, once all are uploaded. */
  async #begin() {
    this.asked = true;
    this.#updateBegin();
    if (this.sending) this.#hint(W.enrol.sending(this.chosen - this.waiting.length + 1, this.chosen));
    else await this.#start();
  }

  async #start() {
    const now = await this.#asked("/api/enrolment", { pack: this.edition.pack });
    this.asked = false;
    if (now) this.#show(now);
    else this.#updateBegin();
  }

  #show(now) {
    this.count = now.pictures;
    const before = this.state;
    this.state = now.state;
    const busy = now.state === "looking" || now.state === "naming";
    this.gather.hidden = busy || now.state === "done";
    this.finish.hidden = busy || now.state === "done";
    this.#updateBegin();
    this.bar.hidden = now.state !== "looking" || !now.pictures;
    Object.assign(this.bar, { max: Math.max(now.pictures, 1), value: now.looked });
    if (now.state === "looking" && !now.pictures) this.said.textContent = W.enrol.opening;
    else if (now.state === "looking") this.said.textContent = W.enrol.looking(Math.min(now.looked + 1, now.pictures), now.pictures);
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
    this.said.textContent = now.faces ? W.enrol.found(now.faces) : W.enrol.boxOpen;
    this.way.replaceChildren(h("a", { class: "button main", href: now.url, target: "_blank", rel: "noopener" }, now.faces ? W.enrol.name : W.enrol.toBox));
  }

  async #finished(now) {
    this.said.textContent = now.missing.length ? W.enrol.partly(now.designs, now.missing.length) : W.enrol.done(now.designs);
    if (now.sides.length) this.left.textContent = W.enrol.sides([...new Set(now.sides.map((one) => one.design))].join(", "));
    this.way.replaceChildren(
      h("button", { type: "button", class: "main", onclick: () => { this.sheet.close(); this.play(this.edition.pack); } }, W.enrol.play),
      now.missing.length ? h("button", { type: "button", onclick: () => this.open(this.edition) }, W.enrol.more) : "");
    await this.done(this.edition.pack);
  }

  /** The sheet was closed: delete photographs that were only collected; a running enrolment continues. */
  #left() {
    clearTimeout(this.timer);
    this.run = null;
    this.waiting = [];
    this.asked = false;
    if (!["idle", "failed", "done"].includes(this.state)) return;
    this.stopping = Promise.resolve(this.adding).then(() => this.ask("/api/enrolment/stop", {})).catch(() => {});
  }
}
