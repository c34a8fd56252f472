// Short notes over the board: something is unclear, a rule is broken, a command failed.

import { h } from "./dom.js";

const STAY_MS = 7000;

export class Toasts {
  constructor(room) {
    this.room = room;
  }

  /**
   * Show a note. It replaces one with the same `key` and, if `lasting`, stays until `clear(key)`. `way` ({label, go})
   * adds a button. A lasting note that says the same already stays as it is, so that it is announced once.
   */
  show(title, text, { kind = "note", key = title, lasting = false, way = null } = {}) {
    const said = JSON.stringify([title, text, kind, way?.label]);
    const there = [...this.room.children].find((toast) => toast.dataset.key === key);
    if (lasting && there?.dataset.said === said) {
      there.go = way?.go;
      return;
    }
    this.clear(key);
    const button = way ? h("button", { type: "button", class: "toast-way", onclick: () => toast.go() }, way.label) : "";
    const toast = h("div", { class: "toast", "data-kind": kind, "data-key": key }, h("b", {}, title), text, button);
    toast.go = way?.go;
    if (lasting) toast.dataset.said = said;
    this.room.append(toast);
    if (!lasting) setTimeout(() => toast.remove(), STAY_MS);
  }

  clear(key) {
    for (const toast of this.room.children) if (toast.dataset.key === key) toast.remove();
  }
}
