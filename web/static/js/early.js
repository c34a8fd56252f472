// Asks for what the table shows while the other scripts are on their way (no module: it waits for none); api.js takes
// the answers. Where api.js ran first, nothing is asked: an answer left over would be taken for a later one.

globalThis.asked ??= Object.fromEntries(
  document.currentScript.dataset.addresses.split(" ").map((address) => [address, fetch(address, { priority: "high" }).catch(() => null)]),
);
