// All faces of an edition as a grid: known, doubtful and missing ones, and the sheet of each.

import { h } from "./dom.js";
import { whenUntouched } from "./untouched.js";
import { W } from "./words.js";

const SIGNS = { known: "✓", doubtful: "?", missing: "–", optional: "–" };

/** Return the faces that are taken for a design: sure ones, then guessed ones. */
const facesOf = (state, design) =>
  state.faces.filter((face) => face.design === design && !face.dropped).sort((a, b) => b.sure - a.sure);

/** Return whether a design is known, doubtful or missing; "optional" is missing, but not every box has it. */
export function stateOf(state, design) {
  const faces = facesOf(state, design);
  const sure = faces.filter((face) => face.sure);
  if (sure.some((face) => face.sides || face.too_many)) return "doubtful";
  return sure.length ? "known" : faces.length ? "doubtful" : state.designs[design].optional ? "optional" : "missing";
}

export class BoxGrid {
  /** `way` has the page's functions: name, picture, described, otherSides, choose, turned, replace. */
  constructor(room, sheet, way) {
    Object.assign(this, { room, sheet, way, cells: new Map(), opened: null });
    sheet.addEventListener("close", () => { this.opened = null; });
  }

  /** Show the state of all designs. Only cells that changed are drawn anew. */
  show(state) {
    this.state = state;
    for (const design of Object.keys(state.designs)) this.#cell(design);
    if (this.opened) whenUntouched("sheet", () => this.opened && this.#fill());
  }

  #cell(design) {
    const now = stateOf(this.state, design);
    const [first] = facesOf(this.state, design);
    const { count } = this.state.designs[design];
    const told = JSON.stringify([now, first?.picture, first?.turn, count]);
    const old = this.cells.get(design);
    if (old?.dataset.told === told) return;
    const cell = h("button", { type: "button", class: "box-cell", "data-state": now, "data-told": told, "data-design": design,
      "aria-label": `${design}: ${this.way.described(design)}, ${W.box.states[now]}, ${W.box.copies(count)}`, onclick: () => this.open(design) },
    h("span", { class: "box-picture" }, first ? h("img", { src: first.picture, alt: "", loading: "lazy", style: this.way.turned(first.turn) }) : this.way.picture(design)),
    h("span", { class: "box-name" }, this.way.described(design), count > 1 ? h("small", {}, ` ×${count}`) : ""),
    h("span", { class: "box-sign", "aria-hidden": "true" }, SIGNS[now]));
    whenUntouched(`cell-${design}`, () => {
      const shown = this.cells.get(design);
      if (!shown) this.room.append(cell);
      else {
        const focused = shown === document.activeElement;
        shown.replaceWith(cell);
        if (focused) cell.focus();
      }
      this.cells.set(design, cell);
    });
  }

  /** Open the sheet of a design: its pictures, large, beside the drawing with its top side up. */
  open(design) {
    this.opened = design;
    this.#fill();
    if (!this.sheet.open) this.sheet.showModal();
  }

  #fill() {
    const { way, opened: design } = this;
    const now = stateOf(this.state, design);
    const { count } = this.state.designs[design];
    this.sheet.querySelector("h2").textContent = way.described(design);
    this.sheet.querySelector(".design-about").textContent =
      [W.box.states[now], W.box.copies(count), design].join(" · ");
    const faces = facesOf(this.state, design);
    const told = JSON.stringify([design, now, faces]);
    const room = this.sheet.querySelector(".design-room");
    if (room.dataset.told === told) return;
    room.dataset.told = told;
    const at = [...room.querySelectorAll("button, input")].indexOf(document.activeElement);
    room.replaceChildren(
      h("figure", { class: "design-like" }, way.picture(design), h("figcaption", {}, W.box.top)),
      ...faces.map((face) => this.#face(face, design)),
      faces.length ? "" : h("div", { class: "design-tools" }, h("p", {}, W.box.nonePhotographed), this.#again(null, design)));
    if (at >= 0) room.querySelectorAll("button, input")[at]?.focus();
  }

  #face(face, design) {
    const { way } = this;
    const now = () => this.state.faces[face.number];
    return h("article", { class: "design-face", "data-number": face.number },
      h("figure", {}, h("img", { src: face.picture, alt: W.naming.face(face.number + 1), style: way.turned(face.turn) })),
      way.otherSides(face),
      h("div", { class: "design-tools" },
        face.sure ? "" : h("button", { type: "button", class: "main", onclick: () => way.name(now(), design, now().turn) }, W.naming.confirm),
        h("button", { type: "button", class: "turn", "aria-label": W.naming.quarter, onclick: () => way.name(now(), design, now().turn + 1) }, `↺ ${W.naming.turn}`),
        h("button", { type: "button", onclick: () => { this.sheet.close(); way.choose(now()); } }, W.naming.another),
        this.#again(face, design),
        h("button", { type: "button", class: "remove", onclick: () => way.name(now(), null, 0, true) }, W.box.remove)));
  }

  /** Return the choice of a photograph that shows this tile better. */
  #again(face, design) {
    const file = h("input", { type: "file", accept: "image/*", onchange: () => file.files.length && this.way.replace(face, design, file.files[0]) });
    return h("label", { class: "button" }, face ? W.box.again : W.box.photographOne, file);
  }
}
