// Makes real media files, so that a test knows every byte.
import { randomBytes } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import { PDFDocument } from "pdf-lib";

/**
 * Makes a PNG of noise with three bytes per pixel. It does not compress, so that uploading it takes
 * some time.
 */
export function picture(width, height) {
  const rows = Array.from({ length: height }, () =>
    Buffer.concat([Buffer.from([0]), randomBytes(width * 3)]),
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a,
  ]);
  return Buffer.concat([
    signature,
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.concat(rows))),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type, data) {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const framed = Buffer.alloc(typed.length + 8);
  framed.writeUInt32BE(data.length, 0);
  typed.copy(framed, 4);
  framed.writeUInt32BE(crc32(typed), typed.length + 4);
  return framed;
}

/** Makes a PDF with one page for each width, in points. A test recognises a page by its width. */
export async function pdf(widths) {
  const document = await PDFDocument.create();
  for (const width of widths)
    document
      .addPage([width, 300])
      .drawText(`page ${width}`, { x: 20, y: 150, size: 14 });
  return Buffer.from(await document.save());
}

/** Makes a PDF that opens only with a password: its check value fits no empty one. */
export function lockedPdf() {
  const key = `${"<".padEnd(65, "00")}>`;
  const objects = [
    "1 0 obj\n<</Type /Catalog /Pages 2 0 R>>\nendobj\n",
    "2 0 obj\n<</Type /Pages /Kids [] /Count 0>>\nendobj\n",
    `3 0 obj\n<</Filter /Standard /V 1 /R 2 /P -4 /O ${key} /U ${key}>>\nendobj\n`,
  ];
  let text = "%PDF-1.4\n";
  let table = "xref\n0 4\n0000000000 65535 f \n";
  for (const object of objects) {
    table += `${String(text.length).padStart(10, "0")} 00000 n \n`;
    text += object;
  }
  const trailer =
    "trailer\n<</Size 4 /Root 1 0 R /Encrypt 3 0 R /ID [<00> <00>]>>\n";
  return Buffer.from(
    `${text}${table}${trailer}startxref\n${text.length}\n%%EOF\n`,
  );
}

/** Resolves to the widths of a PDF's pages, in points. */
export async function pageWidths(bytes) {
  const document = await PDFDocument.load(bytes);
  return document.getPages().map((page) => Math.round(page.getWidth()));
}

const HEADER = 44;

/** Makes a mono WAV of 16-bit samples, of which this many are a second. */
export function wav(samples, rate = 8000) {
  const file = Buffer.alloc(HEADER + samples.length * 2);
  file.write("RIFF", 0, "latin1");
  file.writeUInt32LE(file.length - 8, 4);
  file.write("WAVEfmt ", 8, "latin1");
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(2 * rate, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write("data", 36, "latin1");
  file.writeUInt32LE(samples.length * 2, 40);
  for (const [index, sample] of samples.entries())
    file.writeInt16LE(sample, HEADER + index * 2);
  return file;
}

/** Returns the samples of a sine of 440 Hz for a second. */
export function tone(amplitude) {
  return Array.from({ length: 8000 }, (_, index) =>
    Math.round(amplitude * Math.sin((2 * Math.PI * 440 * index) / 8000)),
  );
}
