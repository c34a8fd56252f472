// Event stream of the table: reconnects by itself and requests missed events. EventSource would send no key, by which
// the table keeps a place for players.

import { headers } from "./api.js";

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;
// The table sends a heartbeat every 15 s.
const SILENT_MS = 40_000;
// After a shorter time, the table is full: connecting again at once would only displace another spectator.
const LASTING_MS = 10_000;

/** Yield the data of each server-sent event; call onBytes() whenever something comes. */
async function* messages(body, onBytes) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    onBytes();
    const parts = (text + value).split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      const data = part.split("\n").filter((line) => line.startsWith("data: "));
      if (data.length) yield data.map((line) => line.slice(6)).join("\n");
    }
  }
}

/**
 * Follow the table's events. onEvent(event) gets each event once; onLink("connecting" | "live" | "lost") the state of
 * the connection.
 */
export function listen({ after, onEvent, onLink }) {
  let last = after;
  let waitMs = FIRST_WAIT_MS;
  let timer = 0;
  let current = new AbortController();
  let live = false;

  async function open() {
    clearTimeout(timer);
    current.abort();
    const mine = (current = new AbortController());
    let silence = 0;
    let since = Infinity;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => mine.abort(), SILENT_MS);
    };
    live = false;
    try {
      heard();
      const response = await fetch(`api/events?last_event_id=${last}`, { headers: headers(), cache: "no-store", signal: mine.signal });
      if (!response.ok) throw new Error(`the table answered ${response.status}`);
      if (mine !== current) return;
      live = true;
      since = performance.now();
      onLink("live");
      for await (const data of messages(response.body, heard)) {
        if (mine !== current) return;
        const event = JSON.parse(data);
        // The id is lower than the last one: the table has restarted and counts from one.
        last = event.id;
        onEvent(event);
      }
    } catch (error) {
      console.debug("the events stopped", error.message);
    } finally {
      clearTimeout(silence);
    }
    if (mine !== current) return;
    live = false;
    onLink("lost");
    if (performance.now() - since > LASTING_MS) waitMs = FIRST_WAIT_MS;
    timer = setTimeout(open, waitMs);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }

  onLink("connecting");
  open();
  addEventListener("online", open);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && !live) open();
  });
}
