// Redrawing that waits while a finger is down: a click is lost if its element is replaced between press and release.

const CLICK_MS = 60; // between a release and its click
let down = 0;
let waiting = new Map();
let timer = 0;

addEventListener("pointerdown", () => { down += 1; clearTimeout(timer); }, true);
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => {
  down = 0;
  clearTimeout(timer);
  timer = setTimeout(flush, CLICK_MS);
}, true);

function flush() {
  const now = waiting;
  waiting = new Map();
  for (const draw of now.values()) draw();
}

/** Draw now, or once no finger is down. Of several drawings with one `key` only the last is made. */
export function whenUntouched(key, draw) {
  if (down) waiting.set(key, draw);
  else {
    waiting.delete(key);
    draw();
  }
}
