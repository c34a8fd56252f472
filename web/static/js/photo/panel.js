// Panel beside the photograph: points with their reasons, the doubts that they depend on, and commands.

import { h } from "../dom.js";
import { meepleIcon, pieceIcon } from "../meeple.js";
import { nameField, suggestions } from "../name_field.js";
import { spotWords, spotsOf } from "../spots.js";
import { W, kindName, phrase, sentenceCase } from "../words.js";

const MOST_DOUBTS = 6;
const percent = (share) => `${Math.round(100 * share)} %`;

/** Return the player colours of a document: those on the board, then those that people added. */
export const colorsOf = (document, added) => [...new Set([...Object.keys(document.if_ended_now), ...added])];

export class Panel {
  /**
   * `way` has callbacks for taps: say(body), light(what, words), open(cell), words(doubt), picture(doubt), fault(fault), unknown(cells, words), share(form), keep(), goOn(),
   * more(), again(), undo(), renamed(), games(), the address of the past games.
   */
  constructor(room, way) {
    Object.assign(this, { room, way, opened: null, players: {} }); // `opened`: colour whose points are explained
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
      ...document.faults.map((fault) => h("button", { type: "button", class: "plain photo-fault", onclick: () => this.way.fault(fault) }, `⚠ ${sentenceCase(phrase(fault.said, fault.message))}`)),
      this.#unknown(),
      ...this.#doubts(),
      ...this.#reasons(),
      suggestions(people),
      this.#ways());
    this.showKept(kept);
    this.#explain();
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
      const features = this.#features(color);
      const explain = () => { this.opened = this.opened === color ? null : color; this.#explain(); };
      const points = h("button", { type: "button", class: "photo-points", "data-explains": color, "aria-label": W.photo.pointsOf(this.#name(color), total(color)), onclick: explain }, String(total(color)));
      const name = nameField({ value: player.name, placeholder: sentenceCase(W.colors[color] ?? color), "aria-label": W.photo.nameOf(W.colors[color] ?? color), onName: (text) => { player.name = text; this.way.renamed(); } });
      const before = h("input", { type: "number", min: 0, max: 999, inputmode: "numeric", value: player.before || "", placeholder: "0", "aria-label": W.photo.beforeOf(W.colors[color] ?? color), oninput: () => { player.before = Math.max(0, Math.min(999, Number.parseInt(before.value, 10) || 0)); points.textContent = total(color); points.setAttribute("aria-label", W.photo.pointsOf(this.#name(color), total(color))); this.way.renamed(); } });
      return h("li", { class: `photo-player ink-${color} ${colors.length > 1 && leads.includes(color) ? "leads" : ""}`, "data-color": color },
        meepleIcon(color), name, h("label", { class: "photo-before" }, h("span", {}, W.photo.before), before), points,
        h("p", { class: "photo-or" }, this.#orElse(color, players[color].before || 0)), features);
    });
    return h("div", {},
      h("h3", { class: "hidden" }, W.page.scores),
      rows.length ? h("ul", { class: "photo-players" }, ...rows) : h("p", { class: "photo-soft" }, W.photo.noPieces),
      rows.length ? h("p", { class: "photo-soft" }, W.photo.onlyEnd) : "");
  }

  /** The names of the players by colour. */
  get names() {
    return Object.fromEntries(colorsOf(this.document, []).map((color) => [color, this.#name(color)]));
  }

  /** Return the list, shut at first, of the features on which a player has pieces, each with what it consists of. */
  #features(color) {
    const spots = spotsOf(this.document.spots ?? [], color);
    return h("ul", { class: "worth-list", "data-of": color, hidden: this.opened !== color }, ...spots.map((spot) => {
      const words = spotWords(spot, this.names, { color });
      const light = () => this.way.light(spot, `${kindName(spot.kind)}. ${words}`);
      return h("li", {}, h("button", { type: "button", class: "plain", onclick: light }, pieceIcon(spot.piece, color), h("span", {}, h("b", {}, kindName(spot.kind)), h("small", {}, words))));
    }));
  }

  /** Open the list of the player whose points are explained, and shut the others. */
  #explain() {
    for (const list of this.room.querySelectorAll("[data-of]")) list.hidden = list.dataset.of !== this.opened;
    for (const button of this.room.querySelectorAll("[data-explains]")) button.setAttribute("aria-expanded", String(button.dataset.explains === this.opened));
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

  /** Return the warning about all tiles that are not known, as one. */
  #unknown() {
    const cells = this.document.tiles.filter((tile) => tile.tile === null).map((tile) => tile.cell);
    const words = W.photo.unknown(cells.length);
    return cells.length ? h("button", { type: "button", class: "plain photo-fault photo-unknown", onclick: () => this.way.unknown(cells, words) }, words) : "";
  }

  #doubts() {
    const { document } = this;
    if (!document.hangs_on.length) return document.tiles.length ? [h("p", { class: "photo-sure" }, `✓ ${W.photo.sure}`)] : [];
    const parts = new Map();
    for (const one of document.hangs_on) parts.set(`${one.what} ${one.cell} ${one.told}`, [...(parts.get(`${one.what} ${one.cell} ${one.told}`) ?? []), one]);
    const shown = [...parts.values()].slice(0, MOST_DOUBTS);
    const said = shown.map(([one]) => sentenceCase(W.photo.doubt(one, percent(one.probability), this.way.words(one))));
    const words = said.map((text, i) => (said.indexOf(text) !== said.lastIndexOf(text) ? `${text} · ${W.fix.at(...shown[i][0].cell)}` : text));
    return [
      h("h3", {}, W.photo.hangsOn),
      h("p", { class: "photo-soft" }, W.photo.howSure(percent(document.if_ended_probability))),
      h("ul", { class: "photo-doubts" }, ...shown.map(([one], i) => h("li", {},
        h("button", { type: "button", class: "plain", onclick: () => this.way.open(one.cell, one), onfocus: () => this.way.light({ cells: [one.cell] }), onmouseenter: () => this.way.light({ cells: [one.cell] }) },
          this.way.picture(one),
          h("span", {}, words[i], h("small", {}, this.#moves(one)))))))];
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
      const light = () => this.way.light(event, `${kindName(event.kind)}. ${sentenceCase(phrase(event.said, event.why))}: ${W.counts.points(event.points)}`);
      return h("li", {}, h("button", { type: "button", class: "plain", onclick: light },
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
