// Addresses of pictures in the size in which they are shown: a board of small tiles loads in a tenth of the time.

const SIZES = [["small", 192], ["medium", 384]];
const STRETCH = 1.2; // a picture may be shown that much larger than it is before anybody sees it

/** The size, by its name, that is enough for a side of `shownPx` of the page's pixels; "" is the picture as it is. */
export const sizeFor = (shownPx) => SIZES.find(([, side]) => shownPx * devicePixelRatio <= side * STRETCH)?.[0] ?? "";

/** A picture's address in a size; `size` as of `sizeFor`. */
export const inSize = (address, size) => (size ? `${address}?size=${size}` : address);

/** A picture's address, as large as a side of `shownPx` wants it. */
export const artFor = (address, shownPx) => inSize(address, sizeFor(shownPx));

/** Show an image of the board in a larger size once that is there, and not blank in between. */
export async function sharpen(image, address) {
  const larger = new Image();
  larger.src = address;
  await larger.decode().catch(() => {}); // the smaller one stays where the table is away
  if (larger.naturalWidth) image.setAttribute("href", address);
}
