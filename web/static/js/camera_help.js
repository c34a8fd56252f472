// Help for a browser that gives no camera: the reason, and the buttons to tap, with their names in this browser.

import { h } from "./dom.js";
import { W } from "./words.js";

/** Return the kind of browser, for the names of its buttons. Browsers on iOS share an engine but not these names. */
function browserOf(agent = navigator.userAgent) {
  if (/Firefox|FxiOS/.test(agent)) return "firefox";
  return /Chrome|CriOS|Chromium/.test(agent) ? "chrome" : "safari";
}

const steps = (list) => h("ol", { class: "help-steps" }, ...list.map((step) => h("li", {}, step)));

/**
 * Help for a page without HTTPS, which gets no camera: the way to the page at `address`, and the warning on the way.
 */
export const unencrypted = (address, words = W.phone.help) => [
  h("h1", {}, words.title),
  h("p", {}, words.why),
  ...(address ? [h("a", { class: "plain go", href: address }, words.open), h("h2", {}, words.expect), steps(words.warning[browserOf()])] : []),
  h("p", { class: "count" }, words.more),
];

/** Help for a page that was denied the camera: where to allow it. */
export const forbidden = (words = W.phone.help) => [
  h("h1", {}, words.forbidden),
  steps(words.allow[browserOf()]),
];
