// Talking to the table: what it says, and the commands of those who hold its key.

const STORE = "tilesight-key";

/** An answer that was not OK, or (with status 0) none at all; `code` is the table's word for it. */
class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Take the key from the join link (#key=...), keep it in this browser and wipe it from the address. */
export function takeKey() {
  const given = new URLSearchParams(location.hash.slice(1)).get("key");
  if (given) {
    keepKey(given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return localStorage.getItem(STORE);
}

export const keepKey = (key) => localStorage.setItem(STORE, key);
export const forgetKey = () => localStorage.removeItem(STORE);

/** Ask the table, and read its answer; ApiError where it is not OK or none comes. */
async function ask(address, how) {
  let response;
  try {
    response = await fetch(address, how);
  } catch (error) {
    throw new ApiError(0, "unreachable", error.message);
  }
  return read(response);
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
export const getState = (turn) => ask(turn === undefined ? "/api/state" : `/api/state?turn=${turn}`);
export const getPack = () => ask("/api/pack");
export const getPicture = () => ask("/api/picture");
export const pictureAddress = (frame) => `/api/picture.jpg?frame=${frame}`;

/** What a turn may have been; {tile, cell, rot} ask about another placement. */
export function getChoices(turn, { tile, cell, rot } = {}) {
  const asked = Object.entries({ tile, cell: cell?.join(), rot }).filter(([, value]) => value !== undefined);
  return ask(`/api/turns/${turn}/choices?${new URLSearchParams(asked)}`);
}

/** Addresses of the parts of pictures that things were decided by; `frame` makes another picture another address. */
export const cropAddress = {
  turn: (turn, frame) => `/api/turns/${turn}/crop.jpg?frame=${frame ?? ""}`,
  question: (id) => `/api/questions/${encodeURIComponent(id)}/crop.jpg`,
};

/** Whether the key opens this table; throws where the table cannot be asked. */
export async function keyHolds(key) {
  const { status } = await fetch("/api/key", { headers: { "X-Table-Key": key } });
  if (status !== 200 && status !== 403) throw new ApiError(status, "http", `the table answered ${status}`);
  return status === 200;
}

/** Send a command: answer, correct, seat, undo, redo, end. */
export function command(name, body) {
  return ask(`/api/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Table-Key": localStorage.getItem(STORE) ?? "" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}
