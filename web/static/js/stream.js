// Event stream of the table: reconnects by itself and requests missed events.

const TYPES = ["turn", "score", "question", "fault", "camera", "end", "seat", "access", "pause"];
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;
// The table sends a heartbeat every 15 s, but EventSource hides it; so a phone that wakes up reconnects.

/**
 * Follow the table's events. onEvent(event) gets each event once; onLink("connecting" | "live" | "lost") the state of
 * the connection.
 */
export function listen({ after, onEvent, onLink }) {
  let last = after;
  let source = null;
  let waitMs = FIRST_WAIT_MS;
  let timer = 0;

  function open() {
    clearTimeout(timer);
    source?.close();
    source = new EventSource(`api/events?last_event_id=${last}`);
    source.onopen = () => {
      waitMs = FIRST_WAIT_MS;
      onLink("live");
    };
    source.onerror = () => {
      source.close();
      onLink("lost");
      clearTimeout(timer);
      timer = setTimeout(open, waitMs);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    };
    for (const type of TYPES) {
      source.addEventListener(type, (message) => {
        const event = JSON.parse(message.data);
        // The id is lower than the last one: the table has restarted and counts from one.
        last = event.id;
        onEvent(event);
      });
    }
  }

  onLink("connecting");
  open();
  addEventListener("online", open);
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && source.readyState !== EventSource.OPEN) open();
  });
}
