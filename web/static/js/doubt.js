// Marks of uncertain turns, and the most urgent question. A turn is marked everywhere until people confirm it or pictures settle it.

import { h, s } from "./dom.js";
import { SIZE } from "./geometry.js";
import { W } from "./words.js";

const SURE = 0.9; // the same as in web/table/doubts.py

export const isDoubtful = (turn) => typeof turn?.confidence === "number" && turn.confidence < SURE;

/** Return "not sure: 0.72". The number is rounded down, so that it never reads as certain. */
const unsure = ({ confidence }) => W.doubt.mark((Math.floor(100 * confidence + 1e-6) / 100).toFixed(2));

/** Return the mark of a turn for a line of text; nothing for a certain turn. */
export const doubtMark = (turn) => (isDoubtful(turn) ? h("span", { class: "doubt" }, h("span", { class: "doubt-sign", "aria-hidden": "true" }, "?"), unsure(turn)) : "");

/** Return the text of that mark after a comma; "" for a certain turn. */
export const doubtWords = (turn) => (isDoubtful(turn) ? `, ${unsure(turn)}` : "");

/** Return the mark of a turn for its tile. */
export function doubtBadge(turn) {
  const [x, y] = turn.cell;
  return s("g", { class: "doubt-badge", transform: `translate(${(x + 0.84) * SIZE} ${(y + 0.16) * SIZE})` },
    s("title", {}, unsure(turn)),
    s("g", { class: "doubt-badge-size" }, s("circle", { r: 13 }), s("text", { y: 7 }, "?")));
}

/** Return the question to ask first: one about the table as a whole, otherwise that about the earliest turn. */
export const firstAsked = ({ questions }) => [...questions].sort((a, b) => (a.turn ?? 0) - (b.turn ?? 0))[0];

/** Return a turn as a record line, without the fields that the table adds. */
export function lineOf({ turn: _, drawn: __, frame: ___, confidence: ____, alternatives: _____, ...line }) {
  return line;
}
