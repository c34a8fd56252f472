// Texts that this browser stores between visits. A page that may not store anything, such as a replay in a sandbox,
// keeps them until it is closed.

const unstored = new Map();

/** Return the text that is kept under a name, or null. */
export function recall(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return unstored.get(name) ?? null;
  }
}

/** Keep a text under a name. Returns whether the next visit finds it. */
export function keep(name, text) {
  try {
    localStorage.setItem(name, text);
    return true;
  } catch (error) {
    console.info(`${name} is not stored`, error.message);
    unstored.set(name, text);
    return false;
  }
}
