// Requests the page's data while its other scripts load. It is not a module, so it starts at once. api.js uses the
// responses. If api.js ran first, nothing is requested, because api.js would take an unused response for a later one.

globalThis.asked ??= Object.fromEntries(
  document.currentScript.dataset.addresses.split(" ").map((address) => [address, fetch(address, { priority: "high" }).catch(() => null)]),
);
