// A text with a button that copies it.

import { h } from "./dom.js";
import { W } from "./words.js";

/** Return a text with a button that copies it. */
export function copying(text, label) {
  const code = h("code", { tabindex: 0 }, text);
  const button = h("button", { type: "button", class: "plain" }, label);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = W.join.copied;
    } catch {
      getSelection().selectAllChildren(code); // without HTTPS there is no clipboard: select the text instead
      button.textContent = W.join.selected;
    }
  });
  return h("div", { class: "join-copy" }, code, button);
}
