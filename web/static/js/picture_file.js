// Photographs from this device, prepared for upload.

const LARGEST_PX = 4096;
const QUALITY = 0.92;

/** Whether a file is of a format that the computer may decode where this browser does not. */
const mayConvert = (file) => isHeif(file) || /tiff|avif/i.test(file.type);
/** Whether a file is a HEIC photograph, which few browsers decode. */
export const isHeif = (file) => /hei[cf]/i.test(file.type) || /\.hei[cf]$/i.test(file.name ?? "");

/**
 * Return a photograph as an upright JPEG of the size that is analysed. `convert` (ask of the lobby) lets the computer
 * decode what this browser cannot.
 */
export async function jpegOf(file, convert = null) {
  const image = await createImageBitmap(file).catch(async (error) => {
    if (!convert || !mayConvert(file)) throw error;
    return createImageBitmap(await (await convert("/api/jpeg", file)).blob());
  });
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
