// Sheet at the bottom of a phone. A tap or a pull on its handle opens and closes it.

import { closedByBack } from "./sheet.js";
import { W } from "./words.js";

const PULL_PX = 24;

export class Panel {
  constructor(panel, handle, label) {
    this.panel = panel;
    this.handle = handle;
    this.label = label;
    this.said = closedByBack(this);
    let from = null;
    handle.addEventListener("click", () => this.open(!this.isOpen));
    for (const grip of [handle, panel.querySelector(".last-turn")]) {
      grip.addEventListener("touchstart", (event) => { from = event.touches[0].clientY; }, { passive: true });
      grip.addEventListener("touchmove", (event) => {
        if (from === null) return;
        const pulled = event.touches[0].clientY - from;
        if (Math.abs(pulled) < PULL_PX) return;
        this.open(pulled < 0);
        from = null;
      }, { passive: true });
    }
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.isOpen) this.open(false);
    });
  }

  /** Whether it is open. Without a handle, as on a laptop, it is no drawer and never open. */
  get isOpen() {
    return this.panel.dataset.open === "true" && this.handle.offsetParent !== null;
  }

  open(on) {
    this.panel.dataset.open = on;
    this.handle.setAttribute("aria-expanded", on);
    this.label.textContent = on ? W.page.closeLog : W.page.openLog;
    this.said();
  }
}
