// Addresses of pictures in the size that is displayed: a board of small tiles loads in a tenth of the time.

const SIZES = [["small", 192], ["medium", 384]];
const STRETCH = 1.2; // how much a picture may be enlarged before it looks blurred

/** Return the name of the smallest size that is sharp at `shownPx` CSS pixels; "" is the original size. */
export const sizeFor = (shownPx) => SIZES.find(([, side]) => shownPx * devicePixelRatio <= side * STRETCH)?.[0] ?? "";

/** Return the address of a picture in a size from `sizeFor`. */
export const inSize = (address, size) => (size ? `${address}?size=${size}` : address);

/** Return the address of a picture in the size for `shownPx` CSS pixels. */
export const artFor = (address, shownPx) => inSize(address, sizeFor(shownPx));

/** Replace an image of the board by a larger version once that has loaded, so that it never goes blank. */
export async function sharpen(image, address) {
  const larger = new Image();
  larger.src = address;
  await larger.decode().catch(() => {}); // if the table is unreachable, the smaller version stays
  if (larger.naturalWidth) image.setAttribute("href", address);
}
