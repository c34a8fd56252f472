// State of the table on this phone: fetched again after every event, and earlier states while people look back.

import { getPack, getState, remembers } from "./api.js";
import { setFaces, withNames } from "./words.js";

const RETRY_MS = 2000;
const RECALL_AFTER_MS = 400; // an answer within this time needs no stored state
const STORE = "tilesight-last";

export class Table {
  /**
   * onChange(table) is called for every new state; `shown` is then the state to draw. onTrouble(error) is called for
   * each failed fetch, and onTrouble(null) for the first one that works again. packOf(state) fetches the pack.
   */
  constructor(onChange, onTrouble, packOf = getPack) {
    this.onChange = onChange;
    this.onTrouble = onTrouble;
    this.troubled = false;
    this.packOf = packOf;
    this.now = null; // current state
    this.recalled = false; // whether that is the stored state, and the table has not answered yet
    this.past = null; // state after turn `at`, while people look back
    this.at = null;
    this.pack = null;
    this.fetching = false;
    this.again = false;
  }

  get shown() {
    return this.past ?? this.now;
  }

  /** Show the stored state if the table does not answer soon. */
  recallSoon() {
    if (!remembers) return;
    setTimeout(() => {
      const last = this.now ? null : JSON.parse(localStorage.getItem(STORE) ?? "null");
      if (!last) return;
      this.pack = last.pack;
      setFaces(this.pack);
      this.now = last.state;
      this.recalled = true;
      this.onChange(this);
    }, RECALL_AFTER_MS);
  }

  #keep() {
    if (!remembers) return;
    try {
      localStorage.setItem(STORE, JSON.stringify({ state: this.now, pack: this.pack }));
    } catch (error) {
      console.info("the table is not kept on this phone", error.message);
    }
  }

  /** Fetch the state. Calls during a fetch cause only one more fetch. */
  async refresh() {
    if (this.fetching) {
      this.again = true;
      return;
    }
    this.fetching = true;
    try {
      do {
        this.again = false;
        await this.#fetch();
      } while (this.again);
      if (this.troubled) this.onTrouble(null);
      this.troubled = false;
    } catch (error) {
      console.info("the table does not answer", error.message);
      this.troubled = true;
      this.onTrouble(error);
      setTimeout(() => this.refresh(), RETRY_MS);
    } finally {
      this.fetching = false;
    }
  }

  /** Fetch the state where no events tell of changes. Returns whether the table answered. */
  async poll() {
    await this.refresh();
    return !this.troubled;
  }

  async #fetch() {
    const next = withNames(await getState());
    if (!this.pack || this.pack.id !== next.pack) {
      this.pack = await this.packOf(next);
      setFaces(this.pack);
    }
    this.#know(next);
    this.now = next;
    this.recalled = false;
    this.#keep();
    if (this.at !== null && this.at >= next.turns.length) this.at = null;
    if (await this.#lookBack()) this.onChange(this);
  }

  /** Show the table as it was after `turn` (0: before the first); null: as it is now. */
  async look(turn) {
    this.at = turn;
    if (await this.#lookBack()) this.onChange(this);
  }

  /** Fetch the state after turn `at`. Return false if another turn is chosen meanwhile: its own call shows it. */
  async #lookBack() {
    const { at } = this;
    const past = at === null ? null : this.#know(withNames(await getState(at)));
    if (this.at !== at) return false;
    this.past = past;
    return true;
  }

  /** Return the state before a turn. */
  before = async (turn) => this.#know(withNames(await getState(turn - 1)));

  /** Add the faces of a state's foreign tiles to those of the pack. */
  #know(state) {
    Object.assign(this.pack.designs, state.faces);
    return state;
  }
}
