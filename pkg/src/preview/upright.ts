import { orientationOf } from "./orientation.js";

/** The quality of a photo that is encoded again, from 0 to 1. */
const QUALITY = 0.95;

const uprights = new WeakMap<File, Promise<File>>();

/**
 * Turns a photo as a browser shows it. A camera may store the pixels turned, with a note (EXIF)
 * that a model may ignore. A region that a person drew is then somewhere else.
 *
 * @returns The turned JPEG without EXIF, and the same one for the same file; the file itself if it
 * is upright, is no JPEG, or can't be drawn.
 */
export function uprightOf(photo: File): Promise<File> {
  const upright = uprights.get(photo) ?? turned(photo);
  uprights.set(photo, upright);
  return upright;
}

async function turned(photo: File): Promise<File> {
  const { name, type, lastModified } = photo;
  if (type !== "image/jpeg") return photo;
  try {
    // Encoding an upright photo again would cost quality.
    if ((await orientationOf(photo)) === 1) return photo;
    const picture = await createImageBitmap(photo, {
      imageOrientation: "from-image",
    });
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    canvas.getContext("2d")?.drawImage(picture, 0, 0);
    picture.close();
    const bytes = await canvas.convertToBlob({ type, quality: QUALITY });
    return new File([bytes], name, { type, lastModified });
  } catch {
    // The file is no photo, or it is too large to be drawn.
    return photo;
  }
}
