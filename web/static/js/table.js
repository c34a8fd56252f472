// The table as this phone knows it: fetched again whenever something happens, and as it was when people look back.

import { getPack, getState, remembers } from "./api.js";
import { knowFaces } from "./words.js";

const RETRY_MS = 2000;
const RECALL_AFTER_MS = 400; // a table that answers sooner is not shown as it was
const STORE = "tilesight-last";

export class Table {
  /**
   * onChange(table) hears every new state; then `shown` is what to draw. onTrouble(error) hears each fetch that failed,
   * and onTrouble(null) the first that worked again. packOf(state) fetches its pack.
   */
  constructor(onChange, onTrouble, packOf = getPack) {
    this.onChange = onChange;
    this.onTrouble = onTrouble;
    this.troubled = false;
    this.packOf = packOf;
    this.now = null; // the table's state at present
    this.recalled = false; // whether that is as this phone saw it last, and the table has not answered yet
    this.past = null; // the state after turn `at`, where people look back
    this.at = null;
    this.pack = null;
    this.fetching = false;
    this.again = false;
  }

  get shown() {
    return this.past ?? this.now;
  }

  /** Show the table as this phone knew it last, should it not answer soon. */
  recallSoon() {
    if (!remembers) return;
    setTimeout(() => {
      const last = this.now ? null : JSON.parse(localStorage.getItem(STORE) ?? "null");
      if (!last) return;
      this.pack = last.pack;
      knowFaces(this.pack);
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

  /** Fetch the state; calls that come while one is under way make one more, not many. */
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

  async #fetch() {
    const next = await getState();
    if (!this.pack || this.pack.id !== next.pack) {
      this.pack = await this.packOf(next);
      knowFaces(this.pack);
    }
    this.#know(next);
    this.now = next;
    this.recalled = false;
    this.#keep();
    if (this.at !== null && this.at >= next.turns.length) this.at = null;
    this.past = this.at === null ? null : this.#know(await getState(this.at));
    this.onChange(this);
  }

  /** Look at the table as it was after `turn` (0: before the first), or with null as it is now. */
  async look(turn) {
    this.at = turn;
    const past = turn === null ? null : this.#know(await getState(turn));
    if (this.at !== turn) return; // the slider has moved on
    this.past = past;
    this.onChange(this);
  }

  /** The state before a turn. */
  before = async (turn) => this.#know(await getState(turn - 1));

  /** Take the faces of a state's foreign tiles to those of the pack. */
  #know(state) {
    Object.assign(this.pack.designs, state.faces);
    return state;
  }
}
