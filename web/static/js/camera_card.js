// Card for a table whose camera is a phone that sends no picture: the code to scan, and what its browser will ask
// first.

import { ask, askPicture } from "./api.js";
import { h } from "./dom.js";
import { W } from "./words.js";

export class CameraCard {
  /** onShown() is called when the card appears or disappears. */
  constructor(room, onShown) {
    Object.assign(this, { room, onShown });
    this.wanted = false;
  }

  get isShown() {
    return !this.room.hidden;
  }

  /** Show the card if `wanted`, unless the table takes no pictures from phones. */
  async update(wanted) {
    if (wanted === this.wanted) return;
    this.wanted = wanted;
    if (!wanted) {
      this.#show([]);
      return;
    }
    try {
      const access = await ask("api/host");
      const parts = access.camera_url ? await this.#parts(access) : [];
      if (this.wanted) this.#show(parts);
    } catch (error) {
      this.wanted = false; // the next state tries again
      console.info("no code for the camera", error.message);
    }
  }

  #show(parts) {
    this.room.replaceChildren(...parts);
    const was = this.isShown;
    this.room.hidden = !parts.length;
    if (was !== this.isShown) this.onShown();
  }

  async #parts({ camera_url: address, camera_warns: warns }) {
    const code = await askPicture("api/host/camera.svg");
    const words = W.phone.help;
    const steps = (browser) => h("li", {}, h("b", {}, W.phone.on[browser]), h("ol", {}, ...words.warning[browser].map((step) => h("li", {}, step))));
    return [
      h("h2", {}, W.lobby.phone),
      h("p", { class: "hint" }, W.lobby.phoneHelp),
      h("img", { class: "join-code", src: code, alt: W.lobby.code, onload: () => URL.revokeObjectURL(code) }),
      h("p", { class: "join-url" }, h("a", { href: address }, address)),
      warns ? h("details", { class: "camera-warns" },
        h("summary", {}, W.phone.warns),
        h("p", { class: "hint" }, W.phone.warnsWhy),
        h("ul", {}, steps("chrome"), steps("safari"))) : "",
    ];
  }
}
