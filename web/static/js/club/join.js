// Page of an invitation: the club, and how to join it. The secret is after the '#', which browsers do not send.

import { copying } from "../copying.js";
import { byId, h } from "../dom.js";
import { W, fillWords } from "../words.js";

const told = new URLSearchParams(location.hash.slice(1));
const ROLES = ["table", "worker"];

function draw() {
  const role = ROLES.find((one) => told.has(one));
  const name = role && told.get(role);
  if (!name || !told.get("link") || !told.get("key")) {
    byId("place").replaceChildren(h("p", {}, W.join.none));
    return;
  }
  document.title = `${name} · ${W.join.title}`;
  const command = { table: `tilesight live --game safari --players red=Ana,blue=Bo --camera 0 --hub '${location.href}'`, worker: `tilesight worker --hub '${location.href}'` }[role];
  byId("place").replaceChildren(
    h("p", { class: "join-club" }, W.join.whose[role](name)),
    h("ol", { class: "join-steps" },
      role === "table" ? h("li", {}, W.join.inLobby, copying(location.href, W.join.copyLink)) : h("li", {}, W.join.keep, copying(location.href, W.join.copyLink)),
      h("li", {}, role === "table" ? W.join.orCommand : W.join.command, copying(command, W.join.copyCommand))),
    h("p", { class: "lobby-quiet" }, W.join.secret));
}

fillWords();
draw();
addEventListener("hashchange", () => location.reload());
