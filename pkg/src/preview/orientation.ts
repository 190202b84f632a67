/** The EXIF segment and those before it, each of at most 64 kB. */
const MAX_BYTES = 256 * 1024;

const JPEG = 0xffd8;
const APP1 = 0xffe1;
const START_OF_SCAN = 0xffda;
/** `Exif` as a number. */
const EXIF = 0x45786966;
/** `II`: the numbers of the segment begin with their last byte. */
const LITTLE_ENDIAN = 0x4949;
const ORIENTATION = 0x0112;

/**
 * Reads the orientation of a JPEG from its EXIF (CIPA DC-008, sections 4.5 and 4.6).
 *
 * @returns 1 to 8; 1 if there is none, which is upright.
 * @throws {RangeError} for a segment that ends too early.
 */
export async function orientationOf(photo: Blob): Promise<number> {
  const bytes = await photo.slice(0, MAX_BYTES).arrayBuffer();
  const view = new DataView(bytes);
  if (bytes.byteLength < 4 || view.getUint16(0) !== JPEG) return 1;
  let at = 2;
  while (at + 10 < bytes.byteLength) {
    const marker = view.getUint16(at);
    if (marker === APP1 && view.getUint32(at + 4) === EXIF)
      return orientationIn(new DataView(bytes, at + 10));
    if (marker < 0xff00 || marker === START_OF_SCAN) return 1;
    at += 2 + view.getUint16(at + 2);
  }
  return 1;
}

/** Finds the orientation in the first directory of a TIFF header. */
function orientationIn(tiff: DataView): number {
  const isLittle = tiff.getUint16(0) === LITTLE_ENDIAN;
  const directory = tiff.getUint32(4, isLittle);
  const count = tiff.getUint16(directory, isLittle);
  for (let index = 0; index < count; index += 1) {
    const entry = directory + 2 + 12 * index;
    if (tiff.getUint16(entry, isLittle) === ORIENTATION)
      return tiff.getUint16(entry + 8, isLittle);
  }
  return 1;
}
