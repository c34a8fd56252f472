// Settings: language, sounds, join key, name of the phone's user, home screen; more for the host.

import { keepOwnName, ownName, remembers } from "./api.js";
import { clock } from "./clock.js";
import { h } from "./dom.js";
import { hostPart } from "./host.js";
import { lobbyLink } from "./lobby_link.js";
import { openSheet } from "./sheet.js";
import { SPOKEN } from "./voice.js";
import { webhooksPart } from "./webhooks.js";
import { LANGUAGES, W, speakLanguage } from "./words.js";

let invitation = null; // the browser's offer to install the page, if it has made one
addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  invitation = event;
});

/**
 * Open the settings. onKey(key) tries a key and returns whether it is valid. `labels`: whether pieces of this game's pictures may be kept.
 */
export function openMenu({ voice, role, labels, onKey }) {
  openSheet(W.menu.title, [
    h("label", { class: "setting" }, h("span", {}, W.menu.language),
      h("select", { class: "search", onchange: (event) => speakLanguage(event.target.value) },
        ...Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, selected: code === W.code }, name)))),
    toggle(voice, "sound", W.menu.sound, W.menu.soundWhy),
    navigator.vibrate ? toggle(voice, "buzz", W.menu.buzz, W.menu.buzzWhy) : "",
    window.speechSynthesis ? spoken(voice) : "",
    toggle(clock, "shown", W.menu.clock, W.menu.clockWhy),
    ...(role ? [nameField(), h("p", { class: "hint" }, W.menu.joined)] : [keyForm(onKey)]),
    labels && role !== "host" ? h("p", { class: "hint labels-kept" }, W.labels.kept) : "",
    ...(role === "host" ? [hostPart(), webhooksPart()] : []),
    remembers ? h("a", { class: "plain lobby-link tv-link", href: `/tv?lang=${W.code}${clock.on.shown ? "&clock=1" : ""}${voice.on.speak ? `&speak=${voice.on.speak}` : ""}`, target: "_blank" }, W.tv.title, h("small", {}, W.tv.why)) : "",
    lobbyLink("plain lobby-link"),
    install(),
  ]);
}

function toggle(switches, what, name, why) {
  const button = h("button", { type: "button", class: "toggle", role: "switch", "aria-checked": switches.on[what] ? "true" : "false", onclick: () => {
    switches.turn(what, !switches.on[what]);
    show();
  } });
  const show = () => {
    button.setAttribute("aria-checked", switches.on[what]);
    button.replaceChildren(h("span", {}, name, h("small", {}, why)), h("span", { class: "knob", "aria-hidden": "true" }, switches.on[what] ? W.menu.on : W.menu.off));
  };
  show();
  return button;
}

/** Return the choice of what is spoken. */
function spoken(voice) {
  return h("label", { class: "setting" }, h("span", {}, W.menu.speak, h("small", {}, W.menu.speakWhy)),
    h("select", { class: "search", onchange: (event) => voice.turn("speak", event.target.value) },
      ...SPOKEN.map((level) => h("option", { value: level, selected: level === voice.on.speak }, W.voice.levels[level || "none"]))));
}

function nameField() {
  const field = h("input", { type: "text", class: "search", name: "own-name", autocomplete: "name", maxlength: 30, value: ownName(), onchange: () => keepOwnName(field.value.trim()) });
  return h("label", { class: "setting" }, h("span", {}, W.menu.yours, h("small", {}, W.menu.yoursWhy)), field);
}

function keyForm(onKey) {
  const field = h("input", { type: "text", class: "search", name: "key", autocomplete: "off", autocapitalize: "characters", maxlength: 40, required: true });
  const send = (event) => {
    event.preventDefault();
    onKey(field.value.trim());
  };
  return h("form", { class: "name-form", onsubmit: send },
    h("label", {}, W.menu.key, field), h("button", { type: "submit", class: "plain" }, W.menu.join), h("p", { class: "hint" }, W.menu.keyWhy));
}

function install() {
  if (!invitation) return h("p", { class: "hint" }, `${W.menu.install}: ${W.menu.installWhy}`);
  return h("button", { type: "button", class: "plain", onclick: () => invitation.prompt() }, W.menu.install);
}
