// Sheets of a photograph that correct the tile in a cell or a piece.

import { h } from "../dom.js";
import { pieceIcon } from "../meeple.js";
import { openSheet } from "../sheet.js";
import { tellApart } from "../telling.js";
import { tileThumb } from "../tile_drawing.js";
import { W, faceWords, faceThings, kindName, phrase, sentenceCase } from "../words.js";

const FIRST = 8; // faces that are offered at first
const percent = (share) => `${Math.round(100 * share)} %`;

/** Return in words what a piece is and where it is. */
function pieceWords(piece, tile, pack) {
  const design = tile && pack?.designs[tile.tile];
  const kind = design?.features.find((one) => one.id === piece.feature)?.kind;
  const color = piece.color ? sentenceCase(W.colors[piece.color] ?? piece.color) : "";
  const what = `${W.pieces[piece.kind] ?? piece.kind}${piece.color && piece.pose === "lying" ? `, ${W.photo.lying}` : ""}`;
  return [color, what, kind ? `· ${kindName(kind)}` : ""].filter(Boolean).join(" ");
}

export class Corrections {
  /**
   * `way` has ask(path, body), say(body), which sends a correction, the current document and pack, and crop(index or
   * cell).
   */
  constructor(way) {
    this.way = way;
  }

  /** Return both readings of a doubt in words: the recognised one, and the other ("" if none). */
  words({ cell, say }) {
    const { document } = this.way;
    const tile = this.#tileAt(cell);
    const faces = say.tile && [tile, say.tile];
    const pieces = say.piece && [say.piece.number === null ? null : document.pieces[say.piece.number], say.piece.kind ? say.piece : null];
    const [told, instead] = this.#apart(faces ? faces.map((one) => ({ words: faceWords(one.tile), line: { tile: one.tile, rot: one.rot, cell } })) : pieces.map((one) => this.#asLine(one, tile)));
    const [name, note] = instead.split(" · ");
    return { told, instead: faces && note && told.startsWith(name) ? note : instead };
  }

  /** Return a picture of a doubt's other reading. */
  picture({ cell, say }) {
    return say.tile ? this.#thumb(say.tile.tile, say.tile.rot) : this.#pieceOn(say.piece, this.#tileAt(cell));
  }

  #tileAt = (cell) => this.way.document.tiles.find((one) => String(one.cell) === String(cell));

