// Accounts for hosts: the list, a form to create one, and the log of changes.

import { h } from "../dom.js";
import { W } from "../words.js";

const when = (at_s) => new Date(1000 * at_s).toLocaleString(W.code, { dateStyle: "short", timeStyle: "short" });

export class AccountsView {
  /** `ask(method, path, body)` sends a request to the hub, and throws errors with a text for people. */
  constructor(place, ask) {
    this.ask = ask;
    this.problem = h("p", { class: "lobby-problem", role: "alert" });
    this.people = h("ul", { class: "who-people" });
    this.acts = h("ol", { class: "who-acts" });
    place.append(
      h("h3", {}, W.who.accounts), this.people, this.form(), this.problem,
      h("details", {}, h("summary", {}, W.who.acts), this.acts));
  }

  /** Show the current accounts and the log. */
  async show() {
    const [{ accounts }, { acts }] = await Promise.all([this.ask("GET", "/api/accounts"), this.ask("GET", "/api/acts")]);
    this.people.replaceChildren(...accounts.map((one) => this.person(one)));
    this.acts.replaceChildren(...acts.map((one) => h("li", {},
      h("span", { class: "lobby-quiet" }, when(one.at_s)), " ",
      h("strong", {}, one.account === null ? W.who.key : one.account || W.who.players), " ", one.table ? `${one.table}: ` : "", W.who.paths[one.path.replace(/\d+/, "#")] ?? one.path)));
  }

  person({ name, role }) {
    const remove = () => confirm(W.who.reallyRemove(name)) && this.change("DELETE", `/api/accounts/${encodeURIComponent(name)}`);
    return h("li", {},
      h("span", { class: "name" }, name), h("span", { class: "lobby-quiet" }, W.who.roles[role]),
      h("button", { type: "button", "aria-label": `${W.who.remove}: ${name}`, onclick: remove }, W.who.remove));
  }

  form() {
    const send = async (event) => {
      event.preventDefault();
      const form = event.target;
      const given = Object.fromEntries(new FormData(form));
      if (await this.change("POST", "/api/accounts", given)) form.reset();
    };
    const field = (text, input) => h("label", {}, h("span", {}, text), input);
    return h("details", {}, h("summary", {}, W.who.add),
      h("form", { class: "who-form", onsubmit: send },
        field(W.who.name, h("input", { name: "name", required: true, maxlength: 30, autocomplete: "off" })),
        field(W.who.role, h("select", { name: "role" }, ...["referee", "host"].map((role) => h("option", { value: role }, W.who.roles[role])))),
        field(W.who.newPassword, h("input", { name: "password", type: "password", required: true, minlength: 10, maxlength: 200, autocomplete: "new-password" })),
        h("button", { class: "main" }, W.who.make)));
  }

  /** Send a change and return whether it succeeded; show the error if not. */
  async change(...request) {
    this.problem.textContent = "";
    try {
      await this.ask(...request);
    } catch (error) {
      this.problem.textContent = error.message;
      return false;
    }
    await this.show();
    return true;
  }
}
