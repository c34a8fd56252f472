// The user of the hub's pages: the holder of a key, a logged-in account, or a spectator.

import { byId, h } from "../dom.js";
import { W, phrase } from "../words.js";
import { AccountsView } from "./accounts.js";

const SESSION_KEY = "login"; // value of the key header that selects the cookie's session
const STORE = "tilesight-login"; // whether someone has logged in here: spectators need not ask the hub
const DASHBOARD_STORE = "tilesight-key";
const given = new URLSearchParams(location.hash.slice(1)).get("key") ?? "";
let who = { account: null, role: null };

/** Return the key for changes; "" for spectators. */
export const key = () => given || (who.role && SESSION_KEY) || "";

/** Return the fragment of a table's address that passes the key to its dashboard. */
export const fragment = () => (key() ? `#key=${encodeURIComponent(key())}` : "");

/** Whether the user may do what a "player", "referee" or "host" may. */
export function may(role) {
  const ranks = ["player", "referee", "host"];
  return ranks.indexOf(who.role) >= ranks.indexOf(role);
}

/** Return an error of the hub in words. */
export const refusal = (error) =>
  W.who.refused[error.code] ?? W.lobby.refused[error.code] ?? W.club.refused[error.code] ?? phrase(error.said, error.message);

/** Send a request about accounts to the hub. Throws an Error with a text for people. */
async function ask(method, path, body) {
  const headers = { "X-Table-Key": given || SESSION_KEY, ...(body && { "Content-Type": "application/json" }) };
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  } catch {
    throw new Error(W.club.lost);
  }
  const told = await answer.json();
  if (!answer.ok) throw new Error(refusal(told.error));
  return told;
}

function forget() {
  localStorage.removeItem(STORE);
  if (localStorage.getItem(DASHBOARD_STORE) === SESSION_KEY) localStorage.removeItem(DASHBOARD_STORE);
}

/** Open a sheet over the page. */
export function openSheet(title, ...content) {
  const sheet = byId("who-sheet");
  sheet.replaceChildren(
    h("div", { class: "lobby-sheet-head" },
      h("h2", { id: "who-title" }, title),
      h("button", { type: "button", "aria-label": W.page.close, onclick: () => sheet.close() }, "✕")),
    ...content);
  sheet.showModal();
}

/** Open the login form. */
function openLogin() {
  const problem = h("p", { class: "lobby-problem", role: "alert" });
  const button = h("button", { class: "main" }, W.who.logIn);
  const send = async (event) => {
    event.preventDefault();
    const told = Object.fromEntries(new FormData(event.target));
    button.disabled = true;
    problem.textContent = "";
    try {
      await ask("POST", "/api/session", told);
      localStorage.setItem(STORE, "yes");
      location.reload();
    } catch (error) {
      problem.textContent = error.message;
      button.disabled = false;
    }
  };
  openSheet(W.who.logIn, h("form", { class: "who-form", onsubmit: send },
    h("label", {}, h("span", {}, W.who.name), h("input", { name: "name", required: true, maxlength: 30, autocomplete: "username" })),
    h("label", {}, h("span", {}, W.who.password), h("input", { name: "password", type: "password", required: true, maxlength: 200, autocomplete: "current-password" })),
    problem, button));
}

async function leave() {
  await ask("DELETE", "/api/session").catch(() => null);
  forget();
  location.reload();
}

/** Show the user's account and, for hosts, all others. */
async function showAccount() {
  const about = h("div", { class: "who-about" },
    h("p", {}, who.account ? W.who.youAre(W.who.roles[who.role]) : W.who.aboutKey),
    who.account ? h("button", { id: "log-out", type: "button", onclick: leave }, W.who.logOut) : "");
  if (may("host")) await new AccountsView(about, ask).show().catch((error) => about.append(error.message));
  openSheet(who.account ?? W.who.keyed, about);
}

/** Identify the user, perhaps for one table, and show them in the page's header. */
export async function meet(table = null) {
  if (given || localStorage.getItem(STORE)) {
    who = await ask("GET", `/api/session${table === null ? "" : `?table=${encodeURIComponent(table)}`}`).catch(() => who);
    if (!given && !who.role) forget();
  }
  const button = byId("who");
  button.textContent = who.account ?? (who.role ? W.who.keyed : W.who.logIn);
  button.addEventListener("click", who.role ? showAccount : openLogin);
  button.hidden = who.role === "player";
}
