// Invitations: the host makes keys for tables and workers, prints their codes, and ends keys.

import { byId, h } from "../dom.js";
import { W, fillWords } from "../words.js";
import { key, meet, refusal } from "./who.js";

const AT_MOST = 200;

function say(text) {
  byId("said").textContent = text;
  byId("said").hidden = !text;
}

/** Send a request to the hub; show the error and return null if it fails. */
async function ask(path, body) {
  const headers = { ...(key() && { "X-Table-Key": key() }), "Content-Type": "application/json" };
  try {
    const answer = await fetch(path, body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers });
    const told = await answer.json();
    say(answer.ok ? "" : W.invite.refused[told.error.code] ?? refusal(told.error));
    return answer.ok ? told : null;
  } catch {
    say(W.club.lost);
    return null;
  }
}

const button = (text, onclick, kind) => h("button", { type: "button", class: kind, onclick }, text);
const labelled = (text, field) => h("label", {}, text, field);

/** Return an invitation as a card to cut out. */
function card(one) {
  const figure = h("figure", { class: "phones-code" });
  figure.innerHTML = one.qr;
  figure.querySelector("svg").setAttribute("role", "img");
  figure.querySelector("svg").setAttribute("aria-label", one.name);
  figure.prepend(h("figcaption", {}, one.name));
  figure.append(h("p", {}, one.role === "table" ? W.invite.atTable : W.invite.atWorker));
  return figure;
}

/** Show new invitations, which the hub cannot show again. */
function showSheet(made) {
  byId("sheet").replaceChildren(
    h("div", { class: "phones-tools" },
      h("p", {}, W.invite.once),
      button(W.phones.print, () => print(), "main"),
      button(W.page.close, () => (byId("sheet").hidden = true))),
    h("div", { class: "phones-codes phones-cards" }, ...made.map(card)));
  byId("sheet").hidden = false;
  byId("sheet").scrollIntoView();
}

function drawForm() {
  const name = h("input", { name: "name", required: true, maxlength: 28, autocomplete: "off", autocapitalize: "none", placeholder: "hall", pattern: "[a-z0-9][a-z0-9\\-]*", title: W.invite.nameHelp });
  const count = h("input", { name: "count", type: "number", min: 1, max: AT_MOST, value: 8, required: true });
  const first = h("input", { name: "first", type: "number", min: 1, max: 9999, value: 1, required: true });
  const role = h("select", { name: "role" }, ...Object.entries(W.invite.roles).map(([value, text]) => h("option", { value }, text)));
  byId("new").replaceChildren(h("h2", {}, W.invite.new), h("p", { class: "lobby-quiet" }, W.invite.how),
    labelled(W.invite.name, name), labelled(W.invite.count, count), labelled(W.invite.first, first), labelled(W.invite.role, role),
    h("button", { class: "main" }, W.invite.make));
  byId("new").onsubmit = async (event) => {
    event.preventDefault();
    const names = Array.from({ length: Number(count.value) }, (_, at) => `${name.value}-${Number(first.value) + at}`);
    const told = await ask("/api/invitations", { names, role: role.value });
    if (!told) return;
    first.value = Number(first.value) + names.length;
    await look();
    showSheet(told.invitations);
  };
}

async function revoke({ name, role }) {
  if (confirm(W.invite.reallyEnd(name)) && (await ask("/api/invitations/revoke", { name, role }))) await look();
}

/** Show the valid keys. Returns whether the user may see them. */
async function look() {
  const told = await ask("/api/invitations");
  if (!told) return false;
  byId("open").replaceChildren(h("h2", {}, W.invite.keys(told.keys.length)),
    h("ul", { class: "phones-keys" }, ...told.keys.map((one) =>
      h("li", {}, h("strong", {}, one.name), h("span", { class: "lobby-quiet" }, W.invite.roles[one.role]),
        h("button", { type: "button", "aria-label": `${W.invite.end}: ${one.name}`, onclick: () => revoke(one) }, W.invite.end)))));
  return true;
}

fillWords();
document.title = W.invite.title;
byId("back").href = `/${location.hash}`;
await meet();
if (await look()) {
  drawForm();
  byId("new").hidden = false;
}
