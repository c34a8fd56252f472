// A sheet over the page: at the bottom of a phone, in the middle of a laptop. One at a time.

import { h } from "./dom.js";
import { W } from "./words.js";

// Back closes what is open over the page: an entry of the history stands for it, gone again once it is closed.
const OPEN = "dialog[data-back][open]";
let leaving = false; // the entry is being taken out, nobody asked to go back
if (history.state?.over) history.replaceState(null, "");
addEventListener("popstate", () => {
  const open = document.querySelector(OPEN);
  if (leaving && open) history.pushState({ over: true }, "");
  else open?.close();
  leaving = false;
});

/** Show a dialog that Back closes, too. */
export function showOver(dialog) {
  dialog.dataset.back = "";
  dialog.addEventListener("close", () => {
    if (document.querySelector(OPEN) || !history.state?.over) return;
    leaving = true;
    history.back();
  });
  if (!history.state?.over) history.pushState({ over: true }, "");
  dialog.showModal();
}

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
  showOver(dialog);
  return { room, close: () => dialog.close() };
}
