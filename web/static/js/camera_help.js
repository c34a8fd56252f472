// Where a browser gives no camera: why, and what to tap, in the words that this browser shows.

import { h } from "./dom.js";
import { W } from "./words.js";

/** The kind of browser, for the words on its buttons. Those of iOS all show Safari's engine, but words of their own. */
function browserOf(agent = navigator.userAgent) {
  if (/Firefox|FxiOS/.test(agent)) return "firefox";
  return /Chrome|CriOS|Chromium/.test(agent) ? "chrome" : "safari";
}

const steps = (list) => h("ol", { class: "help-steps" }, ...list.map((step) => h("li", {}, step)));

/** A page that came unencrypted has no camera: the way to the one at `address`, and the warning that comes before it. */
export const unencrypted = (address, words = W.phone.help) => [
  h("h1", {}, words.title),
  h("p", {}, words.why),
  ...(address ? [h("a", { class: "plain go", href: address }, words.open), h("h2", {}, words.expect), steps(words.warning[browserOf()])] : []),
  h("p", { class: "count" }, words.more),
];

/** The browser was told that this page may not use the camera: where that is changed. */
export const forbidden = (words = W.phone.help) => [
  h("h1", {}, words.forbidden),
  steps(words.allow[browserOf()]),
];
