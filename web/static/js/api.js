// Talking to the table: what it says, and the commands of those who hold its key.

const STORE = "tilesight-key";

/** An answer that was not OK; `code` is the table's word for it. */
export class ApiError extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Take the key from the join link (#key=...), keep it for this browser tab and wipe it from the address. */
export function takeKey() {
  const given = new URLSearchParams(location.hash.slice(1)).get("key");
  if (given) {
    sessionStorage.setItem(STORE, given);
    history.replaceState(null, "", location.pathname + location.search);
  }
  return sessionStorage.getItem(STORE);
}

export function forgetKey() {
  sessionStorage.removeItem(STORE);
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

export const getState = async () => read(await fetch("/api/state"));
export const getPack = async () => read(await fetch("/api/pack"));

/** Whether the key opens this table. */
export async function keyHolds(key) {
  const response = await fetch("/api/key", { headers: { "X-Table-Key": key } });
  return response.ok;
}

/** Send a command: answer, correct, undo, redo, end. */
export async function command(name, body) {
  return read(
    await fetch(`/api/${name}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Table-Key": sessionStorage.getItem(STORE) ?? "" },
      body: body === undefined ? undefined : JSON.stringify(body),
    }),
  );
}
