// Event stream of the table: reconnects by itself and requests missed events. It does not use EventSource, which sends
// no key: the table keeps places for streams with a key.

import { headers } from "./api.js";

// Without a living stream for this time, the table is asked instead, at this interval.
const POLL_MS = 2500;
// The server's first bytes come at once. A proxy that holds them back holds back the events, too.
const OPENS_WITHIN_MS = 2000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;
// The table sends a heartbeat every 15 s.
const SILENT_MS = 40_000;
// A stream that ends within this time was displaced because the table is full. Reconnecting at once would displace
// another spectator.
const LASTING_MS = 10_000;

/**
 * Open an event stream and yield the data of each server-sent event until it ends. onOpen() is called with its first
 * bytes. Throws an error if the server refuses it, or when `control` aborts it, as after a long silence.
 */
export async function* messages(address, asked, control = new AbortController(), onOpen = () => {}) {
  let silence = 0;
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(() => control.abort(), SILENT_MS);
  };
  try {
    heard();
    const response = await fetch(address, { headers: asked, cache: "no-store", signal: control.signal });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    let opened = false;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      if (!opened) onOpen();
      opened = true;
      const parts = (text + value).split("\n\n");
      text = parts.pop();
      for (const part of parts) {
        const data = part.split("\n").filter((line) => line.startsWith("data: "));
        if (data.length) yield data.map((line) => line.slice(6)).join("\n");
      }
    }
  } finally {
    clearTimeout(silence);
  }
}

/**
 * Follow the table's events. onEvent(event) gets each event once; onLink("connecting" | "live" | "polling" | "lost") the
 * state of the connection. While no events arrive, poll() is called every few seconds: it asks the table, and returns
 * whether it answered.
 */
export function listen({ after, onEvent, onLink, poll }) {
  let last = after;
  let waitMs = FIRST_WAIT_MS;
  let timer = 0;
  let current = new AbortController();
  let live = false;
  let polling = 0;
  let answers = false; // whether the table answered when it was asked last

  let told = "";

  /** Tell the state of the connection when it changes, and each new stream. */
  function tell(link) {
    if (link !== told || link === "live") onLink(link);
    told = link;
  }

  const lost = () => tell(answers ? "polling" : "lost");

  /** Ask the table from now on, until its events arrive. */
  function pollSoon() {
    clearTimeout(polling);
    polling = setTimeout(async () => {
      if (document.visibilityState === "visible") answers = await poll();
      if (live) return;
      lost();
      pollSoon();
    }, POLL_MS);
  }

  async function open() {
    clearTimeout(timer);
    current.abort();
    const mine = (current = new AbortController());
    let since = Infinity;
    live = false;
    const opened = () => {
      if (mine !== current) return;
      live = true;
      answers = false;
      clearTimeout(unopened);
      clearTimeout(polling);
      since = performance.now();
      tell("live");
    };
    const unopened = setTimeout(lost, OPENS_WITHIN_MS);
    pollSoon();
    try {
      for await (const data of messages(`api/events?last_event_id=${last}`, headers(), mine, opened)) {
        if (mine !== current) return;
        const event = JSON.parse(data);
        // The id is lower than the last one: the table has restarted and counts from one.
        last = event.id;
        onEvent(event);
      }
    } catch (error) {
      console.debug("the events stopped", error.message);
    }
    clearTimeout(unopened);
    if (mine !== current) return;
    if (live) pollSoon();
    live = false;
    lost();
    if (performance.now() - since > LASTING_MS) waitMs = FIRST_WAIT_MS;
    timer = setTimeout(open, waitMs);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }

  tell("connecting");
  open();
  addEventListener("online", open);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && !live) open();
  });
}
