// Panel beside the photograph: points with their reasons, the doubts that they depend on, and commands.

import { h } from "../dom.js";
import { meepleIcon } from "../meeple.js";
import { nameField, suggestions } from "../name_field.js";
import { W, kindName, phrase, sentenceCase } from "../words.js";

const MOST_DOUBTS = 6;
const percent = (share) => `${Math.round(100 * share)} %`;

/** Return the player colours of a document: those on the board, then those that people added. */
export const colorsOf = (document, added) => [...new Set([...Object.keys(document.if_ended_now), ...added])];

export class Panel {
  /**
   * `way` has callbacks for taps: say(body), light(cells), open(cell), words(doubt), share(form), keep(), goOn(),
   * more(), again(), undo(), renamed(), games(), the address of the past games.
   */
  constructor(room, way) {
    Object.assign(this, { room, way });
  }

  /**
   * Show the points of a document. `players` has name and earlier points by colour, `kept` is whether the board is kept
   * as a game as it is, `people` are names to suggest.
   */
  show(document, players, title, { kept = false, people = [] } = {}) {
    Object.assign(this, { document, players });
    this.room.replaceChildren(
      h("div", { class: "photo-about" },
        h("h2", {}, title),
        h("p", { class: "photo-soft" }, W.photo.counts(document.tiles.length, document.pieces.filter((piece) => piece.kind === "meeple" && piece.cell).length)),
        document.mirrored ? h("p", { class: "photo-soft" }, W.photo.mirrored) : "",
        document.presets.length > 1 ? this.#rules() : ""),
      this.#scores(),
      ...document.faults.map((fault) => h("button", { type: "button", class: "plain photo-fault", onclick: () => fault.cell && this.way.open(fault.cell) }, `⚠ ${sentenceCase(phrase(fault.said, fault.message))}`)),
      ...this.#doubts(),
      ...this.#reasons(),
      suggestions(people),
      this.#ways());
    this.showKept(kept);
  }

  #rules() {
    const { document } = this;
    const select = h("select", { onchange: () => this.way.say({ rules: select.value }) }, ...document.presets.map((name) =>
      h("option", { value: name, selected: name === (document.rules ?? document.presets[0]) }, W.lobby.rules[name] ?? name)));
    return h("div", {}, h("label", { class: "photo-edition" }, h("span", {}, W.lobby.rulesLabel), select),
      h("small", { class: "photo-soft" }, W.lobby.rulesWhy[select.value] ?? ""));
  }

  #scores() {
    const { document, players } = this;
    const colors = colorsOf(document, Object.keys(players).filter((color) => players[color].plays));
    const total = (color) => (document.if_ended_now[color] ?? 0) + (players[color]?.before || 0);
    const ranges = colors.map((color) => (document.if_ended_ranges[color] ?? [0, 0]).map((points) => points + (players[color]?.before || 0)));
    const leads = colors.filter((_, at) => ranges.every(([, most], other) => other === at || ranges[at][0] > most)); // whatever the doubts
    const rows = [...colors].sort((a, b) => total(b) - total(a)).map((color) => {
      const player = (players[color] ??= { name: "", before: 0 });
      const points = h("output", { class: "photo-points" }, String(total(color)));
      const name = nameField({ value: player.name, placeholder: sentenceCase(W.colors[color] ?? color), "aria-label": W.photo.nameOf(W.colors[color] ?? color), onName: (text) => { player.name = text; this.way.renamed(); } });
      const before = h("input", { type: "number", min: 0, max: 999, inputmode: "numeric", value: player.before || "", placeholder: "0", "aria-label": W.photo.beforeOf(W.colors[color] ?? color), oninput: () => { player.before = Math.max(0, Math.min(999, Number.parseInt(before.value, 10) || 0)); points.textContent = total(color); this.way.renamed(); } });
      return h("li", { class: `photo-player ink-${color} ${colors.length > 1 && leads.includes(color) ? "leads" : ""}`, "data-color": color },
        meepleIcon(color), name, h("label", { class: "photo-before" }, h("span", {}, W.photo.before), before), points,
        h("p", { class: "photo-or" }, this.#orElse(color, players[color].before || 0)));
    });
    return h("div", {},
      h("h3", { class: "hidden" }, W.page.scores),
      rows.length ? h("ul", { class: "photo-players" }, ...rows) : h("p", { class: "photo-soft" }, W.photo.noPieces),
      rows.length ? h("p", { class: "photo-soft" }, W.photo.onlyEnd) : "");
  }

  /** Return "or 29, if the blue meeple is black": a player's other score by the doubt that moves points most; "" if the score is certain. */
  #orElse(color, before) {
    const { document } = this;
    const [least, most] = document.if_ended_ranges[color] ?? [0, 0];
    if (least === most) return "";
    const now = document.if_ended_now[color] ?? 0;
    const other = document.hangs_on.find((one) => (one.points[color] ?? 0) !== now);
    const range = W.photo.range(least + before, most + before);
    return other ? `${range} · ${W.photo.orIf((other.points[color] ?? 0) + before, W.photo.unlessPart(other))}` : range;
  }

  #doubts() {
    const { document } = this;
    if (!document.hangs_on.length) return document.tiles.length ? [h("p", { class: "photo-sure" }, `✓ ${W.photo.sure}`)] : [];
    const parts = new Map();
    for (const one of document.hangs_on) parts.set(`${one.what} ${one.cell} ${one.told}`, [...(parts.get(`${one.what} ${one.cell} ${one.told}`) ?? []), one]);
    const shown = [...parts.values()].slice(0, MOST_DOUBTS);
    return [
      h("h3", {}, W.photo.hangsOn),
      h("p", { class: "photo-soft" }, W.photo.howSure(percent(document.if_ended_probability))),
      h("ul", { class: "photo-doubts" }, ...shown.map(([one]) => h("li", {},
        h("button", { type: "button", class: "plain", onclick: () => this.way.open(one.cell, one), onfocus: () => this.way.light([one.cell]), onmouseenter: () => this.way.light([one.cell]) },
          h("span", {}, sentenceCase(W.photo.doubt(one, percent(one.probability), this.way.words(one)))),
          h("small", {}, this.#moves(one))))))];
  }

  /** Return "Blue 27 → 29": how another reading changes the points. */
  #moves(one) {
    const { document } = this;
    const colors = [...new Set([...Object.keys(document.if_ended_now), ...Object.keys(one.points)])];
    return colors
      .filter((color) => (one.points[color] ?? 0) !== (document.if_ended_now[color] ?? 0))
      .map((color) => `${this.#name(color)} ${document.if_ended_now[color] ?? 0} → ${one.points[color] ?? 0}`).join(", ");
  }

  #reasons() {
    const { document } = this;
    const events = document.if_ended_events.filter((event) => event.points);
    if (!events.length) return [];
    return [h("h3", {}, W.photo.reasons), h("ul", { class: "photo-reasons" }, ...events.map((event) => {
      const light = () => this.way.light(event.cells);
      return h("li", {}, h("button", { type: "button", class: "plain", onclick: light, onmouseenter: light, onmouseleave: () => this.way.light([]) },
        meepleIcon(event.player), h("b", {}, `+${event.points}`), h("span", {}, `${this.#name(event.player)}: ${kindName(event.kind)}`, h("small", {}, sentenceCase(phrase(event.said, event.why))))));
    }))];
  }

  #name(color) {
    return this.players[color]?.name || sentenceCase(W.colors[color] ?? color);
  }

  #ways() {
    const button = (text, onclick, kind = "plain") => h("button", { type: "button", class: kind, onclick }, text);
    const { way, document } = this;
    return h("div", { class: "photo-actions" },
      document.said ? button(W.photo.undo, () => way.undo()) : "",
      document.pictures.length < 4 ? button(W.photo.more, () => way.more()) : "",
      h("h3", {}, W.photo.share),
      h("div", { class: "photo-row" }, button(W.photo.asPicture, () => way.share("picture")), button(W.photo.asPdf, () => way.share("pdf")), button(W.photo.asPage, () => way.share("html"))),
      h("h3", {}, W.photo.next),
      this.next = h("div", { class: "photo-next" }));
  }

  /** Show what can be done next, and whether the board is kept as a game as it is. */
  showKept(kept) {
    const button = (text, onclick, kind = "plain") => h("button", { type: "button", class: kind, onclick }, text);
    const { way, document } = this;
    this.next.replaceChildren(
      h("p", { class: "photo-kept", role: "status" }, ...(kept ? [`✓ ${W.photo.kept} `, h("a", { href: way.games() }, W.library.all)] : [])),
      h("div", { class: "photo-row" },
        kept ? "" : button(W.photo.keep, () => way.keep()),
        document.complete ? "" : button(W.photo.goOn, () => way.goOn(), "plain main"),
        button(W.photo.another, () => way.again())));
  }
}
