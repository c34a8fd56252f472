// Tones and buzzes, made by the browser: there are no sound files.

// Each tone is a list of notes: hertz, seconds until it starts, seconds that it lasts.
const TONES = {
  fault: [[330, 0, 0.16], [233, 0.17, 0.3]],
  question: [[523, 0, 0.12], [659, 0.13, 0.2]],
  turn: [[392, 0, 0.1], [523, 0.1, 0.1], [784, 0.2, 0.24]],
  score: [[784, 0, 0.1]],
};
const BUZZES_MS = { fault: [220, 90, 220], question: [90, 70, 90], turn: [160] }; // on, off, on

let context = null;

/** Start the sound. Browsers allow it only after the page was touched. */
export function wake() {
  if (!window.AudioContext) return;
  context ??= new AudioContext();
  context.resume();
}

/** Play a tone: "fault", "question", "turn" or "score". */
export function tone(name) {
  if (!context) return;
  for (const [hertz, after, seconds] of TONES[name]) {
    const start = context.currentTime + after;
    const loud = new GainNode(context, { gain: 0 });
    const note = new OscillatorNode(context, { type: "triangle", frequency: hertz });
    loud.gain.linearRampToValueAtTime(0.3, start + 0.015);
    loud.gain.exponentialRampToValueAtTime(0.001, start + seconds);
    note.connect(loud).connect(context.destination);
    note.start(start);
    note.stop(start + seconds);
  }
}

/** Play a camera's click: two short bursts of noise. */
export function shutter() {
  if (!context) return;
  for (const after of [0, 0.09]) {
    const length = Math.round(0.05 * context.sampleRate);
    const noise = context.createBuffer(1, length, context.sampleRate);
    noise.getChannelData(0).forEach((_, i, all) => { all[i] = 0.6 * (Math.random() * 2 - 1) * (1 - i / all.length) ** 2; });
    const burst = new AudioBufferSourceNode(context, { buffer: noise });
    burst.connect(context.destination);
    burst.start(context.currentTime + after);
  }
}

/** Let the device buzz for a fault, a question or a turn. Before a touch, the browser would refuse it with a warning. */
export function buzz(name) {
  if (name in BUZZES_MS && navigator.userActivation?.hasBeenActive) navigator.vibrate?.(BUZZES_MS[name]);
}
