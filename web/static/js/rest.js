// Rest of Undo and Redo: both ignore taps for a moment after each change. A person who double-clicks, or taps just
// after somebody else, has not seen that change yet.

const REACTION_MS = 400; // people need longer than this to react to a change

export class Rest {
  #timer = 0;
  #entry = null;

  /** onChange() is called when the rest begins and when it is over. */
  constructor(onChange = () => {}) {
    this.onChange = onChange;
  }

  get on() {
    return this.#timer !== 0;
  }

  /** Take the number of the log's latest entry that is drawn now; another one begins a rest. */
  drawn(entry) {
    if (this.#entry !== null && entry !== this.#entry) this.#begin();
    this.#entry = entry;
  }

  /** Begin a rest with a tap, and return the body of its request: what is shown is undone or redone, or nothing. */
  tap() {
    this.#begin();
    return this.#entry === null ? {} : { entry: this.#entry };
  }

  #begin() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      this.onChange();
    }, REACTION_MS);
    this.onChange();
  }
}
