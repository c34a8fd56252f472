// Talking to the table: what it says, and the commands of those who hold its key.

const STORE = "tilesight-key";
const NAME_STORE = "tilesight-name";
globalThis.asked ??= {}; // early.js comes too late from now on

/** An answer that was not OK, or (with status 0) none at all; `code` is the table's word for it. */
class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Take the key from the join link (#key=...), keep it in this browser and wipe it from the address. */
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

/** Whose phone this is: the table's log says it with every correction. */
export const ownName = () => localStorage.getItem(NAME_STORE) ?? "";
export const keepOwnName = (name) => localStorage.setItem(NAME_STORE, name);

/** Headers that say the key and whose phone this is, as far as they are known. */
function headers() {
  const [key, name] = [localStorage.getItem(STORE), ownName()];
  return { ...(key && { "X-Table-Key": key }), ...(key && name && { "X-Table-Name": encodeURIComponent(name) }) };
}

/** The answer that the page asked for before its scripts had come, once; null where it did not. */
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

/** Ask the table, and read its answer; ApiError where it is not OK or none comes. `body` is JSON. */
export async function ask(address, { method = "GET", body } = {}) {
  const json = body === undefined ? {} : { "Content-Type": "application/json" };
  return read(await reach(address, { method, body, headers: { ...headers(), ...json } }));
}

/** The address (of this page alone, to be revoked) of a picture that needs the key, or may need it. */
export async function askPicture(address) {
  const response = await reach(address, { headers: headers() });
  if (!response.ok) await read(response);
  return URL.createObjectURL(await response.blob());
}

async function read(response) {
  let body = null;
  try {
    body = await response.json();
  } catch {
    // Not the table's JSON: the status alone has to do.
  }
  if (response.ok) return body;
  const error = body?.error ?? {};
  throw new ApiError(response.status, error.code ?? "http", error.message ?? `the table answered ${response.status}`);
}

/** The table now, or as it was after a turn. */
export const getState = (turn) => ask(turn === undefined ? "api/state" : `api/state?turn=${turn}`);
export const getPack = () => ask("api/pack");
export const getPicture = () => ask("api/picture");
export const pictureAddress = (frame) => `api/picture.jpg?frame=${frame}`;

/** The whole photograph by which a turn was understood. */
export const photographAddress = (turn) => `api/turns/${turn}/photo.jpg`;
/** Whether this phone keeps the table as it saw it last: not where an address has many tables (a club's hub). */
export const remembers = new URL(".", location).pathname === "/";
/** Whether there may be photographs at all. */
export const hasPhotographs = true;

/** What a turn may have been; {tile, cell, rot} ask about another placement. */
export function getChoices(turn, { tile, cell, rot } = {}) {
  const asked = Object.entries({ tile, cell: cell?.join(), rot }).filter(([, value]) => value !== undefined);
  return ask(`api/turns/${turn}/choices?${new URLSearchParams(asked)}`);
}

/** Addresses of the parts of pictures that things were decided by; `frame` makes another picture another address. */
export const cropAddress = {
  turn: (turn, frame) => `api/turns/${turn}/crop.jpg?frame=${frame ?? ""}`,
  question: (id) => `api/questions/${encodeURIComponent(id)}/crop.jpg`,
};

/** What the key allows ({role: "player" or "host", hints}); null where it is none of theirs. Throws where the table cannot be asked. */
export async function rightsOf(key) {
  const response = await reach("api/key", { headers: { "X-Table-Key": key } });
  if (response.ok) return response.json();
  if (response.status === 403) return null;
  throw new ApiError(response.status, "http", `the table answered ${response.status}`);
}

/** Send a command: answer, correct, seat, undo, redo, end. */
export const command = (name, body) => ask(`api/${name}`, { method: "POST", body: body === undefined ? undefined : JSON.stringify(body) });
