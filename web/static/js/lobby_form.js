// Form that starts a table: game, players, camera.

import { CameraPreview, still } from "./camera_preview.js";
import { h } from "./dom.js";
import { discsBox, labelsBox } from "./labels_box.js";
import { checkNames, nameField, suggestions } from "./name_field.js";
import { W, called, colorName, givenName, sentenceCase } from "./words.js";

/** Return the title of an edition: translated for our own packs, otherwise the pack's title. */
export const editionTitle = (edition) => edition && (W.packs[edition.pack] ?? edition.title);

export class TableForm {
  /**
   * `way` has begin(asked) and takeUp(id, camera), which send a request; done(table), called afterwards; ask(path,
   * body), which sends any request; enrol(edition), which photographs the edition's tiles; and calibrate(asked),
   * which calibrates a camera.
   */
  constructor(sheet, way) {
    this.sheet = sheet;
    this.way = way;
    this.preview = new CameraPreview(way.ask, (pack) => this.#fitting(pack));
    this.stills = new Map();
    sheet.addEventListener("close", () => this.preview.stop());
  }

  /** Open the form for a new table, filled in like an earlier one (or null). */
  open(lobby, like) {
    this.lobby = lobby;
    const ready = lobby.editions.filter((one) => one.ready);
    this.edition = ready.find((one) => one.pack === like?.pack) ?? ready[0];
    this.players = like ? like.players.map(({ color, name }) => ({ color, name: name === color ? "" : name })) : this.#usual(2);
    this.own = null; // the players before a sample brought its own
    this.camera = like?.camera || lobby.cameras.find((one) => !one.pack)?.source || "phone";
    this.rules = like?.rules ?? null;
    this.fields = { ...like?.fields };
    this.sleeping = null;
    this.#show(W.lobby.begin);
  }

  /** Open the form that resumes an interrupted game. It asks only for the camera. */
  takeUp(lobby, table) {
    this.lobby = lobby;
    this.camera = table.camera || "phone";
    this.sleeping = table.id;
    this.#show(W.lobby.goOn);
  }

  /** Return the edition's colours with the names that played them last. */
  #usual(count) {
    const colors = this.edition?.colors ?? [];
    const wanted = this.edition?.everybody ? colors.length : count;
    return colors.slice(0, wanted).map((color) => ({ color, name: this.#nameOf(color) }));
  }

  #nameOf(color) {
    return this.lobby.names[color] ?? "";
  }

  #show(title) {
    this.problem = h("p", { class: "lobby-problem", role: "alert" });
    this.start = h("button", { type: "submit", class: "main" }, this.sleeping ? W.lobby.goOn : W.lobby.start);
    this.parts = this.sleeping ? [] : [h("fieldset", { id: "form-edition" }), h("fieldset", { id: "form-players" })];
    this.cameraPart = h("fieldset", { id: "form-camera" });
    this.labels = labelsBox();
    this.discs = discsBox();
    const form = h("form", { onsubmit: (event) => this.#send(event) },
      ...this.parts, this.cameraPart,
      ...(this.sleeping ? [] : [this.discs, this.labels, suggestions(this.lobby.people)]),
      this.problem,
      h("div", { class: "lobby-finish" }, this.start));
    this.sheet.replaceChildren(
      h("div", { class: "lobby-sheet-head" },
        h("h2", { id: "form-title" }, title),
        h("button", { type: "button", "aria-label": W.page.close, onclick: () => this.sheet.close() }, "✕")),
      form);
    this.#draw();
    if (!this.sheet.open) this.sheet.showModal();
  }

  #draw() {
    if (!this.sleeping) {
      this.parts[0].replaceChildren(h("legend", {}, W.lobby.which), this.#editions(), this.#rules() ?? "", ...this.#fields());
      this.parts[1].replaceChildren(h("legend", {}, W.lobby.who), ...this.players.map((_, at) => this.#player(at)), this.#more() ?? "");
    }
    this.cameraPart.replaceChildren(h("legend", {}, W.lobby.camera), ...this.#cameras());
  }

  #editions() {
    const one = (edition) => h(edition.ready ? "label" : "div", { class: "lobby-edition", "data-ready": String(edition.ready) },
      edition.ready ? h("input", { type: "radio", name: "edition", value: edition.pack, checked: edition.pack === this.edition?.pack, onchange: () => this.#choose(edition) }) : null,
      edition.picture ? h("img", { src: edition.picture, alt: "" }) : h("span", { class: "no-picture" }),
      h("span", {}, editionTitle(edition)),
      edition.ready ? null : h("small", {}, W.lobby.enrolFirst),
      edition.ready ? null : h("button", { type: "button", onclick: () => this.way.enrol(edition) }, W.enrol.open));
    return h("div", { class: "lobby-editions" }, ...this.lobby.editions.map(one));
  }

  /** Offer and choose an edition that has become known. */
  known(lobby, pack) {
    this.lobby = lobby;
    const edition = lobby.editions.find((one) => one.pack === pack && one.ready);
    if (edition && this.sheet.open && !this.sleeping) this.#choose(edition);
  }

  #choose(edition) {
    const same = edition.game === this.edition.game;
    this.edition = edition;
    if (this.preview.camera !== null) this.#look();
    if (!same) {
      this.rules = null;
      this.players = this.#usual(this.players.length);
    }
    this.#keepFields();
    this.#draw();
  }

  #rules() {
    if (!this.edition || this.edition.rules.length < 2) return null;
    const why = h("small", { role: "status" }, W.lobby.rulesWhy[this.rules ?? this.edition.rules[0]] ?? "");
    const choose = () => {
      this.rules = select.value;
      why.textContent = W.lobby.rulesWhy[this.rules] ?? "";
    };
    const select = h("select", { onchange: choose },
      ...this.edition.rules.map((name) => h("option", { value: name, selected: name === this.rules }, W.lobby.rules[name] ?? name)));
    return h("div", {}, h("label", { class: "lobby-where" }, W.lobby.rulesLabel, select), why);
  }

  /** Return the fields for the edition's further choices, if it has any. */
  #fields() {
    return Object.entries(this.edition?.fields ?? {}).map(([name, values]) => {
      const words = W.lobby.fields[name] ?? { label: name };
      const select = h("select", { onchange: () => (select.value ? (this.fields[name] = select.value) : delete this.fields[name]) },
        ...["", ...values].map((value) => h("option", { value, selected: value === (this.fields[name] ?? "") }, value ? words[value] ?? value : words.none ?? "–")));
      return h("label", { class: "lobby-where" }, words.label, select);
    });
  }

  /** Drop choices that the chosen edition does not have. */
  #keepFields() {
    const allowed = (name, value) => this.edition.fields[name]?.includes(value);
    this.fields = Object.fromEntries(Object.entries(this.fields).filter(([name, value]) => allowed(name, value)));
  }

  #player(at) {
    const player = this.players[at];
    const color = h("select", { "aria-label": W.lobby.color, onchange: () => this.#recolor(at, color.value) },
      ...this.edition.colors.map((one) => h("option", { value: one, selected: one === player.color }, sentenceCase(W.colors[one] ?? one))));
    const earlier = h("button", { type: "button", disabled: at === 0, onclick: () => this.#move(at) }, "↑");
    const remove = h("button", { type: "button", disabled: this.edition.everybody || this.players.length < 2, onclick: () => this.#remove(at) }, "✕");
    const named = (text) => {
      player.name = text;
      earlier.setAttribute("aria-label", `${W.lobby.earlierSeat}: ${called(player)}`);
      remove.setAttribute("aria-label", `${W.lobby.remove}: ${called(player)}`);
    };
    named(player.name);
    const name = nameField({ "aria-label": W.lobby.name, placeholder: colorName(player.color), value: player.name, onName: named });
    const dot = h("span", { class: "lobby-dot", style: `background: var(--${player.color}, ${player.color})` });
    return h("div", { class: "lobby-row" }, dot, color, name, earlier, remove);
  }

  /** Change the colour of a player. A player who had it gets the old one. */
  #recolor(at, color) {
    const player = this.players[at];
    const before = player.color;
    const other = this.players.find((one) => one.color === color && one !== player);
    if (other) other.color = before;
    player.color = color;
    this.#draw();
  }

  #move(at) {
    [this.players[at - 1], this.players[at]] = [this.players[at], this.players[at - 1]];
    this.#draw();
  }

  #remove(at) {
    this.players.splice(at, 1);
    this.#draw();
  }

  #more() {
    const free = (this.edition?.colors ?? []).find((color) => !this.players.some((player) => player.color === color));
    if (!free) return null;
    return h("button", { type: "button", onclick: () => { this.players.push({ color: free, name: this.#nameOf(free) }); this.#draw(); } }, W.lobby.morePlayers);
  }

  #cameras() {
    const known = [["phone", W.lobby.phone], ...this.lobby.cameras.map((one) => [one.source, one.pack ? W.lobby.sample(one.title) : one.title])];
    const other = !known.some(([source]) => source === this.camera);
    const choice = (source, text, checked, onchange) => h("label", { class: "lobby-choice" },
      h("input", { type: "radio", name: "camera", value: source, checked, onchange }), h("span", {}, text), this.#still(source));
    const where = h("input", { id: "form-where", value: other ? this.camera : "", placeholder: W.lobby.wherePlaceholder, autocomplete: "off", spellcheck: "false", required: true, oninput: () => (this.camera = where.value) });
    return [
      ...known.map(([source, text]) => choice(source, text, source === this.camera, () => this.#film(source))),
      choice("", W.lobby.elsewhere, other, () => { this.preview.stop(); this.camera = ""; this.#draw(); }),
      other ? h("label", { class: "lobby-where" }, W.lobby.where, where) : null,
      this.camera === "phone" ? h("p", { class: "lobby-quiet" }, W.framing.phone) : h("button", { type: "button", onclick: () => this.#look() }, W.framing.look),
      this.#isCamera() ? h("button", { type: "button", onclick: () => this.#calibrate() }, W.calibrate.open) : null,
      this.preview.element,
    ].filter(Boolean);
  }

  /** Show the preview of the chosen camera, with the edition to be played. */
  #look() {
    if (this.camera.trim()) this.preview.look(this.camera.trim(), this.sleeping ? null : this.edition?.pack ?? null);
  }

  /** Whether the chosen camera can be calibrated: it is neither a phone nor a sample. */
  #isCamera() {
    return this.camera !== "phone" && !this.lobby.cameras.some((one) => one.pack && one.source === this.camera);
  }

  #calibrate() {
    this.preview.stop();
    const camera = this.camera.trim();
    if (camera) this.way.calibrate({ camera, edition: this.sleeping ? null : this.edition?.pack ?? null, colors: this.players?.map((player) => player.color) ?? [] });
  }

  /** Return the still of a connected camera, requested once. */
  #still(source) {
    if (!/^[0-9]+$/.test(source)) return null;
    if (!this.stills.has(source)) this.stills.set(source, still(this.way.ask, source));
    return this.stills.get(source);
  }

  /** Return a button for the recognised edition, if it is not the chosen one. */
  #fitting(pack) {
    const edition = this.lobby.editions.find((one) => one.pack === pack);
    if (!edition || this.sleeping || pack === this.edition?.pack) return null;
    return h("p", {}, W.framing.fits(editionTitle(edition)), " ", h("button", { type: "button", onclick: () => this.#choose(edition) }, W.framing.take));
  }

  /** Choose another camera. A sample determines game and players. */
  #film(source) {
    this.preview.stop();
    this.camera = source;
    const sample = this.lobby.cameras.find((one) => one.source === source && one.pack);
    const edition = this.lobby.editions.find((one) => one.pack === sample?.pack);
    if (sample && edition && !this.sleeping) {
      this.own ??= this.players;
      Object.assign(this, { edition, rules: null, fields: {}, players: sample.players.map((player) => ({ ...player })) });
    } else if (this.own) {
      this.players = this.own.filter((player) => this.edition.colors.includes(player.color));
      this.own = null;
    }
    this.#draw();
  }

  async #send(event) {
    event.preventDefault();
    if (!checkNames(this.sheet, { focus: true })) return;
    this.start.disabled = true;
    try {
      const table = this.sleeping
        ? await this.way.takeUp(this.sleeping, this.camera.trim())
        : await this.way.begin({ pack: this.edition.pack, players: this.players.map(({ color, name }) => ({ color, name: givenName(name, color) })), camera: this.camera.trim(), rules: this.rules, fields: this.fields, keep_labels: this.labels.control.checked, discs: this.discs.control.checked });
      this.sheet.close();
      this.way.done(table);
    } catch (error) {
      this.problem.textContent = error.message;
    } finally {
      this.start.disabled = false;
    }
  }
}
