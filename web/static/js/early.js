// Requests what the page needs while its other scripts load (no module, so it starts at once); api.js uses the
// responses. If api.js ran first, nothing is requested, because an unused response would be taken for a later one.

globalThis.asked ??= Object.fromEntries(
  document.currentScript.dataset.addresses.split(" ").map((address) => [address, fetch(address, { priority: "high" }).catch(() => null)]),
);
