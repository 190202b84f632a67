/** The most boxes that are read. A recording in fragments has two for each. */
const MAX_BOXES = 2_000;

/** The boxes at the outermost level of an MP4, a MOV or a HEIC (ISO/IEC 14496-12). */
const BOXES = new Set(
  "ftyp styp moov mdat moof mfra meta free skip wide uuid sidx pdin".split(" "),
);

/** From this size on, a RIFF header is of a recording that could not write its size. */
const MAX_RIFF_BYTES = 0x7fff_0000;

/**
 * Returns true if a file ends before its header says: an MP4 and its relatives, or a RIFF such as
 * WAV and WebP. Reads the headers only, and no other format.
 */
export async function isCut(file: Blob): Promise<boolean> {
  const head = await viewOf(file, 0);
  if (textAt(head, 0) === "RIFF") {
    const size = head.getUint32(4, true);
    return size < MAX_RIFF_BYTES && 8 + size > file.size;
  }
  return BOXES.has(textAt(head, 4)) && isMovieCut(file);
}

async function isMovieCut(file: Blob): Promise<boolean> {
  let at = 0;
  for (let count = 0; count < MAX_BOXES && at + 8 <= file.size; count += 1) {
    const view = await viewOf(file, at);
    const size = sizeOf(view);
    // Other bytes may follow the last box.
    if (size === undefined || !BOXES.has(textAt(view, 4))) return false;
    at += size;
  }
  return at > file.size;
}

/** Returns the size of a box; `undefined` if it lasts to the end of the file or has no valid size. */
function sizeOf(view: DataView): number | undefined {
  const size = view.getUint32(0);
  if (size !== 1) return size >= 8 ? size : undefined;
  return view.byteLength < 16 ? undefined : Number(view.getBigUint64(8));
}

async function viewOf(file: Blob, at: number): Promise<DataView> {
  const bytes = await file.slice(at, at + 16).arrayBuffer();
  // A shorter file has no header, and reads as one without a size.
  return new DataView(bytes.byteLength < 8 ? new ArrayBuffer(8) : bytes);
}

function textAt(view: DataView, at: number): string {
  return String.fromCharCode(
    ...[0, 1, 2, 3].map((index) => view.getUint8(at + index)),
  );
}
