// The board: tiles, pieces and marks, drawn from the table's state. Only what has changed is redrawn.

import { inSize, sharpen, sizeFor } from "./art.js";
import { doubtBadge, doubtWords, isDoubtful } from "./doubt.js";
import { s } from "./dom.js";
import { UNKNOWN } from "./foreign_editor.js";
import { SIZE, cellKey, featureAt, featureParts, outline, partPath, partsOn } from "./geometry.js";
import { pieceGroup, pieceKey } from "./pieces.js";
import { tileGroup } from "./tile_drawing.js";
import { spin } from "./turned.js";
import { View } from "./view.js";
import { W, animalName, boardLabel, designOf, kindName, namesOf, tileName } from "./words.js";

const LAYERS = ["tiles", "region", "marks", "hints", "tokens", "pieces", "doubts", "cursor"];
const SHARPER = ["small", "medium", ""]; // sizes of pictures; "" is the original size
const RESTS_MS = 300; // milliseconds without zooming before pictures are sharpened
const PIECE_REACH = 0.2; // maximum distance of a tap from a piece's middle, in tile sides
const HEAD = 0.08; // height of a piece's middle above its spot, in tile sides
const SMALLEST_MEEPLE_PX = 17; // pieces stop shrinking with the tiles at this size

export class Board {
  /**
   * svg: the element. onTile(cell, feature, piece) is called for taps (feature null: on no feature; cell null: beside
   * all tiles; piece: the player's piece that was tapped), onMark(cell) for a mark or a piece on a cell without a tile, onFollow(bool) when the board starts or stops showing all tiles. `over`: elements that cover parts of the
   * board; `says`: element that announces the tile reached with the arrow keys.
   */
  constructor(svg, { onTile, onMark = () => {}, onFollow, over = [], says = null }) {
    this.svg = svg;
    this.root = s("g", { class: "board-root" });
    this.layers = Object.fromEntries(LAYERS.map((name) => [name, s("g", { class: `layer-${name}` })]));
    this.root.append(...Object.values(this.layers));
    svg.append(this.root);
    this.tiles = new Map();
    this.pieces = new Map();
    this.laidAt = new Map();
    this.picked = null;
    this.cursor = null;
    this.says = says;
    this.pieceScale = 1;
    this.marked = new Map(); // cells with a mark of a fault, a question or a missed tile
    this.hinted = []; // cells of the places that a hint shows
    this.artSize = "small";
    this.view = new View(svg, this.root, {
      onTap: (cell, point) => {
        const piece = cell && this.#pieceNear([cell[0] + point[0], cell[1] + point[1]]);
        if (piece) return onTile(piece.cell, piece.feature, piece);
        const laid = cell && this.laidAt.get(cellKey(cell));
        if (cell && !laid && (this.marked.has(cellKey(cell)) || this.#besideTiles(cell))) return onMark(cell);
        return onTile(laid ? cell : null, laid ? featureAt(designOf(this.pack, laid), laid.rot, point) : null);
      },
      onFollow,
      onZoom: (scale) => this.#zoomed(scale),
      onStep: (dx, dy) => this.#step(dx, dy),
      onEnter: () => this.cursor && this.view.onTap(this.cursor, [0.5, 0.5]),
      over,
    });
  }

  /** Draw a state with the faces of a pack. */
  update(state, pack) {
    this.state = state;
    this.pack = pack;
    const first = this.tiles.size === 0;
    this.laidAt = new Map(state.board.map((laid) => [cellKey(laid.cell), laid]));
    this.#sync(this.tiles, this.layers.tiles, state.board, (laid) => `${cellKey(laid.cell)} ${laid.tile ?? laid.face} ${laid.rot}`,
      (laid) => tileGroup(laid, designOf(pack, laid), tileName(designOf(pack, laid)), this.artSize), first);
    const names = namesOf(state);
    const layer = (piece) => (piece.kind === "token" ? this.layers.tokens : this.layers.pieces);
    // Pieces further south are drawn on top.
    const depth = (piece) => spin(piece.at, this.view.turns)[1];
    const standing = [...state.standing].sort((a, b) => depth(a) - depth(b));
    this.#sync(this.pieces, layer, standing, pieceKey, (piece) => pieceGroup(piece, pack.tokens, this.#pieceLabel(piece, names)), first);
    this.#mark();
    this.svg.setAttribute("aria-label", boardLabel(state));
    this.#setCells();
  }

  #setCells() {
    const { board, standing } = this.state;
    this.view.setCells([...board.map((laid) => laid.cell), ...standing.filter((p) => p.kind === "ranger").map((p) => p.cell), ...this.hinted, ...this.marked.values()]);
  }

