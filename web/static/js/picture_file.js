// Photographs from this device, made ready to be sent.

const LARGEST_PX = 4096;
const QUALITY = 0.92;

/** A photograph as JPEG, upright, and no larger than is looked at. */
export async function jpegOf(file) {
  const image = await createImageBitmap(file);
  const scale = Math.min(1, LARGEST_PX / Math.max(image.width, image.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(image.width * scale);
  canvas.height = Math.round(image.height * scale);
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  const blob = await new Promise((made) => canvas.toBlob(made, "image/jpeg", QUALITY));
  if (!blob) throw new Error("no picture");
  return blob;
}
