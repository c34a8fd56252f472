// View of the camera's picture in place of the board: the latest picture with what was recognised in it, or the
// picture of an earlier turn.

import { askPicture, getPicture, hasPhotographs, photographAddress, pictureAddress } from "./api.js";
import { h, s } from "./dom.js";
import { cellKey } from "./geometry.js";
import { W, faceName } from "./words.js";

const LOOK_MS = 1000;
const SURE = 0.9; // below this confidence, a tile shows its name even if it agrees with the game

export class CameraView {
  /** room: element for the picture; button: shows and hides it; onTile(cell) is called for taps on tiles. */
  constructor(room, button, onTile) {
    this.room = room;
    this.button = button;
    this.onTile = onTile;
    this.timer = 0;
    this.shown = null;
    this.address = "";
    this.turn = null;
    button.hidden = !hasPhotographs;
    button.addEventListener("click", () => this.open(this.room.hidden));
  }

  open(on) {
    this.room.hidden = !on;
    this.button.setAttribute("aria-pressed", on);
    this.button.setAttribute("aria-label", on ? W.camera.back : W.page.camera);
    clearTimeout(this.timer);
    if (on) this.#look();
  }

  /** Show on the latest picture that no newer one arrives, if `blind`. */
  tell(blind) {
    this.room.dataset.blind = blind;
  }

  /** Show the photograph of a turn; null: the latest picture. */
  look(turn) {
    if (turn === this.turn) return;
    this.turn = turn;
    this.shown = null;
    if (this.room.hidden) return;
    clearTimeout(this.timer);
    this.#look();
  }

  async #look() {
    try {
      if (document.visibilityState === "visible") await this.#refresh();
    } catch (error) {
      if (error.code === "camera_hidden") this.#say(W.camera.hidden);
      else if (this.turn !== null) this.#say(W.camera.notKept);
      else console.info("no picture", error.message);
    }
    clearTimeout(this.timer);
    if (!this.room.hidden && this.turn === null) this.timer = setTimeout(() => this.#look(), LOOK_MS);
  }

  async #refresh() {
    if (this.turn !== null) {
      await this.#photograph(this.turn);
      return;
    }
    const seen = await getPicture();
    const shown = JSON.stringify(seen);
    if (shown === this.shown) return;
    if (seen.frame === null) {
      this.#say(W.camera.none);
      return;
    }
    const image = await this.#decoded(pictureAddress(seen.frame));
    if (this.turn !== null) return; // an earlier turn is shown
    this.#keep(image);
    this.shown = shown;
    const [width, height] = seen.size_wh ?? [image.naturalWidth, image.naturalHeight];
    this.room.replaceChildren(
      s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": W.camera.picture(seen.tiles.length) },
        s("image", { href: image.src, width, height }), ...seen.tiles.flatMap((tile) => this.#tile(tile)), ...seen.pieces.map(piece)),
      h("p", { class: "camera-last" }, W.camera.last),
      seen.tiles.length ? legend() : "");
  }

  /** Return the photograph of a turn; there is none before the first turn. */
  async #photograph(turn) {
    const image = await this.#decoded(photographAddress(turn));
    if (this.turn !== turn) return; // another turn was chosen meanwhile
    this.#keep(image);
    const [width, height] = [image.naturalWidth, image.naturalHeight];
    this.room.replaceChildren(s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": W.fix.picture(turn) }, s("image", { href: image.src, width, height })));
  }

  /**
   * Return an image that is already decoded, so that it does not flicker and never appears under another picture's
   * overlay.
   */
  async #decoded(address) {
    const image = Object.assign(new Image(), { src: await askPicture(address) });
    await image.decode();
    return image;
  }

  #keep(image) {
    URL.revokeObjectURL(this.address);
    this.address = image.src;
  }

  #say(text) {
    this.shown = null;
    this.room.replaceChildren(h("p", { class: "board-empty" }, text));
  }

  #tile(tile) {
    const state = tile.known === null ? "fresh" : tile.known === tile.read ? "agrees" : "differs";
    const points = tile.corners_px.map((point) => point.join(",")).join(" ");
    const middle = [0, 1].map((i) => tile.corners_px.reduce((sum, point) => sum + point[i], 0) / 4);
    const label = state === "agrees" && tile.confidence >= SURE ? "" : `${tile.read ? "" : "? "}${Math.floor(tile.confidence * 100)} %`;
    const side = Math.hypot(tile.corners_px[1][0] - tile.corners_px[0][0], tile.corners_px[1][1] - tile.corners_px[0][1]);
    return [
      s("polygon", { class: `seen seen-${state}`, points, "data-cell": cellKey(tile.cell), onclick: () => this.onTile(tile.cell) },
        s("title", {}, `${tile.read ? faceName(tile.read) : "?"}: ${W.camera[state]}`)),
      label ? s("text", { class: "seen-word", x: middle[0], y: middle[1], "font-size": Math.max(9, side / 5) }, label) : null,
    ].filter(Boolean);
  }
}

function piece({ kind, color, animal, point_px: [x, y] }) {
  const name = [W.colors[color], W.pieces[kind] ?? kind, animal && (W.animals[animal] ?? animal)].filter(Boolean).join(" ");
  return s("circle", { class: `seen-piece ink-${color ?? "white"}`, cx: x, cy: y, r: 7 }, s("title", {}, name));
}

const legend = () => h("p", { class: "legend" }, ...["agrees", "fresh", "differs"].map((state) => h("span", { class: `key-${state}` }, W.camera[state])));
