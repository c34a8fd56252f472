// The second of two quick taps on one place is for what was there at the first. If a sheet has opened or shut in
// between, it would hit something that nobody has seen yet: the sheet's backdrop, or a button below the sheet.

const QUICK_MS = 400;
const NEAR_PX = 24;
let last = null;

const topSheet = () => [...document.querySelectorAll("dialog[open]")].at(-1) ?? null;

/** Drop second taps of this page that would hit something new. */
export const dropSecondTaps = () => addEventListener("click", (event) => {
  if (!event.detail) return; // by the keyboard
  const now = { x: event.clientX, y: event.clientY, at: event.timeStamp, sheet: topSheet() };
  const quick = last && now.at - last.at < QUICK_MS && Math.hypot(now.x - last.x, now.y - last.y) < NEAR_PX;
  if (quick && now.sheet !== last.sheet) {
    event.stopImmediatePropagation();
    event.preventDefault();
    return;
  }
  last = now;
}, true);