  /** Return a piece in words, and as the turn that would have put it there; without words if there is none. */
  #asLine(piece, tile) {
    if (!piece) return { words: "", line: null };
    return { words: pieceWords(piece, tile, this.way.pack), line: tile && { tile: tile.tile, rot: tile.rot, cell: tile.cell, action: { type: piece.kind, feature: piece.feature } } };
  }

  /** Return the words of each item; where two have the same, with a note that tells them apart. */
  #apart(items) {
    return items.map(({ words, line }) => {
      const alike = items.filter((other) => other.words === words && other.line);
      return alike.length < 2 || !line ? words : `${words} · ${tellApart(alike.map((one) => one.line), this.way.pack)[alike.findIndex((one) => one.line === line)]}`;
    });
  }

  /** Return a picture of a piece and where it stands on its tile. */
  #pieceOn(piece, tile) {
    if (!piece.kind) return h("span", { class: "photo-picture", "aria-hidden": "true" }, "✕");
    const design = tile && this.way.pack.designs[tile.tile];
    const spot = design?.features.find((one) => one.id === piece.feature)?.spot;
    return h("span", { class: "photo-picture" }, this.#icon(piece), spot ? tileThumb(tile.tile, design, tile.rot, spot) : "");
  }

  /** Return buttons for the answers to doubts about a place, the likeliest first. */
  #answers(doubts, close) {
    const words = this.#apart(doubts.map(({ say, cell }) => this.#asLine(say.piece.kind ? say.piece : null, this.#tileAt(cell))));
    return doubts.length ? [h("h3", {}, W.photo.orRather), h("div", { class: "answers" }, ...doubts.map((one, i) => h("button", { type: "button", class: "plain", onclick: () => this.#say(close, one.say) },
      this.#pieceOn(one.say.piece, this.#tileAt(one.cell)), h("span", {}, words[i] || W.photo.noPiece, h("small", {}, percent(one.probability))))))] : [];
  }

  /** Open the sheet of the document's tile with this index. */
  async tile(index) {
    const { document, pack } = this.way;
    const tile = document.tiles[index];
    const known = tile.tile !== null;
    const design = known ? pack.designs[tile.tile] : null;
    const pieces = document.pieces.map((piece, i) => [piece, i]).filter(([piece]) => String(piece.cell) === String(tile.cell));
    const choices = h("div", {});
    const { close } = openSheet(known ? W.photo.tileIs(percent(tile.confidence)) : W.photo.tileUnknown, [
      h("div", { class: "photo-both" }, this.way.crop(index) ?? "", known ? this.#thumb(tile.tile, tile.rot) : ""),
      h("p", { class: "photo-what" }, known ? sentenceCase(faceWords(tile.tile)) : W.photo.unknownWhy),
      ...document.faults.filter((fault) => String(fault.cell) === String(tile.cell)).map((fault) => h("p", { class: "photo-fault" }, phrase(fault.said, fault.message))),
      h("div", { class: "photo-ways" },
        known ? this.#button(W.photo.right, () => this.#say(close, { tile: { cell: tile.cell, tile: tile.tile, rot: tile.rot } }), "main") : "",
        this.#button(W.photo.noTile, () => this.#say(close, { tile: { cell: tile.cell } })),
        known ? this.#button(W.photo.turned, () => this.#turn(choices, { tile: tile.tile, rots: [tile.rot] }, tile.cell, close)) : ""),
      ...this.#answers(document.hangs_on.filter((one) => one.say.piece?.number === null && String(one.cell) === String(tile.cell)), () => close()),
      pieces.length ? h("h3", {}, W.photo.standsHere) : "",
      h("div", { class: "answers" }, ...pieces.map(([piece, i]) => h("button", { type: "button", class: "plain", onclick: () => { close(); this.piece(i); } }, this.#icon(piece), pieceWords(piece, tile, pack)))),
      design && this.#sorts(design).length ? this.#button(W.photo.addPiece, () => { close(); this.newPiece(tile); }) : "",
      h("h3", {}, W.photo.otherTile), choices], {});
    await this.#offer(choices, tile.cell, close, known ? tile.tile : null);
  }

  /** Open the list of these tiles, the least sure first; `words` say why. Each opens its sheet. */
  tiles(indices, words) {
    const { document } = this.way;
    const order = [...indices].sort((a, b) => document.tiles[a].confidence - document.tiles[b].confidence);
    const { close } = openSheet(W.photo.whichTile, [h("p", {}, words), h("div", { class: "photo-list" }, ...order.map((i) => {
      const tile = document.tiles[i];
      const name = tile.tile === null ? W.photo.tileUnknown : sentenceCase(faceWords(tile.tile));
      const sure = tile.tile === null ? "" : W.photo.tileIs(percent(tile.confidence));
      return h("button", { type: "button", class: "plain", onclick: () => { close(); this.tile(i); } }, this.way.crop(i) ?? "", h("span", {}, name, h("small", {}, sentenceCase(W.fix.at(...tile.cell))), h("small", {}, sure)));
    }))]);
  }

  /** Open the sheet of an empty cell, to enter a tile that was not recognised. */
  async free(cell) {
    const choices = h("div", {});
    const { close } = openSheet(W.photo.addTile, [
      h("div", { class: "photo-both" }, this.way.crop(cell) ?? "", h("p", {}, W.photo.noneSeen, h("br"), sentenceCase(W.fix.at(...cell)))), choices], {});
    await this.#offer(choices, cell, close, null);
  }

  /** Show the faces that may lie in a cell as pictures, the likeliest first. */
  async #offer(room, cell, close, now) {
    const { choices } = await (await this.way.ask(`/choices?cell=${cell}`)).json();
    const found = h("div", { class: "faces" });
    const hint = W.photo.search;
    const search = h("input", { type: "search", class: "search", placeholder: hint, "aria-label": hint, oninput: () => show() });
    let all = false;
    const more = this.#button(W.photo.allTiles, () => { all = true; show(); }, "quiet");
    const show = () => {
      const words = search.value.toLowerCase().split(/[\s,]+/).filter(Boolean);
      const fitting = choices.filter(({ tile }) => words.every((word) => this.#about(tile).includes(word)));
      const shown = all || words.length ? fitting : fitting.slice(0, FIRST);
      more.hidden = shown.length === fitting.length;
      found.replaceChildren(...shown.map((one) => this.#face(one, cell, close, room, now)));
      if (!fitting.length) found.append(h("p", { class: "hint" }, W.fix.noTile));
    };
    show();
    room.replaceChildren(search, found, more);
  }

  #face(one, cell, close, room, now) {
    const { tile, rot, rots, probability } = one;
    const note = probability >= 0.005 ? percent(probability) : rots.length ? "" : W.photo.fitsNot;
    const label = `${faceThings(this.way.pack.designs[tile]).join(", ")} ${note}`.trim();
    // If only one rotation fits or was recognised, a tap is enough; otherwise ask for the rotation.
    const clear = (probability ?? 0) >= 0.005 || rots.length === 1;
    const pick = () => (clear && tile !== now ? this.#say(close, { tile: { cell, tile, rot } }) : this.#turn(room, one, cell, close));
    return h("button", { type: "button", class: "face", "aria-label": label, onclick: pick }, this.#thumb(tile, rot), h("small", {}, note || faceThings(this.way.pack.designs[tile])[0]));
  }

  /** Ask for the rotation of a face. */
  #turn(room, { tile, rots }, cell, close) {
    const all = [0, 90, 180, 270];
    const order = [...rots, ...all.filter((rot) => !rots.includes(rot))];
    room.replaceChildren(h("p", { class: "hint" }, W.photo.whichWay),
      h("div", { class: "rots", role: "group", "aria-label": W.fix.rot }, ...order.map((rot) =>
        h("button", { type: "button", class: `rot ${rots.includes(rot) ? "" : "fits-not"}`, "aria-label": W.fix.rotated(rot), onclick: () => this.#say(close, { tile: { cell, tile, rot } }) }, this.#thumb(tile, rot)))));
  }

  /** Open the sheet of the document's piece with this index; `worth` says what its feature consists of. */
  piece(index, worth = "") {
    const { document, pack } = this.way;
    const piece = document.pieces[index];
    const at = document.tiles.findIndex((one) => String(one.cell) === String(piece.cell));
    const tile = document.tiles[at];
    const say = (changed) => this.#say(close, { piece: { number: index, kind: piece.kind, color: piece.color, pose: piece.pose, cell: piece.cell, feature: piece.feature, ...changed } });
    const { close } = openSheet(pieceWords(piece, tile, pack), [
      h("p", { class: "photo-what" }, W.photo.pieceIs(percent(piece.confidence), piece.color && piece.color_confidence !== undefined ? percent(piece.color_confidence) : "")),
      worth ? h("p", { class: "photo-worth" }, worth) : "",
      at >= 0 ? this.way.crop(at) ?? "" : "",
      h("div", { class: "photo-ways" },
        this.#button(W.photo.right, () => say({}), "main"),
        this.#button(W.photo.noPiece, () => this.#say(close, { piece: { number: index } })),
        at >= 0 ? this.#button(W.photo.itsTile, () => { close(); this.tile(at); }) : ""),
      ...this.#answers(document.hangs_on.filter((one) => one.say.piece?.number === index && one.say.piece.kind), () => close()),
      ...(piece.color && ["meeple", "hut", "other"].includes(piece.kind) ? this.#colors(piece.color, (color) => say({ color })) : []),
      ...(tile?.tile && ["meeple", "hut", "other"].includes(piece.kind) ? this.#standings(tile, piece, (told) => say(told)) : []),
    ], {});
  }

  /** Enter a piece that was not recognised: first its position, then its colour. */
  newPiece(tile) {
    const { document } = this.way;
    const room = h("div", {});
    const { close } = openSheet(W.photo.addPiece, [room], {});
    const known = [...new Set([...document.pieces.map((piece) => piece.color).filter(Boolean), ...document.colors])];
    room.append(...this.#standings(tile, {}, (told) => {
      room.replaceChildren(h("h3", {}, W.photo.whose), h("div", { class: "photo-colors" }, ...known.map((color) =>
        this.#color(color, false, () => this.#say(close, { piece: { ...told, color, cell: tile.cell } }), told.kind))));
    }));
  }

  #colors(now, onPick) {
    const colors = [...new Set([...this.way.document.colors, now])];
    return [h("h3", {}, W.photo.color), h("div", { class: "photo-colors", role: "group", "aria-label": W.photo.color }, ...colors.map((color) => this.#color(color, color === now, () => onPick(color))))];
  }

  #color(color, now, onclick, kind = "meeple") {
    return h("button", { type: "button", class: "plain", "aria-pressed": String(now), onclick }, pieceIcon(kind, color), sentenceCase(W.colors[color] ?? color));
  }

  /** Show all features of a face where a piece may be, with its pose. */
  #standings(tile, now, onPick) {
    const design = this.way.pack.designs[tile.tile];
    const sorts = this.#sorts(design);
    if (!sorts.length) return [];
    const names = this.#apart(sorts.map(({ feature, kind, pose }) => ({ words: `${kindName(feature.kind)}|${kind}|${pose}`, line: { tile: tile.tile, rot: tile.rot, cell: tile.cell, action: { type: kind, feature: feature.id } } })));
    const notes = names.map((name) => name.split(" · ")[1] ?? "");
    return [h("h3", {}, W.photo.where), h("div", { class: "answers" }, ...sorts.map(({ feature, kind, pose }, i) => {
      const same = feature.id === now.feature && kind === now.kind && pose === now.pose;
      return h("button", { type: "button", class: "plain", "aria-pressed": String(same), onclick: () => onPick({ kind, pose, feature: feature.id }) },
        tileThumb(tile.tile, design, tile.rot, feature.spot), h("span", {}, `${kindName(feature.kind)} `, h("small", {}, [W.pieces[kind] ?? kind, W.photo[pose], notes[i]].filter(Boolean).join(", "))));
    }))];
  }

  #sorts(design) {
    const { takes } = this.way.document;
    return design.features.flatMap((feature) => (takes[feature.kind] ?? []).map(([kind, pose]) => ({ feature, kind, pose })));
  }

  async #say(close, body) {
    close();
    await this.way.say(body);
  }

  #icon = (piece) => pieceIcon(piece.kind, piece.color ?? "white");

  #thumb = (tile, rot) => tileThumb(tile, this.way.pack.designs[tile], rot);

  #button = (text, onclick, kind = "plain") => h("button", { type: "button", class: kind === "main" ? "plain main" : kind, onclick }, text);

  #about(tile) {
    const design = this.way.pack.designs[tile];
    return [tile, ...design.features.flatMap((feature) => [feature.kind, kindName(feature.kind)]), ...faceThings(design)].join(" ").toLowerCase();
  }
}
