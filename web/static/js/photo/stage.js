// Photograph with outlines of tiles and pieces, which can be tapped.

import { h, s } from "../dom.js";
import { SIZE, cellKey, ontoQuad, partPath, partsOn } from "../geometry.js";
import { View } from "../view.js";
import { W } from "../words.js";

const SURE = 0.9; // a tile or piece below this confidence is marked as doubtful
const REACH_PX = 24; // maximum distance of a tap from a piece's foot, in CSS pixels
const points = (corners) => corners.map(([x, y]) => `${x},${y}`).join(" ");

function inside(corners, [px, py]) {
  let hit = false;
  corners.forEach(([ax, ay], i) => {
    const [bx, by] = corners.at(i - 1);
    if (ay > py !== by > py && px < ((bx - ax) * (py - ay)) / (by - ay) + ax) hit = !hit;
  });
  return hit;
}

const middleOf = (corners) => [0, 1].map((i) => corners.reduce((sum, corner) => sum + corner[i], 0) / corners.length);

export class Stage {
  /**
   * onTile(index), onPiece(index), onFree(cell) are called for taps. `tabs` gets a button per photograph, `says` the words
   * about what is highlighted.
   */
  constructor(svg, tabs, { onTile, onPiece, onFree, says }) {
    Object.assign(this, { svg, tabs, onTile, onPiece, onFree, says, number: 0, cursor: null, lit: [], feature: null });
    this.root = s("g", {});
    svg.append(this.root);
    this.view = new View(svg, this.root, {
      onTap: (cell, at) => cell && this.#tap([(cell[0] + at[0]) * SIZE, (cell[1] + at[1]) * SIZE]),
      onFollow: () => {},
      onZoom: () => {},
      onStep: (dx, dy) => this.#step(dx, dy),
      onEnter: () => this.cursor && this.#open(this.cursor),
      over: [tabs, ...svg.parentElement.querySelectorAll(".photo-tools, .photo-lit")],
    });
  }

  /** Show a document. `pictures` are the addresses of its photographs, `pack` has the faces (null: unknown). */
  show(document, pictures, pack = null) {
    const fresh = !this.document || this.document.id !== document.id || this.document.pictures.length !== document.pictures.length;
    Object.assign(this, { document, pictures, pack, feature: null });
    this.says.textContent = "";
    if (fresh) this.number = document.pictures.length - 1;
    this.#draw();
    if (fresh) this.#whole();
  }

