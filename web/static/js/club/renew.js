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

const nameOf = (node) => node?.dataset?.of;

/** Replace the children of `place` by `fresh`, one by one; those with `data-of` by the one of the same name. */
export function renewAll(place, fresh) {
  const names = new Set(fresh.map(nameOf));
  let old = place.firstChild;
  for (const child of fresh) {
    const name = nameOf(child);
    let same = name === undefined ? null : old;
    while (same && nameOf(same) !== name) same = same.nextSibling;
    while (same && old !== same) [old] = [old.nextSibling, old.remove()];
    if (!old || (nameOf(old) !== name && names.has(nameOf(old)))) {
      place.insertBefore(child, old);
    } else {
      const next = old.nextSibling;
      renew(old, child);
      old = next;
    }
  }
  while (old) [old] = [old.nextSibling, old.remove()];
}