  /**
   * Draw a translucent face on each of `places` ([{cell, rot, points}]), with its points; an empty list removes them.
   */
  hint(design, places) {
    this.hinted = places.map((place) => place.cell);
    this.layers.hints.replaceChildren(...places.map((place) => {
      const [x, y] = place.cell.map((n) => (n + 0.5) * SIZE);
      return s("g", { class: "hint-place" },
        tileGroup(place, design, `+${place.points}, ${W.fix.at(...place.cell)}`, this.artSize),
        s("path", { class: "region-line", d: outline([place.cell]) }),
        s("g", { class: "doubt-badge", transform: `translate(${x} ${y})` },
          s("g", { class: "doubt-badge-size" }, s("rect", { x: -27, y: -18, width: 54, height: 36, rx: 18 }), s("text", { y: 9 }, `+${place.points}`))));
    }));
    this.#setCells();
    this.view.reveal(this.hinted);
  }

  /** Show the board rotated by this number of quarter turns. */
  turnTo(turns) {
    this.view.turnTo(turns);
    if (!this.state) return;
    for (const group of this.pieces.values()) group.remove();
    this.pieces.clear(); // the drawing order of pieces has changed
    this.update(this.state, this.pack);
  }

  /** Keep pieces large enough for fingers, and pictures sharp, at a new scale (pixels per unit). */
  #zoomed(scale) {
    this.pieceScale = Math.min(1.7, Math.max(1, SMALLEST_MEEPLE_PX / (36 * scale)));
    this.svg.style.setProperty("--piece", this.pieceScale.toFixed(3));
    clearTimeout(this.sharpening);
    this.sharpening = setTimeout(() => this.#sharpen(sizeFor(SIZE * scale)), RESTS_MS);
  }

