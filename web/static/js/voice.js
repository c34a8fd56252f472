// Announcer, for people who do not look at the screen. It speaks turns and points, and plays a tone or buzzes when people
// should look. The settings are stored on this device.

import { ownName } from "./api.js";
import { firstAsked, lineOf } from "./doubt.js";
import { victory } from "./final.js";
import { keep, recall } from "./store.js";
import { buzz, shutter, tone, wake } from "./tones.js";
import { W, kindName, list, namesOf, phrase } from "./words.js";

const STORE = "tilesight-voice";
const CALM_MS = 1200; // changes within this time are spoken once, in their last state

/** Kinds of news that are spoken at each level; at the level "" none is. */
const LEVELS = {
  points: ["points", "end"],
  turns: ["turn", "points", "end", "next"],
  all: ["fault", "question", "turn", "points", "end", "next"],
};
export const SPOKEN = ["", ...Object.keys(LEVELS)];
const PASSING = ["fault", "question"]; // kinds that are told again if they come back; a redone turn is not told again

/** Return the level that an address asks for with ?speak=; 1 means everything. */
export function askedLevel() {
  const asked = new URLSearchParams(location.search).get("speak");
  return asked === "1" ? "all" : asked in LEVELS ? asked : "";
}

export class Voice {
  /**
   * deed(turn, pack) returns a turn in words. sound: whether tones are on by default; scoreTone: the tone for points,
   * null for none. speak: a fixed level for a page without settings; such a page plays no tones and does not buzz.
   * onChange() is called when a setting, `blocked` or `refused` changes. `blocked`: the browser probably allows no
   * speech before a touch; `refused`: it has refused to speak.
   */
  constructor({ deed, sound = false, scoreTone = "score", speak = null, onChange = () => {} }) {
    Object.assign(this, { deed, scoreTone, onChange });
    this.kept = speak === null;
    this.on = this.kept ? { sound, buzz: false, speak: "", ...JSON.parse(recall(STORE) ?? "{}") } : { sound: false, buzz: false, speak };
    if (this.on.speak === true) this.on.speak = "all"; // kept by an older version
    this.blocked = Boolean(this.on.speak) && navigator.userActivation?.hasBeenActive === false;
    this.refused = false;
    this.told = null; // keys of the news that were told
    this.timer = 0;
    addEventListener("click", () => this.#touched(), { once: true });
  }

  /** Change a setting: "sound" and "buzz" are on or off, "speak" has a level. */
  turn(what, to) {
    this.on[what] = to;
    if (this.kept) keep(STORE, JSON.stringify(this.on));
    if (this.on.sound) wake();
    if (what === "sound" && to) tone("question");
    if (what === "buzz" && to) buzz("turn");
    if (what === "speak") {
      if (to) this.#say([W.said.ready]);
      else window.speechSynthesis?.cancel();
      this.#block(false);
    }
  }

  /** Speak what is new since the last state, once nothing has changed for a moment. */
  update(state, pack) {
    const items = news(state, (turn) => this.deed(turn, pack));
    if (!this.told) {
      this.told = new Set(items.map(({ key }) => key));
      return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#tell(items, state), CALM_MS);
  }

  /** Tell what is new. Of several turns at once, as after an outage, only the last one is. */
  #tell(items, state) {
    const fresh = items.filter(({ key }) => !this.told.has(key));
    const newest = Math.max(...fresh.map(({ turn }) => turn ?? 0));
    const now = fresh.filter(({ kind, turn }) => turn === null || (turn === newest && (kind !== "turn" || turn === state.turns.length)));
    const still = new Set(items.map(({ key }) => key));
    this.told = new Set([...[...this.told].filter((key) => still.has(key) || !PASSING.includes(key.split(" ")[0])), ...still]);
    const has = (what) => now.some(({ kind }) => kind === what);
    const own = has("next") && ownName().trim() !== "" && namesOf(state)[state.player]?.toLowerCase() === ownName().trim().toLowerCase();
    const sign = has("fault") ? "fault" : has("question") ? "question" : own ? "turn" : has("points") ? this.scoreTone : null;
    if (sign && this.on.sound) tone(sign);
    if (sign && this.on.buzz) buzz(sign);
    this.#say(now.filter(({ kind }) => LEVELS[this.on.speak]?.includes(kind)).map(({ said }) => said()));
  }

  /** Speak these sentences. What was not spoken yet is dropped: it is not news any more. */
  #say(sentences) {
    if (!sentences.length || !this.on.speak || !window.speechSynthesis) return;
    if (speechSynthesis.pending || speechSynthesis.speaking) speechSynthesis.cancel();
    for (const sentence of sentences) {
      const onerror = ({ error }) => error === "not-allowed" && this.#block(true);
      speechSynthesis.speak(Object.assign(new SpeechSynthesisUtterance(sentence), { lang: W.code, onstart: () => this.#block(false), onerror }));
    }
  }

  #touched() {
    if (this.on.sound) wake();
    // Some phones speak later only if a text, even an empty one, was spoken at a touch.
    if (this.blocked) this.#say([" "]);
    this.#block(false);
  }

  #block(blocked) {
    this.blocked = this.refused = blocked && Boolean(this.on.speak);
    this.onChange();
  }

  /** Play a camera's click, if sounds are on. */
  shutter() {
    if (this.on.sound) shutter();
  }
}

/**
 * Return the items to tell, in the order of speaking. `key` identifies an item; `turn` is the number of the turn that
 * it tells or that gave the points, else null; said() returns its sentence.
 */
function news(state, deed) {
  const names = namesOf(state);
  const name = (color) => names[color] ?? color;
  const items = [];
  const add = (kind, key, said, turn = null) => items.push({ kind, key: `${kind} ${key}`, said, turn });
  const unclear = state.camera.seeing === "unclear" ? [state.camera] : [];
  const faults = (state.faults.length ? state.faults : unclear).map((fault) => phrase(fault.said, fault.message));
  if (faults.length) add("fault", faults.join(), () => W.said.illegal(list(faults)));
  const asked = firstAsked(state);
  if (asked) add("question", asked.id, () => W.said.asked(phrase(asked.said, asked.text)));
  // Leave out a turn that a question is open about: it may still change, and so may its points.
  const open = new Set(state.questions.map((question) => question.turn));
  for (const turn of state.turns.filter(({ turn: number }) => !open.has(number))) {
    add("turn", `${turn.turn} ${JSON.stringify(lineOf(turn))}`, () => `${name(turn.player)} ${deed(turn)}.`, turn.turn);
  }
  for (const event of state.events.filter(({ points, turn }) => points && !open.has(turn))) {
    const why = phrase(event.said, event.why);
    add("points", JSON.stringify(event), () => W.said.scores(name(event.player), W.counts.points(event.points), kindName(event.kind) + (why ? `: ${why}` : "")), event.turn);
  }
  if (state.final) {
    const result = state.finished === false ? W.squares.brokenOff : victory(state);
    add("end", result, () => W.said.wins(result));
  } else if (state.player && state.phase === "playing" && !state.paused) {
    const { length } = state.turns;
    add("next", `${length} ${state.player}`, () => (length ? W.squares.next(name(state.player)) : W.turn.begins(name(state.player))));
  }
  return items;
}
