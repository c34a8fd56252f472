// Pages without controls: the overlay of a stream, and the big screen of a living room or club, which shows board, scores
// and last turn in letters readable from four metres.

import { clock, showClocks } from "./clock.js";
import { byId, h } from "./dom.js";
import { victory, winnersOf } from "./final.js";
import { meepleIcon } from "./meeple.js";
import { isOverlay, showsBoard, takeLook } from "./overlay.js";
import { listen } from "./stream.js";
import { Table } from "./table.js";
import { Voice, askedLevel } from "./voice.js";
import { W, fillWords, isBlind, seeing } from "./words.js";

const GAIN_MS = 8000;
const ROWS_AT_LEAST = 3; // with fewer players the letters do not become larger

export class BigScreen {
  #link = "connecting";
  #trouble = false;
  #before = null; // the scores that were displayed before
  #announcer = h("button", { type: "button", class: "plain tv-voice", onclick: () => this.voice.turn("speak", this.voice.on.speak && !this.voice.blocked ? "" : askedLevel()) });

  /**
   * drawBoard(state, pack) draws the board, drawTurn(room, state, pack) the last turn. fact(state) returns the progress
   * of the game. inside(player, state) returns what is below a player's name, deed(turn, pack) what a turn did in words,
   * wrong(state) the violations of the rules; packOf is that of `Table`.
   */
  constructor({ drawBoard, drawTurn, fact, deed, inside = () => [], wrong = (now) => now.faults, packOf }) {
    Object.assign(this, { drawBoard, drawTurn, fact, inside, wrong });
    this.voice = new Voice({ deed, speak: askedLevel(), onChange: () => this.#offerVoice() });
    this.table = new Table(() => this.update(), (error) => this.#troubled(error), packOf);
  }

  /** Fetch the table and follow it. */
  async start() {
    fillWords();
    if (isOverlay) takeLook();
    byId("board").removeAttribute("tabindex"); // there is no keyboard
    if (askedLevel()) {
      byId("fact").after(this.#announcer);
      this.#offerVoice();
    }
    await this.table.refresh();
    listen({
      after: this.table.now?.last_event_id ?? 0,
      onEvent: () => this.table.refresh(),
      onLink: (link) => {
        const again = link === "live" && this.#link !== "connecting";
        this.#link = link;
        this.#notice();
        if (again) this.table.refresh();
      },
      poll: () => this.table.poll(),
    });
  }

  update() {
    const { now: state, pack } = this.table;
    document.body.dataset.phase = state.phase;
    document.title = `${state.title || "Tilesight"} · ${W.tv.title}`;
    byId("table-title").textContent = state.title || "Tilesight";
    byId("fact").textContent = state.phase === "over" ? "" : this.fact(state);
    if (showsBoard()) this.drawBoard(state, pack);
    this.drawTurn(byId("last-turn"), state, pack);
    this.#showScores(state);
    this.#showWinner(state);
    this.voice.update({ ...state, faults: this.wrong(state) }, pack);
    this.#notice();
  }

  /** Label the announcer's button. A stream shows it only where the browser refuses to speak. */
  #offerVoice() {
    const { on, blocked } = this.voice;
    const speaks = on.speak && !blocked;
    this.#announcer.textContent = speaks ? W.voice.mute : W.voice.turnOn;
    this.#announcer.hidden = isOverlay && !this.voice.refused;
  }

  #showScores(state) {
    const scores = state.final ? state.final.scores : Object.fromEntries(state.players.map((p) => [p.color, p.score]));
    const best = Math.max(...Object.values(scores));
    byId("tv-scores").style.setProperty("--rows", Math.max(ROWS_AT_LEAST, state.players.length));
    const players = state.final ? [...state.players].sort((a, b) => scores[b.color] - scores[a.color]) : state.players;
    const rows = players.map((player) => {
      const score = scores[player.color];
      const onTurn = state.player === player.color;
      return h("li", { class: `tv-score ink-${player.color}`, "data-color": player.color, "data-turn": `${onTurn}`, "data-leads": `${best > 0 && score === best}` },
        meepleIcon(player.color, W.colors[player.color] ?? player.color),
        h("span", { class: "tv-name" }, player.name, onTurn ? h("span", { class: "hidden" }, `, ${W.turn.toPlay}`) : ""),
        clock.on.shown ? h("span", { class: "tv-clock", "data-clock": player.color }) : "",
        h("span", { class: "tv-gains" }),
        h("strong", {}, `${score}`),
        ...this.inside(player, state));
    });
    const kept = new Map([...byId("tv-scores").querySelectorAll(".tv-gain")].map((flag) => [flag.closest("li").dataset.color, flag]));
    byId("tv-scores").replaceChildren(...rows);
    for (const row of rows) {
      const { color } = row.dataset;
      const gain = this.#before ? scores[color] - (this.#before[color] ?? scores[color]) : 0;
      const flag = gain ? gainFlag(gain) : kept.get(color);
      if (flag) row.querySelector(".tv-gains").append(flag);
    }
    this.#before = scores;
    showClocks(state);
  }

  /** Show the winner. A game that was aborted has none. */
  #showWinner(state) {
    const room = byId("tv-winner");
    room.hidden = !state.final;
    if (!state.final) return;
    const winners = state.finished === false ? [] : winnersOf(state);
    room.replaceChildren(
      h("div", { class: "tv-winners" }, ...winners.map((player) => meepleIcon(player.color))),
      h("h2", {}, state.finished === false ? W.squares.brokenOff : victory(state)));
  }

  /** Show what people at the table should see to, if anything. */
  #notice() {
    const { now } = this.table;
    const said = this.#trouble || this.#link === "lost" ? W.link.lost : now ? worry(now) : "";
    byId("tv-notice").hidden = !said;
    byId("tv-notice").textContent = said;
  }

  #troubled(error) {
    this.#trouble = error !== null;
    this.#notice();
  }
}

function worry(state) {
  if (state.phase === "over") return "";
  if (state.paused) return W.pause.on;
  if (state.questions.length) return W.tv.asks;
  return ["lost", "unclear"].includes(state.camera.seeing) ? seeing({ ...state.camera, blind: isBlind(state.camera), message: "", frame: null }) : "";
}

function gainFlag(gain) {
  const flag = h("span", { class: "tv-gain" }, `${gain > 0 ? "+" : "−"}${Math.abs(gain)}`);
  setTimeout(() => flag.remove(), GAIN_MS);
  return flag;
}
