// A sheet over the page: at the bottom of a phone, in the middle of a laptop. One at a time.

import { h } from "./dom.js";
import { W } from "./words.js";

// Back closes what is open over the page: an entry of the history stands for it, gone again once it is closed.
const OPEN = "dialog[data-back][open]";
let leaving = false; // the entry is being taken out, nobody asked to go back
let drawer = null; // what Back closes, too, once no dialog is open over it
if (history.state?.over) history.replaceState(null, "");
addEventListener("popstate", () => {
  const open = document.querySelector(OPEN);
  const asked = !leaving;
  leaving = false;
  if (asked && open) open.close();
  else if (asked && drawer?.isOpen) drawer.open(false);
  if (document.querySelector(OPEN) || drawer?.isOpen) keepEntry();
});

function keepEntry() {
  if (!history.state?.over) history.pushState({ over: true }, "");
}

/** Take the entry out once nothing is open any more. */
function dropEntry() {
  if (document.querySelector(OPEN) || drawer?.isOpen || !history.state?.over) return;
  leaving = true;
  history.back();
}

/** Let Back close a drawer ({isOpen, open(on)}) of this page; returns what to call once it was opened or closed. */
export function closedByBack(opened) {
  drawer = opened;
  return () => (drawer.isOpen ? keepEntry() : dropEntry());
}

/** Show a dialog that Back closes, too. */
export function showOver(dialog) {
  dialog.dataset.back = "";
  dialog.addEventListener("close", dropEntry);
  keepEntry();
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
