// Updates a part of the page without disturbing what the user has opened or is typing.

/** Elements that stay: details that are open, and forms whose `data-draft` identifies a draft. */
const STAYS = "details[open], form[data-draft]";

const isDraft = (form, fresh) => form.matches("form[data-draft]:not(details:not([open]) *)") && form.dataset.draft === fresh.dataset.draft;

const holds = (element) => element.nodeType === Node.ELEMENT_NODE && (element.matches(STAYS) || element.querySelector(STAYS));

function renewAttributes(old, fresh) {
  for (const { name } of [...old.attributes]) if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
}

/**
 * Replace `old` by `fresh`. Open details stay open, and a visible form with the same `data-draft` stays unchanged.
 */
function renew(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeName !== fresh.nodeName || !holds(old)) return old.replaceWith(fresh);
  if (isDraft(old, fresh)) return;
  if (old.nodeName === "FORM" || old.dataset.of !== fresh.dataset.of) return old.replaceWith(fresh);
  renewAttributes(old, fresh);
  renewAll(old, [...fresh.childNodes]);
}

/** Replace the children of `place` by `fresh`, one by one. */
export function renewAll(place, fresh) {
  const old = [...place.childNodes];
  fresh.forEach((child, at) => (old[at] ? renew(old[at], child) : place.append(child)));
  for (const child of old.slice(fresh.length)) child.remove();
}
