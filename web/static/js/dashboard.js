// The part of a dashboard that is the same for every game: follows the table, draws everything around the board, and
// sends commands.

import { command, forgetKey, keepKey, remembers, rightsOf, takeKey } from "./api.js";
import { CameraCard } from "./camera_card.js";
import { showClocks } from "./clock.js";
import { byId } from "./dom.js";
import { closeEnding, openEnding } from "./ending.js";
import { FramingNote } from "./framing_note.js";
import { HistoryCard } from "./history_card.js";
import { Log } from "./log.js";
import { JoinCard } from "./join_card.js";
import { takeLobby } from "./lobby_link.js";
import { openMenu } from "./menu.js";
import { openOpening } from "./opening_sheet.js";
import { Panel } from "./panel.js";
import { openPlayer } from "./player_sheet.js";
import { openPlayers } from "./players_sheet.js";
import { Questions } from "./questions.js";
import { Rest } from "./rest.js";
import { Scores } from "./scores.js";
import { listen } from "./stream.js";
import { Table } from "./table.js";
import { Timeline } from "./timeline.js";
import { Toasts } from "./toasts.js";
import { ToCheck, closedWords } from "./to_check.js";
import { Voice } from "./voice.js";
import { W, fillWords, isBlind, seeing, told } from "./words.js";

const AWAY_MS = 4000;

export class Dashboard {
  role = null; // what the held key allows: "player", "host", or null without a key
  hints = false; // whether holders of a key get hints
  labels = false; // whether pieces of this game's pictures may be kept
  #linked = false;
  #link = "connecting"; // state of the event stream
  #trouble = null; // error of the last fetch or drawing, unless the connection was lost
  #away = 0; // timer until the message that the table is unreachable
  #wasOver = null;
  #closed = null; // ids of the closed questions that were already announced

