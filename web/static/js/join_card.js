// Card on a new table's first screen, for its host: the next step, and the code with which players join.

import { ask, askPicture } from "./api.js";
import { h } from "./dom.js";
import { W } from "./words.js";

export class JoinCard {
  /** onShown() is called when the card appears or disappears. */
  constructor(room, onShown) {
    Object.assign(this, { room, onShown, wanted: false, dismissed: false });
  }

  get isShown() {
    return !this.room.hidden;
  }

  /** Show the card if `wanted`, until it is put away. */
  async update(wanted) {
    if (wanted === this.wanted) return;
    this.wanted = wanted;
    if (!wanted || this.dismissed) {
      this.#show([]);
      return;
    }
    try {
      const [access, code] = await Promise.all([ask("api/host"), askPicture("api/host/join.svg")]);
      if (this.wanted) this.#show(this.#parts(access, code));
    } catch (error) {
      this.wanted = false; // the next state tries again
      console.info("no code for players", error.message);
    }
  }

  #show(parts) {
    this.room.replaceChildren(...parts);
    const was = this.isShown;
    this.room.hidden = !parts.length;
    if (was !== this.isShown) this.onShown();
  }

  #parts({ join_url: address }, code) {
    const putAway = () => {
      this.dismissed = true;
      this.#show([]);
    };
    return [
      h("button", { type: "button", class: "tool", "aria-label": W.page.close, onclick: putAway }, "✕"),
      h("h2", {}, W.join.players),
      h("img", { class: "join-code", src: code, alt: W.host.code, onload: () => URL.revokeObjectURL(code) }),
      h("p", { class: "hint" }, W.join.playersWhy),
      h("p", { class: "join-url" }, h("a", { href: address }, address)),
      h("p", { class: "hint" }, W.join.first),
    ];
  }
}
