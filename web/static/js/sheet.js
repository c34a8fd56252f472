// A sheet over the page: at the bottom of a phone, in the middle of a laptop. One at a time.

import { h } from "./dom.js";
import { W } from "./words.js";

/** Open a sheet; `children` fill it. Returns {room, close()}; `onClose` hears how ever it was closed. */
export function openSheet(title, children, { onClose = () => {} } = {}) {
  document.querySelector("dialog.sheet")?.close();
  const room = h("div", { class: "sheet-room" }, ...children);
  const dialog = h("dialog", { class: "sheet", "aria-labelledby": "sheet-title" },
    h("header", { class: "sheet-head" },
      h("h2", { id: "sheet-title" }, title),
      h("button", { type: "button", class: "tool", "aria-label": W.page.close, onclick: () => dialog.close() }, "✕")),
    room);
  dialog.addEventListener("close", () => {
    dialog.remove();
    onClose();
  });
  // A tap beside the sheet closes it.
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return { room, close: () => dialog.close() };
}
