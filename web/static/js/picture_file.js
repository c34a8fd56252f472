// Photographs from this device, prepared for upload.

const LARGEST_PX = 4096;
const QUALITY = 0.92;

/** Return a photograph as an upright JPEG of the size that is analysed. */
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
