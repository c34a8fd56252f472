// Preview of a camera before the game: its picture, what is recognised in it, and a verdict.

import { h } from "./dom.js";
import { Verdict, framedPicture } from "./camera_verdict.js";
import { W, phrase } from "./words.js";

const EVERY_MS = 700;

export class CameraPreview {
  /**
   * `ask(path, body)` sends a request to the lobby. `fits(pack)` returns an element about a recognised edition, or
   * null.
   */
  constructor(ask, fits) {
    this.ask = ask;
    this.fits = fits;
    this.verdict = new Verdict();
    this.picture = h("div", { class: "preview-picture" });
    this.edition = h("div", { class: "preview-edition" });
    this.element = h("div", { class: "preview", hidden: true }, this.picture, this.verdict.element, this.edition);
    this.camera = null;
    this.address = "";
  }

  /** Open a camera with the edition to be played. */
  async look(camera, pack) {
    clearTimeout(this.timer);
    this.camera = camera;
    this.frame = null;
    this.element.hidden = false;
    this.picture.replaceChildren();
    this.edition.replaceChildren();
    this.verdict.say(W.framing.starting);
    await this.#step(camera, () => this.ask("/api/camera", { camera, pack }));
  }

  /** Close the camera. */
  stop() {
    if (this.camera === null) return;
    clearTimeout(this.timer);
    this.camera = null;
    this.element.hidden = true;
    this.ask("/api/camera/stop", {}).catch(() => {});
  }

  async #step(camera, asking) {
    try {
      const seen = await (await asking()).json();
      if (this.camera !== camera) return;
      await this.#show(seen, camera);
      if (["failed", "ended"].includes(seen.state)) return;
    } catch (error) {
      if (this.camera === camera) this.verdict.say(error.message);
    }
    if (this.camera === camera) this.timer = setTimeout(() => this.#step(camera, () => this.ask("/api/camera")), EVERY_MS);
  }

  async #show({ state, message, picture, fits }, camera) {
    if (picture && picture.frame !== this.frame) await this.#draw(picture, camera);
    if (this.camera !== camera) return;
    if (state === "failed" || state === "lost") this.verdict.say(phrase(message) || W.framing.failed);
    else if (picture) this.verdict.show(picture.framing);
    const about = fits ? this.fits(fits) : null;
    this.edition.replaceChildren(...(about ? [about] : []));
  }

  async #draw(picture, camera) {
    let blob;
    try {
      blob = await (await this.ask(`/api/camera/picture.jpg?frame=${picture.frame}`)).blob();
    } catch {
      return; // a newer picture has arrived
    }
    const address = URL.createObjectURL(blob);
    await Object.assign(new Image(), { src: address }).decode();
    if (this.camera !== camera) return;
    this.picture.replaceChildren(framedPicture(picture, address));
    URL.revokeObjectURL(this.address);
    this.address = address;
    this.frame = picture.frame;
  }
}

/** Return an element that shows a still of a connected camera once it has loaded; empty if the camera gives none. */
export function still(ask, source) {
  const image = h("img", { class: "camera-still", alt: "", hidden: true, width: 96, height: 54 });
  ask(`/api/camera/still.jpg?source=${encodeURIComponent(source)}`)
    .then((answer) => answer.blob())
    .then((blob) => blob.size && Object.assign(image, { src: URL.createObjectURL(blob), hidden: false }))
    .catch(() => {});
  return image;
}
