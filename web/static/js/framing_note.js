// Unobtrusive note during a game on how to improve the camera's picture, one remedy at a time. Once dismissed, it
// stays hidden until its text changes.

import { remedies } from "./camera_verdict.js";
import { h } from "./dom.js";
import { W } from "./words.js";

export class FramingNote {
  constructor(room) {
    this.room = room;
    this.said = "";
    this.away = "";
  }

  /** Show what the camera needs, unless `wanted` is false. */
  update(camera, wanted) {
    const faults = wanted ? (camera.framing?.faults ?? []) : [];
    const said = faults.length ? remedies(camera.framing, 1)[0] : "";
    this.room.hidden = !said || faults.join() === this.away;
    if (!said) this.away = "";
    if (said === this.said) return;
    this.said = said;
    this.room.replaceChildren(...(said ? [h("p", {}, said), this.#putAway(faults.join())] : []));
  }

  #putAway(faults) {
    const onclick = () => {
      this.away = faults;
      this.room.hidden = true;
    };
    return h("button", { type: "button", class: "note-away", "aria-label": W.framing.away, onclick }, "×");
  }
}
