// Settings for the host: join code, new join key, hints, labels, overlay, and whether spectators see the camera.

import { ask, askPicture } from "./api.js";
import { copying } from "./copying.js";
import { h } from "./dom.js";
import { LAYOUTS, THEMES } from "./overlay.js";
import { W, phrase, sentenceCase } from "./words.js";

/** Return an element that fills itself with the host's settings. */
export function hostPart() {
  const room = h("section", { class: "host", "aria-labelledby": "host-title" });
  const fail = (error) => room.append(h("p", { class: "hint", role: "alert" }, sentenceCase(phrase(error.said, error.message))));
  const show = async (access) => {
    const code = await askPicture("api/host/join.svg");
    room.replaceChildren(
      h("h3", { id: "host-title" }, W.host.title),
      h("img", { class: "join-code", src: code, alt: W.host.code, onload: () => URL.revokeObjectURL(code) }),
      h("p", { class: "hint join-url" }, access.join_url),
      W.host.hub[access.hub] ? h("p", { class: "host-hub", role: "alert" }, W.host.hub[access.hub]) : "",
      h("button", { type: "button", class: "plain alarm", onclick: replaceKey }, W.host.newKey, h("small", {}, W.host.newKeyWhy)),
      cameraSwitch(access.spectators_see_camera),
      access.hints === null ? "" : hintsSwitch(access),
      access.keep_labels === null ? "" : labelsSwitch(access.keep_labels),
      watchLink(access.watch_url),
      overlayLink(access.overlay_url));
  };
  const replaceKey = () => {
    if (confirm(W.host.newKeySure)) ask("api/host/key", { method: "POST" }).then(show).catch(fail);
  };
  const change = (address, body) => ask(address, { method: "POST", body: JSON.stringify(body) }).then(refresh).catch(fail);
  const knobbed = (on, name, why, onclick, disabled = false) => h("button", { type: "button", class: "toggle", role: "switch", "aria-checked": String(on), disabled, onclick },
    h("span", {}, name, h("small", {}, why)), h("span", { class: "knob", "aria-hidden": "true" }, on ? W.menu.on : W.menu.off));
  const cameraSwitch = (on) => knobbed(on, W.host.camera, W.host.cameraWhy, () => change("api/host/camera", { spectators: !on }));
  const hintsSwitch = ({ hints, hints_locked: locked }) => knobbed(hints, W.host.hints, locked ? W.host.hintsLocked : W.host.hintsWhy, () => change("api/host/hints", { on: !hints }), locked);
  const labelsSwitch = (on) => knobbed(on, W.labels.keep, W.labels.why, () => change("api/host/labels", { on: !on }));
  const refresh = () => ask("api/host").then(show).catch(fail);
  refresh();
  return room;
}

/** Return the link for people who only look on: it shows this table, and nothing can be changed with it. */
function watchLink(address) {
  const code = h("img", { class: "watch-code", alt: W.host.watchCode });
  const show = async () => {
    code.src = await askPicture("api/host/watch.svg");
  };
  return h("details", { class: "overlay-link", ontoggle: () => code.src || show().catch(() => {}) }, h("summary", {}, W.host.watch),
    h("p", { class: "hint" }, W.host.watchWhy), code, copying(`${address}?lang=${W.code}`, W.join.copyLink));
}

/** Return the choice of the overlay's look, and its link with a button that copies it. */
function overlayLink(address) {
  const room = h("div");
  const look = { layout: LAYOUTS[0], theme: THEMES[0] };
  const show = () => room.replaceChildren(copying(`${address}?${new URLSearchParams({ ...look, lang: W.code })}`, W.join.copyLink));
  const choice = (part, known, names) => h("label", { class: "setting" }, h("span", {}, W.overlay[part]),
    h("select", { class: "search", onchange: (event) => {
      look[part] = event.target.value;
      show();
    } }, ...known.map((one) => h("option", { value: one }, names[one]))));
  show();
  return h("details", { class: "overlay-link" }, h("summary", {}, W.overlay.title),
    h("p", { class: "hint" }, W.overlay.why), choice("layout", LAYOUTS, W.overlay.layouts), choice("theme", THEMES, W.overlay.themes), room);
}
