// End of the game: the winner on the whole screen with the photograph of the table, and a picture to share.

import { askPicture, hasPhotographs, photographAddress } from "./api.js";
import { h } from "./dom.js";
import { victory, winnersOf } from "./final.js";
import { lobbyLink } from "./lobby_link.js";
import { meepleIcon } from "./meeple.js";
import { showOver } from "./sheet.js";
import { W } from "./words.js";

const CARD_WH = [1080, 1350];
const PHOTO_PX = 700; // height of the photograph on the card
const MARGIN_PX = 72;
const MAY_SHARE = self.origin !== "null" || self === top; // a frame in a sandbox can neither share nor download

/** Open the card of a finished game over the page. */
export function openEnding(state) {
  const photo = h("img", { class: "ending-photo", alt: W.ending.photo, hidden: true });
  const dialog = h("dialog", { class: "ending", "aria-labelledby": "ending-title" },
    photo,
    h("div", { class: "ending-winners" }, ...winnersOf(state).map((player) => meepleIcon(player.color))),
    h("h2", { id: "ending-title" }, victory(state)),
    h("ol", { class: "ending-scores" }, ...ranked(state).map((player) =>
      h("li", {}, meepleIcon(player.color), h("span", {}, player.name), h("strong", {}, pointsOf(state, player))))),
    h("div", { class: "ending-ways" },
      lobbyLink("plain lobby-link", { again: true }),
      MAY_SHARE && h("button", { type: "button", class: "plain", onclick: () => shareCard(state, photo) }, W.ending.share),
      h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, W.ending.more)));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  showOver(dialog);
  if (hasPhotographs && state.turns.length) showPhoto(photo, state.turns.length);
}

/** Close the card, because the game continues. */
export const closeEnding = () => document.querySelector("dialog.ending")?.close();

async function showPhoto(photo, turn) {
  try {
    photo.src = await askPicture(photographAddress(turn));
    await photo.decode();
    photo.hidden = false;
  } catch (error) {
    console.info("no photograph of the end", error.message);
  }
}

const ranked = ({ players, final }) => [...players].sort((a, b) => final.scores[b.color] - final.scores[a.color]);

/** Return a player's points in words, with the others that they may be. */
const pointsOf = ({ final }, { color, may_be: others = [] }) =>
  others.length ? `${final.scores[color]} ${W.mayBe.short(others.map(({ score }) => score))}` : `${final.scores[color]}`;

/** Share the card if the phone can share files, otherwise download it. */
async function shareCard(state, photo) {
  const blob = await new Promise((resolve) => drawnCard(state, photo).toBlob(resolve, "image/png"));
  const file = new File([blob], `${state.title || "Tilesight"}.png`, { type: "image/png" });
  if (navigator.canShare?.({ files: [file] })) {
    await navigator.share({ files: [file], title: state.title }).catch(() => {}); // a cancelled share is no error
    return;
  }
  const link = h("a", { href: URL.createObjectURL(blob), download: file.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

function drawnCard(state, photo) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = CARD_WH;
  const draw = canvas.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  const color = (name) => style.getPropertyValue(name).trim();
  const write = (text, x, y, px, { align = "left", weight = 700, family = "Zilla Slab", ink = "--ink" } = {}) => {
    Object.assign(draw, { fillStyle: color(ink), textAlign: align, font: `${weight} ${px}px "${family}"` });
    draw.fillText(text, x, y, canvas.width - 2 * MARGIN_PX);
  };
  draw.fillStyle = color("--paper");
  draw.fillRect(0, 0, canvas.width, canvas.height);
  const seen = !photo.hidden;
  if (seen) drawCovering(draw, photo, canvas.width, PHOTO_PX);
  let y = (seen ? PHOTO_PX : 160) + 110;
  write(victory(state), canvas.width / 2, y, 76, { align: "center" });
  for (const player of ranked(state)) {
    y += 88;
    write(player.name, MARGIN_PX, y, 50, { weight: 500, family: "Alegreya Sans" });
    write(pointsOf(state, player), canvas.width - MARGIN_PX, y, 60, { align: "right" });
  }
  const day = new Date().toLocaleDateString(W.code, { dateStyle: "long" });
  write(`${state.title ? `${state.title} · ` : ""}${day} · Tilesight`, canvas.width / 2, canvas.height - 48, 34, { align: "center", weight: 400, family: "Alegreya Sans", ink: "--ink-soft" });
  return canvas;
}

/** Draw an image over the top of the card, cropped to fit. */
function drawCovering(draw, image, width, height) {
  const scale = Math.max(width / image.naturalWidth, height / image.naturalHeight);
  const [w, h_] = [width / scale, height / scale];
  draw.drawImage(image, (image.naturalWidth - w) / 2, (image.naturalHeight - h_) / 2, w, h_, 0, 0, width, height);
}
