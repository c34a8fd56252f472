// Webhooks for the host: addresses that get every event, their state, a test, and the secret of a new one.

import { ask } from "./api.js";
import { h } from "./dom.js";
import { W, phrase, sentenceCase } from "./words.js";

const ADDRESS = "api/host/webhooks";

/** Return an element that fills itself with the table's webhooks; it stays empty if the table cannot have any. */
export function webhooksPart() {
  const room = h("details", { class: "overlay-link", hidden: true });
  const said = h("div", { class: "webhook-said", role: "status" });
  const fail = (error) => said.replaceChildren(h("p", { class: "hint", role: "alert" }, sentenceCase(phrase(error.said, error.message))));
  const show = ({ webhooks, broker }) => {
    if (webhooks === null) return;
    room.hidden = false;
    room.replaceChildren(
      h("summary", {}, W.webhooks.title),
      h("p", { class: "hint" }, W.webhooks.why),
      broker === null ? "" : h("p", { class: "hint" }, broker ? W.webhooks.broker : W.webhooks.noBroker),
      ...webhooks.map(item),
      said,
      form());
  };
  const refresh = () => ask(ADDRESS).then(show);
  const item = (webhook) => {
    const address = `${ADDRESS}/${webhook.id}`;
    const test = () => ask(`${address}/test`, { method: "POST" }).then((after) => {
      said.replaceChildren(h("p", { class: "hint" }, `${after.shown}: ${after.problem ? problem(after) : W.webhooks.arrived}`));
      return refresh();
    }).catch(fail);
    const remove = () => {
      if (confirm(W.webhooks.removeSure(webhook.shown))) ask(address, { method: "DELETE" }).then(refresh).catch(fail);
    };
    return h("div", { class: "webhook" },
      h("p", { class: "join-url" }, webhook.shown),
      h("p", { class: "hint" }, state(webhook)),
      h("div", { class: "webhook-tools" },
        h("button", { type: "button", class: "plain", onclick: test }, W.webhooks.test),
        h("button", { type: "button", class: "plain alarm", onclick: remove }, W.webhooks.remove)));
  };
  const form = () => {
    const url = h("input", { class: "search", type: "url", required: true, maxlength: 2000, placeholder: "https://", autocomplete: "off", spellcheck: "false" });
    const add = (event) => {
      event.preventDefault();
      ask(ADDRESS, { method: "POST", body: JSON.stringify({ url: url.value.trim() }) }).then(({ secret }) => {
        said.replaceChildren(h("p", {}, W.webhooks.secret), h("code", { class: "webhook-secret", tabindex: "0" }, secret));
        return refresh();
      }).catch(fail);
    };
    return h("form", { class: "name-form", onsubmit: add }, h("label", {}, W.webhooks.address, url), h("button", { class: "plain" }, W.webhooks.add));
  };
  refresh().catch(() => {}); // a hub's copy of a table has no such routes, and then nothing is shown
  return room;
}

/** Return a webhook's state in words: how many events arrived, wait or were lost, and its problem. */
function state(webhook) {
  if (!webhook.on) return W.webhooks.gone;
  const counts = ["delivered", "waiting", "dropped", "refused"].filter((name) => webhook[name] || name === "delivered").map((name) => W.webhooks[name](webhook[name]));
  return [...counts, webhook.problem && problem(webhook)].filter(Boolean).join(" ");
}

const problem = ({ problem: what, status }) => (what === "status" ? W.webhooks.problems.status(status) : W.webhooks.problems[what]);
