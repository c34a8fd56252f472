// A part of the camera's picture, fetched with the key: the host may hide the camera from all others.

import { askPicture } from "./api.js";
import { h } from "./dom.js";

/** The picture's element; missing(error) gives what stands there where there is no such picture ("" for nothing). */
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
