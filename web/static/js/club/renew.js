// Making a part of the page as it should be now, without a touch to what somebody has opened or writes.

/** What stays: folds that somebody opened, and forms that say with `data-draft` of what they are. */
const STAYS = "details[open], form[data-draft]";

const isDraft = (form, fresh) => form.matches("form[data-draft]:not(details:not([open]) *)") && form.dataset.draft === fresh.dataset.draft;

const holds = (element) => element.nodeType === Node.ELEMENT_NODE && (element.matches(STAYS) || element.querySelector(STAYS));

function renewAttributes(old, fresh) {
  for (const { name } of [...old.attributes]) if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
}

/** Put `fresh` in the place of `old`; a fold stays open, and a form that can be seen and has the same `data-draft` stays as it is. */
function renew(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (old.nodeName !== fresh.nodeName || !holds(old)) return old.replaceWith(fresh);
  if (isDraft(old, fresh)) return;
  if (old.nodeName === "FORM" || old.dataset.of !== fresh.dataset.of) return old.replaceWith(fresh);
  renewAttributes(old, fresh);
  renewAll(old, [...fresh.childNodes]);
}

/** Put `fresh` in the place of what is in `place`, each child in its turn. */
export function renewAll(place, fresh) {
  const old = [...place.childNodes];
  fresh.forEach((child, at) => (old[at] ? renew(old[at], child) : place.append(child)));
  for (const child of old.slice(fresh.length)) child.remove();
}
