// Nothing comes any more: a replay's game is over.

export function listen({ onLink }) {
  onLink("live");
}
