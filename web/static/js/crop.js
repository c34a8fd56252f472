// Crop of the camera's picture, fetched with the key because the host may hide the camera from spectators.

import { askPicture } from "./api.js";
import { h } from "./dom.js";

/** Return the image element. missing(error) returns what replaces it if there is no such picture ("" for nothing). */
export function crop(address, alt, missing = () => "") {
  const image = h("img", { class: "crop", alt });
  const give = (error) => image.replaceWith(missing(error));
  askPicture(address).then((picture) => {
    image.addEventListener("load", () => URL.revokeObjectURL(picture));
    image.addEventListener("error", give);
    image.src = picture;
  }, give);
  return image;
}
