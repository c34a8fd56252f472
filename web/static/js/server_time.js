// The server's time, which is that of the table: a phone's own clock may be minutes off.

const NEAR_S = 1.5; // the header has whole seconds: nearer than this, the clock stays
let ahead_s = null;

/** Follow the server's clock, by the time in one of its responses. */
export function setClock(answer) {
  const told_s = Date.parse(answer.headers.get("Date")) / 1000;
  const now_s = told_s + 0.5 - Date.now() / 1000;
  if (told_s && (ahead_s === null || Math.abs(now_s - ahead_s) > NEAR_S)) ahead_s = now_s;
}

/** Return the seconds since 1970 by the server's clock. */
export const nowS = () => Date.now() / 1000 + (ahead_s ?? 0);
