// Requests to the lobby. Its key is in the page's address, after #key=.

import { W, phrase, told } from "./words.js";

export const asked = new URLSearchParams(location.hash.slice(1));
export const key = asked.get("key") ?? "";

/** Send a request to the lobby. Throws an Error with a text for people and the error's `code`. */
export async function ask(path, body) {
  const options = { headers: { "X-Table-Key": key } };
  if (body !== undefined) {
    const file = body instanceof Blob;
    Object.assign(options, { method: "POST", body: file ? body : JSON.stringify(body) });
    options.headers["Content-Type"] = file ? body.type : "application/json";
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error(W.lobby.silent);
  }
  if (!answer.ok) {
    const { error } = await answer.json().catch(() => ({}));
    const text = W.lobby.refused[error?.code] ?? (error ? told(error.said, error.message) || W.library.refused[error.code] || phrase(error.said, error.message) : W.lobby.silent);
    throw Object.assign(new Error(text), { code: error?.code });
  }
  return answer;
}
