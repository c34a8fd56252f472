// Short notes over the board: something is unclear, a rule is broken, a command did not work.

import { h } from "./dom.js";

const STAY_MS = 7000;

export class Toasts {
  constructor(room) {
    this.room = room;
  }

  /**
   * Show a note; one with the same `key` replaces the last and, being `lasting`, stays until `clear(key)`.
   * `way` ({label, go}) is a button that leads on.
   */
  show(title, text, { kind = "note", key = title, lasting = false, way = null } = {}) {
    this.clear(key);
    const button = way ? h("button", { type: "button", class: "toast-way", onclick: way.go }, way.label) : "";
    const toast = h("div", { class: "toast", "data-kind": kind, "data-key": key }, h("b", {}, title), text, button);
    this.room.append(toast);
    if (!lasting) setTimeout(() => toast.remove(), STAY_MS);
  }

  clear(key) {
    for (const toast of this.room.children) if (toast.dataset.key === key) toast.remove();
  }
}
