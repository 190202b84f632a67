/** Photos with the orientation that the browser shows, since a region is drawn on that picture. */

/** The quality of a photo that is encoded again, from 0 to 1. */
const QUALITY = 0.95;

const uprights = new WeakMap<File, Promise<File>>();

/** Returns a file whose pixels are stored as they are shown: a turned photo, or the file itself. */
export function uprightOf(file: File): Promise<File> {
  const upright = uprights.get(file) ?? turned(file);
  uprights.set(file, upright);
  return upright;
}

async function turned(file: File): Promise<File> {
  if (file.type !== "image/jpeg") return file;
  try {
    const { orientation: orientationOf } = await import(
      "exifr/dist/mini.esm.mjs"
    );
    const orientation = await orientationOf(file);
    // Such a photo is not turned, and encoding it again would cost quality.
    if (!orientation || orientation === 1) return file;
    const picture = await createImageBitmap(file, {
      imageOrientation: "from-image",
    });
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    canvas.getContext("2d")?.drawImage(picture, 0, 0);
    picture.close();
    const { name, type, lastModified } = file;
    const bytes = await canvas.convertToBlob({ type, quality: QUALITY });
    return new File([bytes], name, { type, lastModified });
  } catch {
    // The file is no photo, or it is too large to be drawn.
    return file;
  }
}
