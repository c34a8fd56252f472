// Overlay on the picture of a camera phone: what the table recognises, a frame for the board, and a verdict.

import { s } from "./dom.js";
import { Verdict, outlines } from "./camera_verdict.js";

const MARGIN = 0.09; // part of the picture between its edge and the frame, because the board will grow
const SAME_SHAPE = 0.02;

export class CameraGuide {
  /** view: the video; overlay, frame: elements on top of it; told: element for the verdict. */
  constructor(view, overlay, frame, told) {
    this.view = view;
    this.overlay = overlay;
    this.frame = frame;
    this.verdict = new Verdict();
    told.append(this.verdict.element);
    view.addEventListener("resize", () => { // the phone was rotated
      this.overlay.replaceChildren();
      this.#place();
    });
    new ResizeObserver(() => this.#place()).observe(view);
    this.clear();
  }

  /** Show what the table recognised: `seen` of an acknowledgement (docs/http.md). */
  show(seen) {
    this.over = seen.seeing === "ended";
    const faults = seen.framing?.faults ?? [];
    this.frame.dataset.board = Boolean(this.over || seen.framing?.board);
    this.#outline(seen);
    // While hands cover the table, keep the last verdict on the phone's position.
    if (seen.seeing === "moving" && !faults.includes("moves") && this.verdict.told) return;
    if (this.over || !seen.framing) this.verdict.say("");
    else this.verdict.show(seen.framing, seen.turns);
    this.verdict.element.hidden = !this.verdict.told;
  }

  clear() {
    this.over = false;
    this.overlay.replaceChildren();
    this.frame.dataset.board = false;
    this.verdict.say("");
    this.verdict.element.hidden = true;
  }

  #outline(seen) {
    const { videoWidth: width, videoHeight: height } = this.view;
    const [seenWidth, seenHeight] = seen.size_wh;
    const same = width && Math.abs((seenWidth / seenHeight) * (height / width) - 1) < SAME_SHAPE;
    this.overlay.replaceChildren(...(same && !this.over ? [s("svg", { viewBox: `0 0 ${seenWidth} ${seenHeight}` }, ...outlines(seen))] : []));
  }

  /** Place the frame over the picture, which keeps its aspect ratio within the video element. */
  #place() {
    const { videoWidth, videoHeight, clientWidth, clientHeight } = this.view;
    if (!videoWidth) return;
    const scale = Math.min(clientWidth / videoWidth, clientHeight / videoHeight);
    const [width, height] = [videoWidth * scale, videoHeight * scale];
    const inset = MARGIN * Math.min(width, height);
    Object.assign(this.frame.style, {
      left: `${(clientWidth - width) / 2 + inset}px`, top: `${(clientHeight - height) / 2 + inset}px`,
      width: `${width - 2 * inset}px`, height: `${height - 2 * inset}px`,
    });
  }
}
