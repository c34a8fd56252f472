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

/**
 * Replace the children of `place` by `fresh`, one by one. A child with `data-of` is found again where siblings before it
 * have come or gone.
 */
export function renewAll(place, fresh) {
  const of = (node) => node.dataset?.of;
  const known = new Set(fresh.map(of).filter(Boolean));
  let next = place.firstChild;
  const pass = () => {
    const passed = next;
    next = next.nextSibling;
    return passed;
  };
  for (const child of fresh) {
    const same = of(child) && [...place.children].find((one) => of(one) === of(child));
    const follows = same && next && (same === next || next.compareDocumentPosition(same) & Node.DOCUMENT_POSITION_FOLLOWING);
    while (follows && next !== same) pass().remove();
    const staysForLater = next && known.has(of(next)) && of(next) !== of(child);
    if (next && !staysForLater) renew(pass(), child);
    else place.insertBefore(child, next);
  }
  while (next) pass().remove();
}
