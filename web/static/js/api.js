// Requests to the table: reads, and commands for holders of its key.

import { setClock } from "./server_time.js";

const STORE = "tilesight-key";
const NAME_STORE = "tilesight-name";
globalThis.asked ??= {}; // From now on, early.js must not send its requests any more.

/** Error of a request: its HTTP status (0 without an answer), the table's error `code`, and its message in `said`. */
class ApiError extends Error {
  constructor(status, code, message, said = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.said = said;
  }
}

/**
 * Take the key from the join link (#key=...), save it in this browser, and remove it from the address. Returns the
 * saved key.
 */
export function takeKey(store = STORE) {
  const given = new URLSearchParams(location.hash.slice(1)).get("key");
  if (given) {
    localStorage.setItem(store, given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return localStorage.getItem(store) ?? localStorage.getItem(STORE);
}

export const keepKey = (key) => localStorage.setItem(STORE, key);
export const forgetKey = () => localStorage.removeItem(STORE);

/** The name of this phone's user, sent with every request: the table's log stores it with corrections. */
export const ownName = () => localStorage.getItem(NAME_STORE) ?? "";
export const keepOwnName = (name) => localStorage.setItem(NAME_STORE, name);

/** Return the headers with the key and the user's name, as far as they are known. */
export function headers() {
  const [key, name] = [localStorage.getItem(STORE), ownName()];
  return { ...(key && { "X-Table-Key": key }), ...(key && name && { "X-Table-Name": encodeURIComponent(name) }) };
}

/** Return the response that early.js requested for this address, once; null if it did not. */
async function early(address, method) {
  const asked = method === "GET" ? globalThis.asked?.[address] : null;
  if (!asked) return null;
  delete globalThis.asked[address];
  return asked;
}

async function reach(address, how = {}) {
  try {
    const answer = await early(address, how.method);
    if (answer) return answer;
    return await fetch(address, how);
  } catch (error) {
    throw new ApiError(0, "unreachable", error.message);
  }
}

/**
 * Send a request to the table and return the parsed answer. `body` is JSON text. Throws ApiError without an OK
 * response.
 */
export async function ask(address, { method = "GET", body } = {}) {
  const json = body === undefined ? {} : { "Content-Type": "application/json" };
  return read(await reach(address, { method, body, headers: { ...headers(), ...json } }));
}

/** Fetch a picture that may need the key, and return an object URL for it. The caller revokes the URL. */
export async function askPicture(address) {
  const response = await reach(address, { headers: headers() });
  if (!response.ok) await read(response);
  return URL.createObjectURL(await response.blob());
}

async function read(response) {
  setClock(response);
  let body = null;
  try {
    body = await response.json();
  } catch {
    // Not an error of the table: only the status is known.
  }
  if (response.ok) return body;
  const error = body?.error ?? {};
  throw new ApiError(response.status, error.code ?? "http", error.message ?? `the table answered ${response.status}`, error.said);
}

/** Fetch the state of the table, now or after a turn. */
export const getState = (turn) => ask(turn === undefined ? "api/state" : `api/state?turn=${turn}`);
export const getPack = () => ask("api/pack");
export const getPicture = () => ask("api/picture");
export const pictureAddress = (frame) => `api/picture.jpg?frame=${frame}`;

/** Return the address of the whole photograph from which a turn was recognised. */
export const photographAddress = (turn) => `api/turns/${turn}/photo.jpg`;
/**
 * Whether this phone stores the last state of the table. Not on a club's hub, which has many tables at one address.
 */
export const remembers = new URL(".", location).pathname === "/";
/** Whether this page can have photographs. */
export const hasPhotographs = true;

/** Fetch the choices for a turn; {tile, cell, rot} ask about another placement. */
export function getChoices(turn, { tile, cell, rot } = {}) {
  const asked = Object.entries({ tile, cell: cell?.join(), rot }).filter(([, value]) => value !== undefined);
  return ask(`api/turns/${turn}/choices?${new URLSearchParams(asked)}`);
}

/** Addresses of the crops of pictures that decisions were made from. `frame` makes the address unique per picture. */
export const cropAddress = {
  turn: (turn, frame) => `api/turns/${turn}/crop.jpg?frame=${frame ?? ""}`,
  question: (id) => `api/questions/${encodeURIComponent(id)}/crop.jpg`,
};

/**
 * Return what a key allows: {role: "player" or "host", hints}, and keep_labels; null for a wrong key. Throws ApiError if
 * the table is unreachable.
 */
export async function rightsOf(key) {
  const response = await reach("api/key", { headers: { "X-Table-Key": key } });
  if (response.ok) return response.json();
  if (response.status === 403) return null;
  throw new ApiError(response.status, "http", `the table answered ${response.status}`);
}

/** Send a command: answer, correct, seat, undo, redo, end. */
export const command = (name, body) => ask(`api/${name}`, { method: "POST", body: body === undefined ? undefined : JSON.stringify(body) });
