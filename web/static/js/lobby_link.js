// Link back to the lobby for pages opened from it, stored for this tab.

import { h } from "./dom.js";
import { W } from "./words.js";

const STORE = "tilesight-lobby";

/**
 * Take the lobby's address (and the table's id there) from the page's address. Only pages of the same computer are
 * accepted.
 */
export function takeLobby() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (!given.get("lobby")) return;
  try {
    const address = new URL(given.get("lobby"));
    if (address.hostname !== location.hostname || !/^https?:$/.test(address.protocol)) return;
    sessionStorage.setItem(STORE, JSON.stringify({ address: address.href, table: given.get("table") ?? "" }));
  } catch {
    // not an address, so there is no link back
  }
}

/**
 * Return a link to the lobby; with `again`, to its form filled in as for this table. "" if the page was not opened
 * from the lobby.
 */
export function lobbyLink(kind, { again = false } = {}) {
  const { address, table } = JSON.parse(sessionStorage.getItem(STORE) ?? "{}");
  if (!address) return "";
  const more = again ? `&again=${encodeURIComponent(table)}` : "";
  return h("a", { class: kind, href: `${address}${more}` }, again ? W.lobby.again : W.lobby.back);
}
