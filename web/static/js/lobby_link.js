// The way back to the lobby, for who came from it: kept for this tab.

import { h } from "./dom.js";
import { W } from "./words.js";

const STORE = "tilesight-lobby";

/** Take the lobby's address (and the table's name there) from the link that the lobby gave; only a page of the
 * same computer is believed. */
export function takeLobby() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (!given.get("lobby")) return;
  try {
    const address = new URL(given.get("lobby"));
    if (address.hostname !== location.hostname || !/^https?:$/.test(address.protocol)) return;
    sessionStorage.setItem(STORE, JSON.stringify({ address: address.href, table: given.get("table") ?? "" }));
  } catch {
    // no address: there is no way back
  }
}

/** A link to the lobby; with `again` to its form, filled in as this table's was. "" for who came another way. */
export function lobbyLink(kind, { again = false } = {}) {
  const { address, table } = JSON.parse(sessionStorage.getItem(STORE) ?? "{}");
  if (!address) return "";
  const more = again ? `&again=${encodeURIComponent(table)}` : "";
  return h("a", { class: kind, href: `${address}${more}` }, again ? W.lobby.again : W.lobby.back);
}
