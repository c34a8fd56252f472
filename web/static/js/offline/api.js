// Replacement of api.js in a replay: reads the game from its page. There is no key, and nothing can be changed.

import { data } from "./data.js";

const refuse = async () => {
  throw Object.assign(new Error("a replay cannot be changed"), { status: 409, code: "recording" });
};

/** Return a state from the pool; lists are lists of indices. */
const unpacked = (state) =>
  Object.fromEntries(Object.entries(state).map(([key, at]) => [key, Array.isArray(at) ? at.map((one) => data.pool[one]) : data.pool[at]]));

const nearest = (turn) => {
  let shown = turn;
  while (shown > 0 && !data.photographs[shown]) shown -= 1;
  return data.photographs[shown];
};

const LAST = data.states.length - 1;

export const takeKey = () => null;
export const keepKey = () => {};
export const forgetKey = () => {};
export const headers = () => ({});
export const ownName = () => "";
export const keepOwnName = () => {};
export const rightsOf = async () => null;
export const ask = refuse;
export const command = refuse;
export const getChoices = refuse;
export const getState = async (turn = LAST) => unpacked(data.states[turn]);
export const getPack = async () => data.pack;
export const remembers = false;
export const hasPhotographs = Object.keys(data.photographs).length > 0;

/** Return the address of a picture that is embedded in the page; throws for any other. */
export async function askPicture(address) {
  if (!address) throw Object.assign(new Error("no picture is kept of this turn"), { status: 404, code: "unknown_picture" });
  return address;
}

/** Return the picture of the last turn that has one, because a replay has no latest picture. */
export const getPicture = async () => (nearest(LAST) ? { frame: LAST, size_wh: null, tiles: [], pieces: [] } : { frame: null });
export const pictureAddress = nearest;
export const photographAddress = nearest;
export const cropAddress = { turn: nearest, question: () => "" };
