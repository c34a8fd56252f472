// Sounds for people who do not look at the screen: a tone and a spoken sentence for problems, questions and scores.

import { victory } from "./final.js";
import { keep, recall } from "./store.js";
import { firstAsked } from "./to_check.js";
import { W, kindName, list, namesOf, phrase } from "./words.js";

const STORE = "tilesight-voice";
const CALM_MS = 1200; // changes within this time are spoken once, in their last state
const TONES = { fault: [[330, 0, 0.16], [233, 0.17, 0.3]], question: [[523, 0, 0.12], [659, 0.13, 0.2]], score: [[784, 0, 0.1]] };

export class Voice {
  /** sound: whether tones are on by default; scoreTone: the tone for points, null for none. */
  constructor({ sound = false, scoreTone = "score" } = {}) {
    this.scoreTone = scoreTone;
    this.on = { sound, speak: false, ...JSON.parse(recall(STORE) ?? "{}") };
    this.sound = null;
    this.before = null;
    this.timer = 0;
    // Browsers allow sound only after the page was touched.
    addEventListener("pointerdown", () => this.#wake(), { once: true });
  }

  /** Switch "sound" or "speak" on or off. */
  turn(what, on) {
    this.on[what] = on;
    keep(STORE, JSON.stringify(this.on));
    this.#wake();
    if (on && what === "sound") this.#tone("question");
    if (on && what === "speak") this.#say(W.said.ready);
    if (!on && what === "speak") window.speechSynthesis?.cancel();
  }

  /** Speak what is new since the last state, once nothing has changed for a moment. */
  update(state) {
    if (!this.before) {
      this.before = news(state);
      return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#tell(state), CALM_MS);
  }

  #tell(state) {
    const now = news(state);
    const fresh = (part) => [...now[part]].filter(([key]) => !this.before[part].has(key)).map(([, said]) => said);
    const [faults, questions, scores] = ["faults", "questions", "scores"].map(fresh);
    this.before = now;
    if (faults.length) this.#tone("fault");
    else if (questions.length) this.#tone("question");
    else if (scores.length && this.scoreTone) this.#tone(this.scoreTone);
    for (const said of [...faults, ...questions, ...scores]) this.#say(said);
  }

  #say(text) {
    if (!this.on.speak || !window.speechSynthesis) return;
    speechSynthesis.speak(Object.assign(new SpeechSynthesisUtterance(text), { lang: W.code }));
  }

  #wake() {
    if (!this.on.sound || !window.AudioContext) return;
    this.sound ??= new AudioContext();
    this.sound.resume();
  }

  /** Play a camera's click: two short bursts of noise. */
  shutter() {
    if (!this.on.sound || !this.sound) return;
    for (const after of [0, 0.09]) {
      const length = Math.round(0.05 * this.sound.sampleRate);
      const noise = this.sound.createBuffer(1, length, this.sound.sampleRate);
      noise.getChannelData(0).forEach((_, i, all) => { all[i] = 0.6 * (Math.random() * 2 - 1) * (1 - i / all.length) ** 2; });
      const burst = new AudioBufferSourceNode(this.sound, { buffer: noise });
      burst.connect(this.sound.destination);
      burst.start(this.sound.currentTime + after);
    }
  }

  #tone(name) {
    if (!this.on.sound || !this.sound) return;
    for (const [hertz, after, seconds] of TONES[name]) {
      const start = this.sound.currentTime + after;
      const loud = new GainNode(this.sound, { gain: 0 });
      const tone = new OscillatorNode(this.sound, { type: "triangle", frequency: hertz });
      loud.gain.linearRampToValueAtTime(0.3, start + 0.015);
      loud.gain.exponentialRampToValueAtTime(0.001, start + seconds);
      tone.connect(loud).connect(this.sound.destination);
      tone.start(start);
      tone.stop(start + seconds);
    }
  }
}

/** Return what there is to say, by a key that is the same for the same thing. */
function news(state) {
  const names = namesOf(state);
  const unclear = state.camera.seeing === "unclear" ? [state.camera] : [];
  const faults = (state.faults.length ? state.faults : unclear).map((fault) => phrase(fault.said, fault.message));
  // Points of a turn that is being asked about may still change.
  const open = new Set(state.questions.map((question) => question.turn));
  const asked = firstAsked(state);
  const scores = state.events.filter((event) => event.points && !open.has(event.turn)).map((event) => [JSON.stringify(event),
    W.said.scores(names[event.player] ?? event.player, W.counts.points(event.points), kindName(event.kind))]);
  if (state.final) scores.push(["end", W.said.wins(victory(state))]);
  return {
    faults: new Map(faults.length ? [[faults.join(), W.said.illegal(list(faults))]] : []),
    questions: new Map(asked ? [[asked.id, W.said.asked(phrase(asked.said, asked.text))]] : []),
    scores: new Map(scores),
  };
}
