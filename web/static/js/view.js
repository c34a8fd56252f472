// Moves and zooms the board with wheel, fingers, keys and buttons, and keeps it in view while it grows.

import { SIZE } from "./geometry.js";
import { spin, spinCell } from "./turned.js";

const CLOSEST = 2.6; // pixels per unit: a tile is then 260 px wide
const FARTHEST = 0.08;
const GLIDE_MS = 380;
const TAP_SLACK_PX = 7;
const MARGIN_CELLS = 0.3;
const STEP_PX = 80;

/** Return scale, left and top with which a box of cells fills a part of the drawing. */
function placed([x0, y0, x1, y1], margin, [left, top, right, bottom]) {
  const scale = Math.max(FARTHEST, Math.min(CLOSEST, (right - left) / ((x1 - x0 + 2 * margin) * SIZE), (bottom - top) / ((y1 - y0 + 2 * margin) * SIZE)));
  return [scale, (left + right) / 2 - ((x0 + x1) / 2) * SIZE * scale, (top + bottom) / 2 - ((y0 + y1) / 2) * SIZE * scale];
}

function covers([x0, y0, x1, y1], [x, y], [scale, left, top]) {
  const unit = SIZE * scale;
  return x * unit + left < x1 && (x + 1) * unit + left > x0 && y * unit + top < y1 && (y + 1) * unit + top > y0;
}

/** Return the parts of a drawing that remain if each of the boxes over it takes away one side or none. */
function freeParts(whole, over) {
  const cuts = ([x0, y0, x1, y1], [left, top, right, bottom]) => [
    [x0, y0, x1, y1], [x0, y0, Math.min(x1, left), y1], [x0, y0, x1, Math.min(y1, top)], [x0, Math.max(y0, bottom), x1, y1], [Math.max(x0, right), y0, x1, y1],
  ];
  const parts = over.reduce((found, box) => found.flatMap((part) => cuts(part, box)), [whole]);
  return parts.filter(([x0, y0, x1, y1]) => x1 > x0 && y1 > y0);
}

export class View {
  /**
   * svg: the drawing; root: the group that moves in it. Callbacks: onTap([x, y], [u, v]) with the tapped cell or null
   * and the point in it; onFollow(bool) when the board starts or stops showing all cells; onZoom(pixels per unit) for
   * each new scale; onStep(dx, dy) for arrow keys; onEnter() for Enter. A followed board stays clear of the elements
   * `over` it. `turns` is its rotation in quarter turns (`turnTo`); cells and steps are always those of the unrotated
   * board.
   */
  constructor(svg, root, { onTap, onFollow, onZoom, onStep, onEnter, over = [] }) {
    this.svg = svg;
    this.root = root;
    this.onTap = onTap;
    this.onFollow = onFollow;
    this.onZoom = onZoom;
    this.onStep = onStep;
    this.onEnter = onEnter;
    this.over = over;
    this.scale = 1;
    this.left = 0;
    this.top = 0;
    this.bounds = null;
    this.turns = 0;
    this.following = true;
    this.pointers = new Map();
    this.tapped = false; // whether the next click is a tap, and not the end of a drag
    this.glide = 0;
    this.#hear();
    const resized = new ResizeObserver(() => this.#resized());
    for (const element of [svg, ...over]) resized.observe(element);
  }

  /** Set the existing cells. A followed board is then shown whole again. */
  setCells(cells) {
    if (!cells.length) return;
    this.cells = cells;
    this.bounds = this.#boxOf(cells);
    if (this.following) this.fit(this.drawn);
    this.drawn = true;
  }

  /** Rotate the board to this number of quarter turns, and show all of it. */
  turnTo(turns) {
    this.turns = turns;
    this.svg.style.setProperty("--turn", turns);
    if (!this.cells) return;
    this.bounds = this.#boxOf(this.cells);
    this.#follow(true);
    this.#showAll(false);
  }

  /** Return the distance from the drawing's top to a cell, in pixels. */
  topOf(cell) {
    return spinCell(cell, this.turns)[1] * SIZE * this.scale + this.top;
  }

  /** Return the bounding box of cells as displayed. */
  #boxOf(cells) {
    const shown = cells.map((cell) => spinCell(cell, this.turns));
    const [xs, ys] = [0, 1].map((i) => shown.map((cell) => cell[i]));
    return [Math.min(...xs), Math.min(...ys), Math.max(...xs) + 1, Math.max(...ys) + 1];
  }

  /** Show all cells, and keep doing so. */
  fit(smooth = true) {
    this.#follow(true);
    if (this.bounds) this.#showAll(smooth);
  }

  /** Bring these cells into view with the smallest possible movement. */
  reveal(cells) {
    if (!cells.length) return;
    const { width, height } = this.svg.getBoundingClientRect();
    const box = this.#boxOf(cells);
    const unit = SIZE * this.scale;
    const [x0, y0, x1, y1] = [box[0] * unit + this.left, box[1] * unit + this.top, box[2] * unit + this.left, box[3] * unit + this.top];
    if (x0 >= 0 && y0 >= 0 && x1 <= width && y1 <= height) return;
    this.#follow(false);
    if (x1 - x0 > width || y1 - y0 > height) {
      this.#show(box, MARGIN_CELLS, true);
      return;
    }
    const into = (low, high, space) => (low < 0 ? 12 - low : high > space ? space - 12 - high : 0);
    this.#go(this.scale, this.left + into(x0, x1, width), this.top + into(y0, y1, height), true);
  }