  /**
   * Highlight a whole feature and what pays for it ({cells, places, paid_by}), and say `words` about it. Where no part of a
   * tile is known, the tile is highlighted; {} ends the highlight.
   */
  light(what, words = "") {
    this.feature = what;
    this.says.textContent = words;
    const drawn = this.#drawFeature();
    const paid = (what.paid_by ?? []).map(({ cell }) => cellKey(cell));
    this.#lightTiles([...(what.cells ?? []).map(cellKey).filter((key) => !drawn.has(key)), ...paid.filter((key) => !drawn.has(key))]);
    const all = new Set([...(what.cells ?? []).map(cellKey), ...paid]);
    const corners = this.document.tiles.flatMap((tile, i) => (all.has(cellKey(tile.cell)) ? this.#picture.tiles[i] ?? [] : []));
    if (!corners.length) return;
    this.view.reveal(corners.map(([x, y]) => [Math.floor(x / SIZE), Math.floor(y / SIZE)]));
    const isHigh = middleOf(corners)[1] * this.view.scale + this.view.top < this.svg.getBoundingClientRect().height / 2;
    this.says.dataset.at = isHigh ? "bottom" : "top"; // the words cover no part of it
  }

  /** Draw the parts of the highlighted feature; return the keys of their cells. */
  #drawFeature() {
    const quads = new Map(this.document.tiles.map((tile, i) => [cellKey(tile.cell), this.#picture.tiles[i]]));
    const laidAt = new Map(this.document.tiles.filter((tile) => tile.tile !== null).map((tile) => [cellKey(tile.cell), tile]));
    const group = this.root.querySelector(".photo-feature");
    const drawn = new Set();
    const draw = (places, name) => partsOn(laidAt, (laid) => this.pack?.designs[laid.tile], places ?? []).flatMap((found) => {
      const quad = quads.get(cellKey(found.cell));
      if (!quad) return [];
      drawn.add(cellKey(found.cell));
      return [s("path", { class: name, "data-area": Boolean(found.part.region), d: partPath(found, ontoQuad(quad)) })];
    });
    group.replaceChildren(...draw(this.feature?.paid_by, "photo-pays"), ...draw(this.feature?.places, "photo-glow"));
    return drawn;
  }

  #lightTiles(keys) {
    this.lit = keys;
    for (const tile of this.root.querySelectorAll("[data-cell]")) tile.classList.toggle("lit", this.lit.includes(tile.dataset.cell));
  }

  zoom(factor) {
    this.view.zoom(factor);
  }

  fit() {
    this.view.fit();
  }

  /** Return the part of the photograph with a tile as a canvas; null if the photograph does not show it. */
  crop(corners, side = 160) {
    const image = this.root.querySelector("image");
    if (!corners || !image) return null;
    const picture = this.images?.[this.number];
    if (!picture) return null;
    const xs = corners.map(([x]) => x);
    const ys = corners.map(([, y]) => y);
    const room = 0.25 * Math.max(Math.max(...xs) - Math.min(...xs), Math.max(...ys) - Math.min(...ys));
    const [left, top] = [Math.min(...xs) - room, Math.min(...ys) - room];
    const span = Math.max(Math.max(...xs) + room - left, Math.max(...ys) + room - top);
    const scale = picture.naturalWidth / this.#picture.size_wh[0];
    const canvas = h("canvas", { width: side * 2, height: side * 2, class: "photo-crop", role: "img", "aria-label": W.photo.part });
    const context = canvas.getContext("2d");
    context.drawImage(picture, left * scale, top * scale, span * scale, span * scale, 0, 0, side * 2, side * 2);
    context.lineWidth = 5;
    context.strokeStyle = "#ff9d2e";
    context.beginPath();
    corners.forEach(([x, y], i) => context[i ? "lineTo" : "moveTo"](((x - left) / span) * side * 2, ((y - top) / span) * side * 2));
    context.closePath();
    context.stroke();
    return canvas;
  }

  get #picture() {
    return this.document.pictures[this.number];
  }

  /** Return the corners of a tile (by its index) or of an empty cell in the displayed photograph. */
  corners(at) {
    return Array.isArray(at) ? this.#picture.free.find(({ cell }) => cellKey(cell) === cellKey(at))?.corners_px : this.#picture.tiles[at];
  }

  /** Show the board with a margin, or the whole photograph if there is no board. */
  #whole() {
    const [width, height] = this.#picture.size_wh;
    const corners = this.#picture.tiles.flatMap((one) => one ?? []);
    const all = corners.length ? corners : [[0, 0], [width, height]];
    const [xs, ys] = [all.map(([x]) => x), all.map(([, y]) => y)];
    this.view.following = true;
    this.view.setCells([[Math.min(...xs) / SIZE, Math.min(...ys) / SIZE], [Math.max(...xs) / SIZE - 1, Math.max(...ys) / SIZE - 1]]);
  }

  #draw() {
    const { document } = this;
    const picture = this.#picture;
    const [width, height] = picture.size_wh;
    const faulty = new Set(document.faults.filter((fault) => fault.cell).map((fault) => cellKey(fault.cell)));
    const hanging = new Set(document.hangs_on.map((one) => cellKey(one.cell)));
    const tiles = document.tiles.map((tile, i) => {
      const key = cellKey(tile.cell);
      const state = faulty.has(key) ? "faulty" : tile.confidence < SURE || tile.tile === null ? "doubtful" : "";
      return picture.tiles[i] && s("polygon", {
        class: `photo-tile ${state} ${hanging.has(key) ? "moves" : ""} ${this.lit.includes(key) ? "lit" : ""}`,
        "data-cell": key, points: points(picture.tiles[i]),
      });
    });
    const laid = new Set(document.tiles.map((tile) => cellKey(tile.cell)));
    const beside = ([x, y]) => [[x + 1, y], [x - 1, y], [x, y + 1], [x, y - 1]].filter((cell) => laid.has(cellKey(cell))).length;
    const free = (picture.free ?? []).filter(({ corners_px: corners }) => corners).map(({ cell, corners_px: corners }) =>
      s("polygon", { class: `photo-free ${beside(cell) > 2 ? "hole" : ""}`, "data-free": cellKey(cell), points: points(corners) }));
    const side = Math.sqrt((width * height) / 900);
    const pieces = document.pieces.map((piece, i) => {
      const at = picture.pieces[i];
      if (!at || piece.cell === null) return null;
      const doubtful = piece.confidence < SURE || (piece.color_confidence ?? 1) < SURE;
      return s("g", { class: `photo-piece ink-${piece.color ?? "white"} ${doubtful ? "doubtful" : ""} ${piece.kind === "token" ? "token" : ""}`, transform: `translate(${at[0]} ${at[1]})` },
        s("circle", { r: side * 0.34 }), doubtful ? s("text", { "font-size": side * 0.5, y: side * 0.17 }, "?") : "");
    });
    this.root.replaceChildren(
      s("image", { href: this.pictures[this.number], width, height, preserveAspectRatio: "none" }),
      ...free, ...tiles.filter(Boolean), s("g", { class: "photo-feature" }), ...pieces.filter(Boolean), s("polygon", { class: "photo-cursor", points: "" }));
    if (this.feature) this.#drawFeature();
    this.#cursor();
    this.tabs.replaceChildren(...(document.pictures.length < 2 ? [] : document.pictures.map((_, i) =>
      h("button", { type: "button", "aria-pressed": String(i === this.number), onclick: () => this.#turnTo(i) }, W.photo.number(i + 1)))));
  }

  #turnTo(number) {
    this.number = number;
    this.#draw();
    this.#whole();
  }

  #tap(at) {
    const { document } = this;
    const picture = this.#picture;
    const reach = REACH_PX / this.view.scale;
    const near = picture.pieces
      .map((point, i) => ({ i, off: point && document.pieces[i].cell ? Math.hypot(point[0] - at[0], point[1] - at[1]) : Infinity }))
      .sort((a, b) => a.off - b.off)[0];
    if (near && near.off <= reach) return this.onPiece(near.i);
    const tile = picture.tiles.findIndex((corners) => corners && inside(corners, at));
    if (tile >= 0) return this.onTile(tile);
    const free = picture.free.find(({ corners_px: corners }) => corners && inside(corners, at));
    return free ? this.onFree(free.cell) : null;
  }

  /** Move the selection to the next tile in this direction (arrow keys). */
  #step(dx, dy) {
    const cells = [...this.document.tiles, ...this.#picture.free].map((one) => one.cell);
    if (!this.document.tiles.length) return;
    const from = this.cursor ?? cells[0];
    const ahead = cells
      .map((cell) => ({ cell, along: (cell[0] - from[0]) * dx + (cell[1] - from[1]) * dy, off: Math.abs((cell[0] - from[0]) * dy) + Math.abs((cell[1] - from[1]) * dx) }))
      .filter(({ along, off }) => along > 0 && off <= along)
      .sort((a, b) => a.along + a.off - b.along - b.off)[0];
    this.cursor = this.cursor ? ahead?.cell ?? this.cursor : from;
    this.#cursor();
  }

  #cursor() {
    const index = this.cursor ? this.document.tiles.findIndex((tile) => String(tile.cell) === String(this.cursor)) : -1;
    const corners = this.cursor ? this.corners(index < 0 ? this.cursor : index) : null;
    this.root.querySelector(".photo-cursor").setAttribute("points", corners ? points(corners) : "");
    if (corners) this.view.reveal([middleOf(corners).map((at) => Math.floor(at / SIZE))]);
  }

  #open(cell) {
    const index = this.document.tiles.findIndex((tile) => String(tile.cell) === String(cell));
    if (index >= 0) this.onTile(index);
    else this.onFree(cell);
  }
}
