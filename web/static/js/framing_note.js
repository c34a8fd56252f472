// A quiet note during a game: how the camera's pictures could be read better, one thing at a time. Put away, it stays
// away until it says something else.

import { remedies } from "./camera_verdict.js";
import { h } from "./dom.js";
import { W } from "./words.js";

export class FramingNote {
  constructor(room) {
    this.room = room;
    this.said = "";
    this.away = "";
  }

  /** Say what the camera of a table's state needs; with `wanted` false nothing. */
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
