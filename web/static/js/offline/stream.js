// Replacement of stream.js in a replay: there are no new events.

export function listen({ onLink }) {
  onLink("live");
}