  #sharpen(wanted) {
    if (SHARPER.indexOf(wanted) <= SHARPER.indexOf(this.artSize)) return;
    this.artSize = wanted;
    for (const image of this.layers.tiles.querySelectorAll("[data-art]")) sharpen(image, inSize(image.dataset.art, wanted));
  }

  /**
   * Highlight a whole feature and what pays for it, and dim the rest; null ends the highlight. `what` has `cells`,
   * `places` and `paid_by`, as in the table's events. Cells without a part of the feature get an outline.
   */
  light(what) {
    const own = this.#partsOn(what?.places);
    const paying = this.#partsOn(what?.paid_by);
    const cells = [...(what?.cells ?? []), ...[...own, ...paying].map((part) => part.cell)];
    this.#dim(cells);
    if (!cells.length) return;
    const drawn = new Set(own.map((part) => cellKey(part.cell)));
    const bare = (what.cells ?? []).filter((cell) => !drawn.has(cellKey(cell)));
    if (bare.length) {
      const d = outline(what.cells);
      this.layers.region.append(s("path", { class: "region-halo", d }), s("path", { class: "region-line", d }));
    }
    this.#glow(paying, "pays");
    this.#glow(own, "glow");
    this.view.reveal(cells);
  }

  /** Return the places of the whole feature to which a tile's feature belongs. */
  wholeOf(cell, feature) {
    const cells = [cell, ...[...this.laidAt.values()].map((laid) => laid.cell)];
    return featureParts(this.laidAt, (laid) => designOf(this.pack, laid), cells, feature).map((part) => ({ cell: part.cell, feature: part.part.id }));
  }

  /** Whether a piece stands on a cell without a tile, such as a ranger. */
  #besideTiles(cell) {
    return this.state.standing.some((piece) => cellKey(piece.cell) === cellKey(cell));
  }

  /** Return the player's piece nearest to a point of the board, if it was tapped. */
  #pieceNear(point) {
    const off = ({ at }) => {
      const [dx, dy] = spin([point[0] - at[0], point[1] - at[1]], this.view.turns);
      return Math.hypot(dx, dy + HEAD * this.pieceScale); // a standing piece is drawn above its spot
    };
    const near = (this.state?.standing ?? []).filter((piece) => piece.color && piece.kind !== "ranger").sort((a, b) => off(a) - off(b))[0];
    return near && off(near) <= PIECE_REACH * this.pieceScale ? near : null;
  }

  /** Dim all cells except these; an empty list dims nothing. */
  #dim(cells) {
    const lit = new Set(cells.map(cellKey));
    this.svg.classList.toggle("dimmed", lit.size > 0);
    for (const [key, group] of this.tiles) group.classList.toggle("lit", lit.has(key.split(" ")[0]));
    for (const [, group] of this.pieces) group.classList.toggle("lit", lit.has(group.dataset.cell));
    this.layers.region.replaceChildren();
  }

  #partsOn(places = []) {
    return partsOn(this.laidAt, (laid) => designOf(this.pack, laid), places);
  }

  #glow(parts, name) {
    for (const found of parts) this.layers.region.append(s("path", { class: name + (found.part.region ? "-area" : "-way"), d: partPath(found) }));
  }

  /** Select the next tile in this direction, the one straightest ahead. */
  #step(dx, dy) {
    const last = this.state?.turns.at(-1)?.cell;
    const from = this.cursor ?? (last && this.laidAt.has(cellKey(last)) ? last : [0, 0]);
    const ahead = ([x, y]) => (x - from[0]) * dx + (y - from[1]) * dy;
    const aside = ([x, y]) => Math.abs((x - from[0]) * dy) + Math.abs((y - from[1]) * dx);
    const cells = [...[...this.laidAt.values()].map((laid) => laid.cell), ...this.marked.values()].filter((cell) => ahead(cell) > 0);
    const [next] = cells.sort((a, b) => ahead(a) + 3 * aside(a) - ahead(b) - 3 * aside(b));
    this.cursor = this.cursor ? next ?? this.cursor : from;
    const d = outline([this.cursor]);
    this.layers.cursor.replaceChildren(s("path", { class: "region-halo", d }), s("path", { class: "region-line cursor-line", d }));
    this.view.reveal([this.cursor]);
    const laid = this.laidAt.get(cellKey(this.cursor));
    const turn = this.state?.turns.findLast((one) => cellKey(one.cell) === cellKey(this.cursor));
    if (this.says && !laid) this.says.textContent = `${W.marks.missed}, ${W.fix.at(...this.cursor)}`;
    if (this.says && laid) this.says.textContent = `${tileName(designOf(this.pack, laid))}, ${W.fix.at(...this.cursor)}${doubtWords(turn)}`;
  }

  /** Frame one tile (the one whose card is open), or null for none. */
  pick(cell) {
    this.picked = cell;
    this.#mark();
  }

  /** Whether most of these cells lie in the lower half of the drawing, where a card would cover them. */
  areLow(cells) {
    const half = this.svg.getBoundingClientRect().height * 0.42;
    return cells.filter((cell) => this.view.topOf(cell) > half).length * 2 > cells.length;
  }

  #mark() {
    const { state } = this;
    const marks = [];
    const last = state.turns.at(-1);
    if (last && this.laidAt.has(cellKey(last.cell))) {
      const d = outline([last.cell]);
      marks.push(s("g", { class: `last-mark ink-${last.player}` },
        s("path", { class: "last-mark-halo", d }), s("path", { class: "last-mark-line", d }), s("path", { class: "last-mark-ink", d })));
    }
    const wrong = [...state.faults.flatMap((fault) => fault.cells ?? [fault.cell]).filter(Boolean), ...(state.camera.seeing === "unclear" ? state.camera.cells : [])];
    const strange = state.board.filter((laid) => laid.face === UNKNOWN).map((laid) => laid.cell);
    const asked = [...strange, ...state.questions.flatMap((question) => question.cells)];
    this.marked = new Map([...wrong, ...asked].map((cell) => [cellKey(cell), cell]));
    for (const [cells, name] of [[wrong, "fault-line"], [asked, "question-line"]]) {
      if (!cells.length) continue;
      const d = outline(cells);
      marks.push(s("path", { class: "region-halo fault-halo", d }), s("path", { class: `region-line ${name}`, d }));
    }
    if (this.picked) {
      const d = outline([this.picked]);
      marks.push(s("path", { class: "region-halo", d }), s("path", { class: "region-line", d }));
    }
    this.layers.marks.replaceChildren(...marks);
    this.layers.doubts.replaceChildren(...state.turns.filter((turn) => isDoubtful(turn) && this.laidAt.has(cellKey(turn.cell))).map(doubtBadge));
  }

  #sync(drawn, layer, items, keyOf, make, first) {
    const seen = new Set();
    let fresh = false;
    for (const item of items) {
      const key = keyOf(item);
      seen.add(key);
      if (drawn.has(key)) continue;
      const group = make(item);
      group.dataset.cell = cellKey(item.cell);
      if (!first) {
        group.classList.add("arriving");
        group.addEventListener("animationend", () => group.classList.remove("arriving"), { once: true });
      }
      fresh = true;
      drawn.set(key, group);
    }
    for (const [key, group] of drawn) {
      if (seen.has(key)) continue;
      group.remove();
      drawn.delete(key);
    }
    if (!fresh) return;
    for (const item of items) {
      const into = typeof layer === "function" ? layer(item) : layer;
      into.append(drawn.get(keyOf(item)));
    }
  }

  #pieceLabel(piece, names) {
    if (piece.kind === "ranger") return kindName("ranger");
    if (piece.kind === "token") return `${W.pieces.token}: ${animalName(piece.animal ?? "unknown")}`;
    const design = designOf(this.pack, this.laidAt.get(cellKey(piece.cell)));
    const kind = design?.features.find((feature) => feature.id === piece.feature)?.kind ?? "watering_hole";
    return `${names[piece.color] ?? piece.color}: ${W.pieces[piece.kind] ?? piece.kind}, ${W.pieces[piece.pose] ?? piece.pose}, ${kindName(kind)}`;
  }
}