  /**
   * draw(state, pack) draws the board and what else is special to the game. showSpot(spot) highlights a feature. openTurn(number, about) opens the sheet
   * of a turn, enterTurn({tile, cell}, about) that of a missing turn, insertTurn(number, about) that of a new turn
   * before another. `scores`, `log`, `voice`, `packOf` are options of `Scores`, `Log`, `Voice`, `Table`. wrong(state)
   * returns the violations of the rules, `worrying` are the camera states that deserve a note, missing(camera) is
   * whether the camera sees a turn that is not recorded. `fixedOrder`: the rules determine the turn order.
   */
  constructor({ draw, showSpot = () => {}, openTurn, enterTurn = () => {}, insertTurn = null, missing = () => false, scores, log, voice, packOf, wrong = (now) => now.faults, worrying = ["unclear", "lost"], fixedOrder = false }) {
    Object.assign(this, { draw, showSpot, openTurn, wrong, worrying, missing, fixedOrder });
    this.enterTurn = (known) => enterTurn(known, this.about);
    this.table = new Table(() => this.update(), (error) => this.#onTrouble(error), packOf);
    this.toasts = new Toasts(byId("toasts"));
    this.voice = new Voice({ ...voice, deed: (turn, shown) => this.log.deed(turn, shown), onChange: () => this.#offerVoice() });
    this.cameraCard = new CameraCard(byId("camera-card"), () => this.update());
    this.joinCard = new JoinCard(byId("join-card"), () => this.update());
    this.framingNote = new FramingNote(byId("framing-note"));
    this.rest = new Rest(() => ["do-undo", "do-redo"].forEach((id) => (byId(id).ariaDisabled = String(this.rest.on))));
    this.panel = new Panel(byId("panel"), byId("panel-handle"), byId("panel-handle-text"));
    this.scores = new Scores(byId("scores"), (color) => this.#openPlayer(color), scores);
    this.history = new HistoryCard(byId("history"), {
      onEnter: (line) => this.enterTurn(line),
      onInsert: insertTurn && ((number) => insertTurn(number, this.about)),
      onLetGo: () => this.send("correct", { let_go: true }).catch(() => {}),
      onUndo: () => this.#step("undo"),
    });
    this.questions = new Questions(byId("questions"), {
      onAnswer: (question, option) => this.send("answer", { question, option }),
      onOrder: (turn, order) => this.send("correct", { turn, order }),
      onOther: (turn) => this.lookAtTurn(turn),
      onOpening: () => openOpening(this.about),
    });
    this.timeline = new Timeline(byId("timeline"), (turn) => this.table.look(turn).catch((error) => this.#failed(error)));
    this.log = new Log(byId("log"), byId("chart"), { points: byId("log-points"), all: byId("log-all"), chart: byId("log-chart") }, {
      onTurn: (turn) => this.lookAtTurn(turn),
      ...log,
    });
    this.toCheck = new ToCheck(byId("to-check"), {
      onQuestion: (id) => this.questions.choose(id),
      onTurn: (turn, { strange }) => this.openTurn(turn, this.about, { describe: strange && this.about.mayCorrect }),
      deed: this.log.deed,
    });
  }

  /** Fetch the table and follow it. */
  async start() {
    fillWords();
    takeLobby();
    for (const report of document.querySelectorAll('a[href^="api/report"]')) report.search = `?lang=${W.code}`;
    this.#hearButtons();
    addEventListener("hashchange", () => this.#join());
    if (remembers) navigator.serviceWorker?.register("/sw.js").catch((error) => console.info("no home-screen app", error.message));
    this.#offerVoice();
    this.table.recallSoon();
    await Promise.all([this.#join(), this.table.refresh()]);
    listen({
      after: this.table.now?.last_event_id ?? 0,
      onEvent: ({ type }) => (type === "access" ? this.#join() : this.table.refresh()),
      onLink: (link) => this.#showLink(link),
      poll: () => this.table.poll(),
    });
  }

  /** Whether the held key allows changes. */
  get mayChange() {
    return this.role !== null;
  }

  /** The options of sheets, always for the current state. */
  get about() {
    const { now, pack, before } = this.table;
    return { state: now, pack, before, mayChange: this.mayChange, mayCorrect: this.mayChange && now.can_correct, onCorrect: (body) => this.correct(body) };
  }

  lookAtTurn(number) {
    this.openTurn(number, this.about);
  }

  /** Send a command. An error is shown and thrown. */
  async send(name, body) {
    try {
      await command(name, body);
      await this.table.refresh();
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  /** Undo or redo (`name`) what the page shows; the table refuses if the game has changed meanwhile. */
  #step(name) {
    if (!this.rest.on) this.send(name, this.rest.tap()).catch(() => {});
  }

  async correct(body) {
    const added = body.insert || body.turn > this.table.now.turns.length;
    await this.send("correct", body);
    this.toasts.show(added ? W.notes.added : W.notes.saved, "", { key: "command" });
  }

  /** Draw the displayed state of the table. */
  update() {
    const { now, shown: state, pack, at, recalled } = this.table;
    document.body.dataset.phase = state.phase;
    document.title = state.title ? `${state.title} · Tilesight` : "Tilesight";
    byId("table-title").textContent = state.title;
    byId("board-sample").hidden = !state.rendered;
    const past = at === null ? (recalled ? W.time.recalled : "") : W.time.past(at);
    byId("board-past").hidden = !past;
    byId("board-past").textContent = past;
    this.#showCamera(now);
    this.draw(state, pack);
    this.scores.update(state, pack);
    showClocks(state);
    this.history.update(now, pack, this.about.mayCorrect);
    this.questions.update(now, pack, this.mayChange);
    this.cameraCard.update(this.role === "host" && now.phase !== "over" && isBlind(now.camera));
    this.joinCard.update(this.role === "host" && now.phase !== "over" && !now.turns.length && !now.questions.length && !this.cameraCard.isShown);
    byId("panel").dataset.asking = now.questions.length > 0 || Boolean(now.history) || this.cameraCard.isShown || this.joinCard.isShown;
    this.toCheck.update(now, pack);
    this.#announceClosed(now.closed ?? []);
    this.log.update(state, pack);
    this.timeline.update(now.turns.length, at);
    this.rest.drawn(now.entry);
    this.#showCommands(now);
    this.#warn(now.camera);
    if (!recalled) this.voice.update({ ...now, faults: this.wrong(now) }, pack);
    const over = now.phase === "over";
    if (over && this.#wasOver === false) this.#end(now);
    if (!over) closeEnding();
    this.#wasOver = over;
  }

  /** Offer a button where the browser speaks only after a touch. */
  #offerVoice() {
    const { blocked, on } = this.voice;
    if (blocked) this.toasts.show(W.voice.silent, W.voice.silentWhy, { key: "voice", lasting: true, way: { label: W.voice.turnOn, go: () => this.voice.turn("speak", on.speak) } });
    else this.toasts.clear("voice");
  }

  /** Announce why a question closed without an answer. */
  #announceClosed(closed) {
    const known = this.#closed;
    this.#closed = new Set(closed.map((one) => one.id));
    const fresh = known ? closed.filter((one) => !known.has(one.id) && one.why !== "answered") : [];
    if (fresh.length) this.toasts.show(W.check.closedNow, fresh.map((one) => `${closedWords(one)}– ${W.check.why[one.why]}.`).join(" "), { key: "closed" });
  }

  /** Show the end of the game. A game that was aborted has no winner. */
  #end(now) {
    this.panel.open(true);
    if (now.final && now.finished !== false) openEnding(now);
  }

  #showCommands(now) {
    byId("commands").hidden = !this.mayChange || !(now.can_undo || now.can_redo || now.can_end || now.can_correct);
    byId("more-commands").hidden = byId("commands").hidden;
    byId("reader").hidden = this.mayChange;
    byId("do-undo").disabled = !now.can_undo;
    byId("do-redo").disabled = !now.can_redo;
    byId("do-end").disabled = !now.can_end;
    byId("do-add").disabled = !now.can_correct;
    byId("do-pause").disabled = !now.can_end;
    byId("do-pause").textContent = now.paused ? W.pause.resume : W.pause.pause;
    byId("do-players").disabled = !now.can_correct;
  }

  /**
   * Announce a problem with the camera once: as a note over the board, or in the chip. Not after the end of the game.
   */
  #warn(camera) {
    const { paused, phase } = this.table.now;
    const over = phase === "over";
    const worried = !paused && !over && this.worrying.includes(camera.seeing) && !this.cameraCard.isShown;
    const way = this.missing(camera) && this.about.mayCorrect ? { label: W.edit.enter(camera.cells.length), go: () => this.enterTurn({}) } : null;
    byId("camera").hidden = over || worried || this.cameraCard.isShown;
    this.framingNote.update(camera, this.mayChange && !over && !isBlind(camera));
    if (!worried) {
      this.toasts.clear("camera");
      return;
    }
    const title = seeing({ ...camera, blind: isBlind(camera), message: "", frame: null });
    const why = told(camera.said, camera.message);
    this.toasts.show(title, why === title ? "" : why, { key: "camera", lasting: true, way });
  }

  #showCamera(now) {
    byId("camera").dataset.seeing = now.paused ? "paused" : now.camera.seeing;
    byId("camera-text").textContent = now.paused ? W.pause.on : seeing(now.camera);
  }

  #failed(error) {
    if (error.status === 403) {
      this.#dropKey();
      return;
    }
    this.toasts.show(W.notes.failed, told(error.said, error.message), { kind: "fault", key: "command" });
  }

  #openPlayer(color) {
    const shown = { ...this.about, shown: this.table.shown };
    openPlayer(color, { ...shown, onName: (body) => this.send("seat", body), onSpot: (spot) => this.#showSpot(spot), onEvent: (event) => this.log.show(event) });
  }

  #showSpot(spot) {
    if (this.panel.isOpen) this.panel.open(false); // a phone's panel covers the board
    this.showSpot(spot);
  }

  async #seat(players) {
    await command("seats", { players });
    await this.table.refresh();
  }

  /** Handle a failed fetch or drawing: the page must not say "Live". */
  #onTrouble(error) {
    this.#trouble = error?.status === 0 ? null : error; // a lost connection is shown by the stream
    this.#drawLink();
    if (this.#trouble) this.toasts.show(W.notes.broken, W.notes.brokenWhy(this.#trouble.status ?? null), { kind: "fault", key: "trouble", lasting: true });
    else this.toasts.clear("trouble");
  }

  #drawLink() {
    const link = this.#trouble ? "fault" : this.#link;
    byId("connection").dataset.link = link;
    byId("connection-text").textContent = W.link[link];
  }

  /** Warn that a reload would lose the page if the table is unreachable and no service worker has cached it. */
  #warnUnreachable(link) {
    clearTimeout(this.#away);
    if (link === "live" || link === "polling") this.toasts.clear("away");
    else if (link === "lost" && remembers && !navigator.serviceWorker) this.#away = setTimeout(() => this.toasts.show(W.notes.away, W.notes.awayWhy, { key: "away", lasting: true }), AWAY_MS);
  }

  #showLink(link) {
    this.#link = link;
    this.#drawLink();
    this.#warnUnreachable(link);
    // During the outage, more may have happened than the table's kept events.
    if (link === "live" && this.#linked) {
      this.table.refresh();
      this.#join(); // a table that was started again may allow other things
    }
    this.#linked ||= link === "live";
  }

  #hearButtons() {
    byId("menu").addEventListener("click", () => openMenu({ voice: this.voice, role: this.role, labels: this.labels, onKey: (key) => this.#tryKey(key) }));
    byId("do-undo").addEventListener("click", () => this.#step("undo"));
    byId("do-redo").addEventListener("click", () => this.#step("redo"));
    byId("do-add").addEventListener("click", () => this.lookAtTurn(this.table.now.turns.length + 1));
    byId("do-pause").addEventListener("click", () => this.send("pause", { paused: !this.table.now.paused }).catch(() => {}));
    byId("do-players").addEventListener("click", () => openPlayers(this.table.now, { fixedOrder: this.fixedOrder, onSave: (players) => this.#seat(players) }));
    byId("do-end").addEventListener("click", () => {
      if (!confirm(W.notes.end)) return;
      byId("do-end").disabled = true; // the second click of a double click ends nothing
      this.send("end").catch(() => (byId("do-end").disabled = false));
    });
  }

  /** Try a key that was typed in, and close its sheet if it is valid. */
  async #tryKey(key) {
    keepKey(key);
    await this.#join();
    if (this.mayChange) document.querySelector("dialog.sheet")?.close();
  }

  async #join() {
    const key = takeKey();
    if (!key) return;
    const before = this.role;
    try {
      const rights = await rightsOf(key);
      this.role = rights?.role ?? null;
      this.hints = Boolean(rights?.hints);
      this.labels = Boolean(rights?.keep_labels);
    } catch {
      return; // unreachable: the next connection tries again
    }
    if (this.role) {
      if (this.table.now) this.update();
    } else this.#dropKey(before);
  }

  /** Forget the key, which is not valid or no longer valid. */
  #dropKey(before = this.role) {
    this.role = null;
    this.hints = this.labels = false;
    forgetKey();
    this.toasts.show(before ? W.notes.oldKey : W.notes.badKey, before ? W.notes.oldKeyWhy : W.notes.badKeyWhy, { key: "key", lasting: Boolean(before) });
    if (this.table.now) this.update();
  }
}