  zoom(factor, at) {
    const { width, height } = this.svg.getBoundingClientRect();
    const [px, py] = at ?? [width / 2, height / 2];
    const scale = Math.min(CLOSEST, Math.max(FARTHEST, this.scale * factor));
    const ratio = scale / this.scale;
    this.#follow(false);
    this.#go(scale, px - (px - this.left) * ratio, py - (py - this.top) * ratio, !at);
  }

  pan(dx, dy, smooth = false) {
    this.#follow(false);
    this.#go(this.scale, this.left + dx, this.top + dy, smooth);
  }

  #show(box, margin, smooth) {
    const { width, height } = this.svg.getBoundingClientRect();
    if (width && height) this.#go(...placed(box, margin, [0, 0, width, height]), smooth);
  }

  /**
   * Show all cells as large as possible without hiding one below the elements over the board. If one would be hidden,
   * that side of the drawing stays free.
   */
  #showAll(smooth) {
    const room = this.svg.getBoundingClientRect();
    if (!room.width || !room.height) return;
    const boxes = this.over.map((element) => element.getBoundingClientRect()).filter((box) => box.width && box.height);
    const over = boxes.map((box) => [box.left - room.left, box.top - room.top, box.right - room.left, box.bottom - room.top]);
    const cells = this.cells.map((cell) => spinCell(cell, this.turns));
    const places = freeParts([0, 0, room.width, room.height], over).map((part) => placed(this.bounds, MARGIN_CELLS, part)).sort((a, b) => b[0] - a[0]);
    const isClear = (place) => !over.some((box) => cells.some((cell) => covers(box, cell, place)));
    this.#go(...(places.find(isClear) ?? places[0]), smooth);
  }

  #go(scale, left, top, smooth) {
    cancelAnimationFrame(this.glide);
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (!smooth || still) {
      this.#place(scale, left, top);
      return;
    }
    const from = [Math.log(this.scale), this.left, this.top];
    const to = [Math.log(scale), left, top];
    const start = performance.now();
    const step = (now) => {
      const t = Math.min(1, (now - start) / GLIDE_MS);
      const eased = 1 - (1 - t) ** 3;
      const [logScale, x, y] = from.map((value, i) => value + (to[i] - value) * eased);
      this.#place(Math.exp(logScale), x, y);
      if (t < 1) this.glide = requestAnimationFrame(step);
    };
    this.glide = requestAnimationFrame(step);
  }

  #place(scale, left, top) {
    this.scale = scale;
    this.left = left;
    this.top = top;
    this.root.setAttribute("transform", `translate(${left.toFixed(2)} ${top.toFixed(2)}) scale(${scale.toFixed(4)})${this.turns ? ` rotate(${90 * this.turns})` : ""}`);
    this.onZoom(scale);
  }

  #follow(on) {
    this.following = on;
    this.onFollow(on);
  }

  #resized() {
    if (this.following && this.bounds) this.#showAll(false);
  }

  #at(event) {
    const box = this.svg.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  #hear() {
    const { svg } = this;
    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      const speed = event.ctrlKey ? 0.01 : 0.0016;
      this.zoom(Math.exp(-event.deltaY * (event.deltaMode ? 25 : 1) * speed), this.#at(event));
    }, { passive: false });
    svg.addEventListener("pointerdown", (event) => {
      if (event.pointerType === "mouse" && event.button !== 0) return;
      svg.setPointerCapture(event.pointerId);
      this.pointers.set(event.pointerId, this.#at(event));
      this.moved = this.pointers.size > 1 ? Infinity : 0;
    });
    svg.addEventListener("pointermove", (event) => this.#drag(event));
    const up = (event) => {
      if (!this.pointers.delete(event.pointerId) || event.type === "pointercancel") return;
      this.tapped = this.moved <= TAP_SLACK_PX && !this.pointers.size;
    };
    svg.addEventListener("pointerup", up);
    // What a tap opens must not be there before its click, which would shut it again.
    svg.addEventListener("click", (event) => {
      if (!this.tapped) return;
      this.tapped = false;
      const [px, py] = this.#at(event);
      const unit = SIZE * this.scale;
      const [x, y] = spin([(px - this.left) / unit, (py - this.top) / unit], -this.turns);
      const cell = [Math.floor(x), Math.floor(y)];
      this.onTap(cell, [x - cell[0], y - cell[1]]);
    });
    svg.addEventListener("pointercancel", up);
    svg.addEventListener("keydown", (event) => this.#key(event));
  }

  #drag(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    const now = this.#at(event);
    const [dx, dy] = [now[0] - before[0], now[1] - before[1]];
    this.moved += Math.hypot(dx, dy);
    if (this.moved <= TAP_SLACK_PX) return; // a finger always moves a little
    if (this.pointers.size === 1) {
      this.pointers.set(event.pointerId, now);
      this.pan(dx, dy);
      return;
    }
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)[1];
    const spread = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
    this.pointers.set(event.pointerId, now);
    this.zoom(spread(now, other) / spread(before, other), [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2]);
    this.pan(dx / 2, dy / 2);
  }

  #key(event) {
    const to = (dx, dy) => (event.shiftKey ? this.pan(-dx * STEP_PX, -dy * STEP_PX, true) : this.onStep(...spin([dx, dy], -this.turns)));
    const act = {
      ArrowLeft: () => to(-1, 0),
      ArrowRight: () => to(1, 0),
      ArrowUp: () => to(0, -1),
      ArrowDown: () => to(0, 1),
      Enter: () => this.onEnter(),
      "+": () => this.zoom(1.3),
      "=": () => this.zoom(1.3),
      "-": () => this.zoom(1 / 1.3),
      0: () => this.fit(),
      Escape: () => this.onTap(null),
    }[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act();
  }
}
