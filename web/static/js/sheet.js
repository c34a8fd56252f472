// Sheets over the page: at the bottom on a phone, in the middle on a laptop. Only one is open at a time.

import { h } from "./dom.js";
import { W } from "./words.js";

// The Back button closes a sheet: opening adds an entry to the browser's history, and closing removes it.
const OPEN = "dialog[data-back][open]";
let leaving = false; // whether the entry is being removed, so that popstate is not a request to go back
let drawer = null; // drawer that Back also closes, if no dialog is open over it
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

/** Remove the history entry if nothing is open any more. */
function dropEntry() {
  if (document.querySelector(OPEN) || drawer?.isOpen || !history.state?.over) return;
  leaving = true;
  history.back();
}

/**
 * Let Back close a drawer ({isOpen, open(on)}) of this page. Returns a function to call after it was opened or
 * closed.
 */
export function closedByBack(opened) {
  drawer = opened;
  return () => (drawer.isOpen ? keepEntry() : dropEntry());
}

/** Show a dialog that Back also closes. */
export function showOver(dialog) {
  dialog.dataset.back = "";
  dialog.addEventListener("close", dropEntry);
  keepEntry();
  dialog.showModal();
}

/** Open a sheet filled with `children`. Returns {room, close()}; `onClose` is called whichever way it is closed. */
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
