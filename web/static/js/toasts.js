// Short notes over the board: something is unclear, a rule is broken, a command failed.

import { h } from "./dom.js";

const STAY_MS = 7000;

export class Toasts {
  constructor(room) {
    this.room = room;
  }

  /**
   * Show a note. It replaces one with the same `key` and, if `lasting`, stays until `clear(key)`. `way` ({label, go})
   * adds a button.
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
