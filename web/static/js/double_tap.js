// Drops the second of two quick taps on one place if a sheet has opened or shut between them. It would hit the
// backdrop of the sheet, or a button below the sheet, which was not visible at the first tap.

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
